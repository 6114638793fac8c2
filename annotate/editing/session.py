"""One annotator's way through the items: what is open, what was sent, what comes next.

The state is the store's: a reload, another window or a restarted server goes on from the newest revision.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from annotate.editing import content, joining, messages, saving, validation
from annotate.editing.decisions import LONGEST, Decisions
from annotate.editing.joining import Next
from annotate.editing.state import example_of, imported, state
from annotate.editing.usual import Usual, usual, usual_misc
from annotate.store import JOINED, REVIEW, SUGGESTERS, Item, Project, Revision, Store, Suggestion
from fewshot import tasks
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.pos import missing


class NotDoneError(FewshotError):
    """What was sent as done is not, and is saved as it is."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """What an annotator has in front of them.

    Args:
        example: see `uploaded.shown`, with repaired words where this annotator repaired them in another task.
        annotation: the newest saved one, else that of the file where the project continues it, else None.
        suggestion: of a model, see `annotate.worker.suggest` and `annotate.worker.ask`, with its ``id``, the model's
            name as ``by`` and, of a sentence, the words that it is about; None where the item is blind or a review, or
            there is none with labels of the project.
        second: likewise, of another model, where the project shows both.
        usual: values that words of each tag have had.
        revision: the newest one, None where there is none.
        asks_tags: whether parts of a word that is split are given tags, see `saving.asks_tags`.
        following: the sentences of the file that the example goes on in, and the one behind; none of what is no
            sentence.
        acks: newest sequence number that is stored, by client.
    """

    item: Item
    example: Any
    annotation: Mapping[str, Any] | None
    suggestion: Mapping[str, Any] | None
    second: Mapping[str, Any] | None
    usual: Usual
    revision: Revision | None
    asks_tags: bool
    following: Sequence[Next]
    acks: Mapping[str, int]


def start(store: Store, project: Project, task: str, annotator: str, wanted: int | None = None) -> Item | None:
    """Return the item to begin with: the wanted one, else the first that is open, else one that was skipped.

    Args:
        wanted: an item's id, of a link or of the last visit.

    Returns:
        The item, leased to the annotator; None when nothing is left to do.
    """
    if wanted is not None:
        linked = store.items(project.id, annotator=annotator, task=task, item_id=wanted)
        if linked and linked[0].purpose != REVIEW and store.claim(wanted, annotator):
            return linked[0]
    found = store.next_item(project.id, task, annotator)
    if found is not None:
        return found
    skipped = (item for item in items(store, project, task, annotator) if item.status == "skipped")
    return next((item for item in skipped if store.claim(item.id, annotator)), None)


def items(store: Store, project: Project, task: str, annotator: str) -> list[Item]:
    """Return what an annotator has to do or has done, in order; what they review is not among it."""
    mine = store.items(project.id, annotator=annotator, task=task)
    return [item for item in mine if item.purpose != REVIEW]


def receive(store: Store, project: Project, annotator: str, event: Any) -> Item | None:
    """Store what an editor sent and return the item to show now, None when all are done.

    Args:
        event: what ``runtime.js`` sends, or anything else.

    Raises:
        ConflictError: when another window has saved a version that this one has not seen; the editor shows both.
        StoreError: when it cannot be stored; the editor keeps it and sends it again.
        FewshotError: when this is nothing that an editor sends, the item is not this annotator's or of another project,
            the annotation is not one of its example, or it is sent as done and is not: then it is saved all the same.
    """
    event = messages.check(event)
    item = _own(store, project, event["item"], annotator)
    done = _saved(store, project, item, annotator, event) if event["seq"] else item.status == "done"
    go = event.get("go")
    if go is None or item.purpose == REVIEW:
        if not go and not event.get("left"):
            store.claim(item.id, annotator)
        return replace(item, status="done" if done else "open") if event["seq"] else item
    if go == "skip" and not done:
        store.skip(item.id, annotator)
    target = _neighbour(store, project, item, annotator, go, done)
    if target is None or target.id != item.id:
        store.release(item.id, annotator)
    return target


def open_item(store: Store, project: Project, item: Item) -> OpenItem:
    """Return what the annotator of an item has in front of them."""
    known = state(store, project, item)
    original = known.original
    suggested = [] if item.blind else _suggestions(store, project, item, original)
    finished: tuple[int, ...] = ()
    if isinstance(original, Sentence) and item.annotator:
        finished = tuple(store.newest_finished(project.id, item.task, item.annotator, LONGEST))
    if suggested and isinstance(original, Sentence) and item.annotator:
        decisions = _decisions(store, project.id, project.created, item.task, finished)
        suggested = [replace(one, data=decisions.follow(original.words, one)) for one in suggested]
    shown = [found for one in suggested if (found := _of_project(project, item, original, one))]
    first, second = (*shown, None, None)[:2]
    values = dict(usual(store, project, item.task, finished))
    if isinstance(original, Sentence):
        values["misc"] = usual_misc(store, project, known.example.words, finished)
    return OpenItem(
        item=item,
        example=known.example,
        annotation=known.annotation,
        suggestion=first,
        second=second,
        usual=values,
        revision=known.newest,
        asks_tags=saving.asks_tags(project, item, original),
        following=joining.following(store, project, item, known.joined) if isinstance(original, Sentence) else (),
        acks=store.acks(item.id),
    )


def direction(text: str) -> str:
    """Return ``rtl`` where the first letter with a direction is of a script written from right to left."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL", "L"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"


def _own(store: Store, project: Project, item_id: int, annotator: str) -> Item:
    item = store.item(item_id)
    if store.project(project.id).created != project.created:  # what is new may have the ids of what was deleted
        raise FewshotError(f"{project.name} was deleted; open another project")
    if item.annotator != annotator:
        raise FewshotError(f"this item is assigned to {item.annotator or 'nobody'}; open the next one")
    if item.status == JOINED:
        raise FewshotError("this sentence was joined with the one before it; open the next one")
    example_of(store, project, item)
    return item


def _saved(store: Store, project: Project, item: Item, annotator: str, event: Mapping[str, Any]) -> bool:
    """Store an annotation; return whether it is done."""
    if store.acks(item.id).get(event["client"], 0) >= event["seq"]:  # sent again: all that follows was done then
        return item.status == "done"
    made = saving.unsaved(store, project, item, event["annotation"])
    messages.check_texts(made.annotation, made.original)
    task = tasks.get(item.task, project.labels[item.task])
    wrong = [problem for problem in validation.problems(task, made.example) if problem.level == "error"]
    if saving.asks_tags(project, item, made.original):
        wrong += missing(made.example.words, made.example.upos, "UPOS")
    done = bool(event["done"]) and not wrong
    proposed = _suggestions(store, project, item, made.original) if item.blind else _shown(store, item, event)
    first, second = (*(one.id for one in proposed), None, None)[:2]
    saving.save(
        store, project, made, event["client"], event["seq"], done, float(event["seconds"]), event["edits"],
        suggestion_id=first, second_suggestion=second, seen=event["seen"], bounded=True,
    )  # fmt: skip
    if event["done"] and not done:
        raise NotDoneError(f"{wrong[0].message} (saved, but not as done)")
    return done


@lru_cache(maxsize=64)
def _decisions(store: Store, project_id: int, created: datetime, task: str, finished: tuple[int, ...]) -> Decisions:
    """Return what was decided in revisions of finished sentences, given by their ids."""
    items = {item.id: item.example_id for item in store.items(project_id, task=task)}
    revisions = store.revisions(finished)
    proposed = store.suggestions([one.suggestion_id for one in revisions if one.suggestion_id])
    decisions = Decisions()
    for revision in revisions:
        sentence = imported(store, project_id, created, items[revision.item_id])
        words = revision.annotation.get("words", sentence.words)
        decisions.learn(words, revision.annotation, proposed.get(revision.suggestion_id or 0))
    return decisions


def _suggestions(store: Store, project: Project, item: Item, original: Any) -> list[Suggestion]:
    """Return what models propose for an item, which is hidden where it is blind; of the original words."""
    sources = () if item.purpose == REVIEW else SUGGESTERS[project.suggester]
    found = [one for source in sources if (one := store.suggestion(item.example_id, item.task, source))]
    return [one for one in found if not isinstance(original, Sentence) or _fits(one.data["annotation"], original)]


def _of_project(project: Project, item: Item, original: Any, suggested: Suggestion) -> dict[str, Any] | None:
    """Return what is shown of a suggestion: the labels that a project has; None where it has none of them."""
    data, task = dict(suggested.data), tasks.get(item.task, project.labels.get(item.task))
    data |= {"id": suggested.id, "by": _name(suggested.model)}
    if isinstance(original, Sentence):
        data |= repair.named(original)
    if not task.open:
        return data
    kept = task.masked(content.annotated(item.task, original, data["annotation"]))
    return data | {"annotation": content.annotation_of(item.task, kept)} if task.is_annotated(kept) else None


def _name(title: str) -> str:
    """Return the name of a model out of its title, see `Suggestion.model`."""
    return " ".join(title.split()[1:-1]) or title


def _shown(store: Store, item: Item, event: Mapping[str, Any]) -> list[Suggestion]:
    """Return the suggestions that the window showed; newer models' may have come since."""
    ids = [event[name] for name in ("suggestion", "second") if event.get(name)]
    found = store.suggestions(ids)
    mine = (found[id] for id in ids if id in found)
    return [one for one in mine if (one.example_id, one.task) == (item.example_id, item.task)]


def _fits(annotation: Mapping[str, Any], sentence: Sentence) -> bool:
    """Return whether each column of an annotation has one entry a word."""
    columns = [value for value in annotation.values() if isinstance(value, list)]
    return all(len(column) == len(sentence.words) for column in columns)


def _neighbour(store: Store, project: Project, item: Item, annotator: str, go: str, done: bool) -> Item | None:
    """Return the item to show after this one: the one before or behind, or of what is not done yet the next.

    Where all that is left was skipped, skipping goes round.
    """
    mine = items(store, project, item.task, annotator)
    here = [other.id for other in mine].index(item.id)
    if go == "back":
        return mine[max(here - 1, 0)]
    behind = mine[here + 1 :]
    if go == "next" and not done and behind:
        return behind[0]
    open_ = next((other for other in behind if other.status == "open"), None)
    if open_ is None:
        open_ = store.next_item(project.id, item.task, annotator)
    if open_ is not None:
        return open_
    return next((other for other in (*behind, *mine[: here + 1]) if other.status == "skipped"), None)
