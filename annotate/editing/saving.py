"""Check an annotation that an editor sends, store it with its words, and let other tasks follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from annotate.editing import changed_values, content, joining, messages, validation
from annotate.editing.permitted_corrections import asks_tags, without_hidden
from annotate.editing.state import State, example_of, in_other_tasks, state
from annotate.store import (
    JOINED,
    REVIEW,
    SUGGESTERS,
    Acknowledged,
    GoneError,
    Item,
    Project,
    Revision,
    Store,
    Suggestion,
)
from fewshot import tasks
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.pos import missing_tags

Changed: TypeAlias = Mapping[str, Sequence[int]]
"""Places of the words that a window has changed, by column."""

MAX_DIGITS = 10
"""Number of digits from which a number cannot be an id in any database."""


class NotAllowedError(FewshotError):
    """An item that is not this person's, or no longer."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What the store has of a page's item after a save.

    Args:
        newest: number and revision id of the page's newest save.
        done: whether the item is done.
        problems: of the saved annotation; empty for a save that was repeated.
        reason: why an annotation that was sent as done was saved as open, else an empty string.
        is_outdated: whether the annotator has saved another task since the revision that the page knows.
    """

    newest: Acknowledged
    done: bool
    problems: Sequence[validation.Problem] = ()
    reason: str = ""
    is_outdated: bool = False


@dataclass(frozen=True, slots=True)
class Unsaved:
    """An annotation that is to be stored.

    Args:
        known: the annotation of the example so far.
        others: items and revisions of other tasks: the annotator's; for a review everybody's.
        original: the example before any annotation, with the sentences that are joined to it.
        example: with the new annotation and the annotator's annotation of other tasks.
        annotation: the value to store.
    """

    item: Item
    known: State
    others: Sequence[tuple[Item, Revision]]
    original: Any
    example: Any
    annotation: dict[str, Any]


def project_of(store: Store, scope: str) -> Project:
    """Return the project of a page; GoneError if it was deleted.

    Args:
        scope: see `Project.scope`.
    """
    number = scope.partition(" ")[0]
    with suppress(GoneError):
        project = store.project(int(number) if number.isdecimal() and len(number) < MAX_DIGITS else 0)
        if project.scope == scope:
            return project
    raise GoneError("the project of this page was deleted; open another project")


def own_item(store: Store, project: Project, annotator: str, item_id: int) -> Item:
    """Return an item that a page names.

    Raises:
        GoneError: when the item was deleted, or its sentence was joined with the one before it.
        NotAllowedError: when the item is assigned to somebody else.
        FewshotError: when the item is of another project.
    """
    item = store.item(item_id)
    if item.annotator != annotator:
        raise NotAllowedError(f"this item is assigned to {item.annotator or 'nobody'}; open the next one")
    if item.status == JOINED:
        raise GoneError("this sentence was joined with the one before it; open the next one")
    example_of(store, project, item)
    return item


def receive(store: Store, project: Project, item: Item, event: Mapping[str, Any]) -> Saved:
    """Store an annotation that an editor sent, and extend the annotator's lease.

    Args:
        item: see `own_item`.
        event: see `messages.check_save`.

    Raises:
        ConflictError: when another window has saved a version that this window has not seen.
        StoreError: when the annotation cannot be stored now.
        FewshotError: when the annotation does not fit the example.
    """
    if (newest := store.newest_of(item.id, event["client"])) and newest.seq >= event["seq"]:
        others = [] if item.purpose == REVIEW else in_other_tasks(store, project, item)
        is_outdated = _is_outdated(event, others)  # a repeated message, which was handled before
        return Saved(newest, item.status == "done", is_outdated=is_outdated)
    made = unsaved(store, project, item, event["annotation"], event.get("changed"))
    messages.check_texts(made.annotation, made.original)
    task = tasks.get(item.task, project.labels[item.task])
    problems = validation.problems(task, made.example, project.level, compared=not project.hides_gold)
    wrong = [problem.message for problem in problems if problem.level == "error"]
    if asks_tags(project, item, made.original):
        wrong += [problem.message for problem in missing_tags(made.example.words, made.example.upos, "UPOS")]
    done = event["done"] and not wrong
    proposed = suggestions(store, project, item, made.original) if item.blind else _shown(store, item, event)
    first, second = (*(suggestion.id for suggestion in proposed), None, None)[:2]
    newest = save(
        store, project, made, event["client"], event["seq"], done, float(event["seconds"]), event["edits"],
        suggestion_id=first, second_suggestion=second, seen=event["seen"], bounded=True,
    )  # fmt: skip
    if not event.get("left"):
        store.claim(item.id, item.annotator or "")
    reason = f"{wrong[0]} (saved, but not as done)" if event["done"] and wrong else ""
    return Saved(newest, done, problems, reason, _is_outdated(event, made.known.others))


def suggestions(store: Store, project: Project, item: Item, original: Any) -> list[Suggestion]:
    """Return the suggestions for an item that fit its original words, also those that a blind item hides."""
    sources = () if item.purpose == REVIEW else SUGGESTERS[project.suggester]
    stored = (store.suggestion(item.example_id, item.task, source) for source in sources)
    made = [suggestion for suggestion in stored if suggestion]
    if isinstance(original, Sentence):
        return [suggestion for suggestion in made if _fits(suggestion.data["annotation"], original)]
    return made


def unsaved(
    store: Store, project: Project, item: Item, annotation: Mapping[str, Any], changed: Changed | None = None
) -> Unsaved:
    """Return what to store of an annotation by the annotator of an item.

    Args:
        annotation: without the key ``words``, it is about the words of the file.
        changed: what the window has changed, see `messages.Save`; None: everything.

    Raises:
        FewshotError: when the annotation does not fit the example, or the sentences cannot be joined.
    """
    known = state(store, project, item)
    original = joining.joinable(store, project, item, known.original, annotation.get("joined", 0))
    annotation = without_hidden(store, project, item.task, _with_current_values(known, original, annotation, changed))
    mine = ((each.task, revision.annotation) for each, revision in known.others)
    named = content.with_words(annotation, original)
    example = content.annotated(item.task, content.combined(original, mine), named)
    if isinstance(example, Sentence) and (wrong := changed_values.missing_node(example)):
        raise FewshotError(wrong)
    columns = content.annotation_of(item.task, example)
    kept = {
        name: columns[name] for name in annotation if name in columns and name not in changed_values.CHANGEABLE_COLUMNS
    }
    for name in changed_values.columns(columns):  # empty values leave those of other tasks
        if any(value is not None for value in annotation.get(name, ())):
            kept[name] = annotation[name]
    others = in_other_tasks(store, project, item) if item.purpose == REVIEW else known.others
    words = repair.named(example) if isinstance(original, Sentence) else {}
    if words and (words != repair.named(original) or any("words" in revision.annotation for _, revision in others)):
        kept |= words
    return Unsaved(item, known, others, original, example, kept)


def save(
    store: Store, project: Project, made: Unsaved, client: str, seq: int, done: bool,
    seconds: float = 0.0, edits: int = 0, **more: Any,
) -> Acknowledged:  # fmt: skip
    """Store an annotation, and carry the annotator's other tasks over to its words.

    Items of other tasks that lack annotation for some of the new words are opened again.

    Args:
        more: see `Store.save`.
    """
    item, joined = made.item, getattr(made.example, "joined", 0)
    rejoined = joined != made.known.joined
    more |= {"done": done, "seconds": seconds, "edits": edits, "joined": joined if rejoined else None}
    newest = store.save(item.id, item.annotator or "", client, seq, made.annotation, **more)
    if rejoined:
        joining.follow(store, project, item, made.example)
    if "words" in made.annotation and (item.purpose == REVIEW or not rejoined):
        _reopen(store, project, made)
    return newest


def _is_outdated(event: Mapping[str, Any], others: Sequence[tuple[Item, Revision]]) -> bool:
    """Return whether another task has a revision after the one that a page knows of its item."""
    return any(revision.id > event["seen"] for _, revision in others)


def _with_current_values(
    known: State, original: Any, annotation: Mapping[str, Any], changed: Changed | None
) -> Mapping[str, Any]:
    """Return an annotation with the current values of what its window has not changed.

    A window that was open when the annotator changed another task sends the values that it has loaded.
    """
    if changed is None or known.annotation is None or not isinstance(original, Sentence):
        return annotation
    current = content.with_words(known.annotation, known.example)
    if content.with_words(annotation, original)["words"] != current["words"]:
        return annotation
    return changed_values.with_current_values(annotation, changed, current)


def _shown(store: Store, item: Item, event: Mapping[str, Any]) -> list[Suggestion]:
    """Return the suggestions that the window showed; newer ones may be stored by now."""
    ids = [event[name] for name in ("suggestion", "second") if event.get(name)]
    stored = store.suggestions(ids)
    made = (stored[id] for id in ids if id in stored)
    return [each for each in made if (each.example_id, each.task) == (item.example_id, item.task)]


def _fits(annotation: Mapping[str, Any], sentence: Sentence) -> bool:
    """Return whether each column of an annotation has one entry for each word."""
    columns = [value for value in annotation.values() if isinstance(value, list)]
    return all(len(column) == len(sentence.words) for column in columns)


def _reopen(store: Store, project: Project, made: Unsaved) -> None:
    """Open finished items of other tasks that are incomplete or invalid on the new words."""
    for item, revision in made.others:
        before = content.annotated(item.task, made.original, dict(revision.annotation))
        if item.status != "done" or repair.named(before) == repair.named(made.example):
            continue
        carried = content.carried(made.original, item.task, revision.annotation, made.example)
        task = tasks.get(item.task, project.labels[item.task])
        if task.errors(content.annotated(item.task, made.example, carried)):
            store.reopen(item.id)
