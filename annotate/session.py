"""One annotator's way through the items: what lies on the desk, what was sent, what comes next.

The state is the store's: a reload, another window or a restarted server goes on from the newest revision.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotate import content, tokens, validate
from annotate.store import Item, Project, Revision, Store
from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError


@dataclass(frozen=True, slots=True)
class Desk:
    """What an annotator has in front of them.

    Args:
        item: the item.
        example: unannotated, with repaired words where this annotator repaired them in another task.
        annotation: the newest saved one, None where there is none.
        suggestion: of a model, see `fewshot.jobs.suggest`; None where the item is blind or there is none.
        revision: the newest one, None where there is none.
        acks: newest sequence number that is stored, by client.
        mine: the annotator's items of the task.
    """

    item: Item
    example: Any
    annotation: Mapping[str, Any] | None
    suggestion: Mapping[str, Any] | None
    revision: Revision | None
    acks: Mapping[str, int]
    mine: Sequence[Item]

    @property
    def number(self) -> int:
        """Place of the item in the annotator's list, from 1."""
        return next((number for number, other in enumerate(self.mine, start=1) if other.id == self.item.id), 1)

    @property
    def done(self) -> int:
        """How many of the list are done."""
        return sum(other.status == "done" for other in self.mine)


def start(store: Store, project: Project, task: str, annotator: str, wanted: int | None = None) -> Item | None:
    """Return the item to begin with: the wanted one, else the first that is open, else one that was skipped.

    Args:
        store: where everything is kept.
        project: the project.
        task: name of the task.
        annotator: who annotates.
        wanted: an item's id, of a link or of the last visit.

    Returns:
        The item, leased to the annotator; None when nothing is left to do.
    """
    if wanted is not None:
        mine = store.items(project.id, annotator=annotator, task=task, item_id=wanted)
        if mine and store.claim(wanted, annotator, annotator):
            return mine[0]
    found = store.next_item(project.id, task, annotator, annotator)
    if found is not None:
        return found
    skipped = (item for item in store.items(project.id, annotator=annotator, task=task) if item.status == "skipped")
    return next((item for item in skipped if store.claim(item.id, annotator, annotator)), None)


def receive(store: Store, project: Project, annotator: str, event: Mapping[str, Any]) -> int | None:
    """Store what an editor sent and return the id of the item to show now, None when all are done.

    Args:
        store: where everything is kept.
        project: the project.
        annotator: who annotates.
        event: what ``runtime.js`` sends.

    Raises:
        StoreError: when it cannot be stored; the editor keeps it and sends it again.
        FewshotError: when the item is not this annotator's, or the annotation is not one of its example.
    """
    item = _own(store, int(event["item"]), annotator)
    done = item.status == "done"
    if event["seq"]:
        annotation = event["annotation"]
        annotated = content.annotated(item.task, _example(store, project, item), annotation)
        task = tasks.get(item.task, project.labels[item.task])
        wrong = [problem for problem in validate.problems(task, annotated) if problem.level == "error"]
        done = bool(event["done"]) and not wrong
        shown = None if item.blind else store.suggestion(item.example_id, item.task)
        store.save(
            item.id, annotator, str(event["client"]), int(event["seq"]), annotation, done=done,
            seconds=float(event["seconds"]), edits=int(event["edits"]), suggestion_id=shown.id if shown else None,
        )  # fmt: skip
        if event["done"] and not done:
            raise FewshotError(f"{wrong[0].message} (saved, but not as done)")
    go = event.get("go")
    if go is None:
        return item.id
    if go == "skip" and not done:
        store.skip(item.id, annotator)
    store.release(item.id, annotator)
    return _neighbour(store, project, item, annotator, go, done)


def desk(store: Store, project: Project, item: Item) -> Desk:
    """Return what the annotator of an item has in front of them."""
    newest = store.latest(item.id)
    example = _example(store, project, item)
    annotation = newest.annotation if newest else None
    if annotation is not None and "words" not in annotation and isinstance(example, Sentence):
        annotation = _carried(_original(store, project, item), item.task, annotation, example)
    suggested = None if item.blind else store.suggestion(item.example_id, item.task)
    return Desk(
        item=item,
        example=example,
        annotation=annotation,
        suggestion=suggested.data if suggested and _fits(suggested.data, example) else None,
        revision=newest,
        acks=store.acks(item.id),
        mine=store.items(project.id, annotator=item.annotator, task=item.task),
    )


def direction(text: str) -> str:
    """Return ``rtl`` where the first letter with a direction is of a script written from right to left."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL", "L"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"


def _own(store: Store, item_id: int, annotator: str) -> Item:
    item = store.item(item_id)
    if item.annotator != annotator:
        raise FewshotError(f"this item is assigned to {item.annotator or 'nobody'}; open the next one")
    return item


def _example(store: Store, project: Project, item: Item) -> Any:
    """Return the example with the labels, and the words, that the annotator gave it in other tasks, and no others."""
    example = _original(store, project, item)
    mine = store.items(project.id, annotator=item.annotator, example_id=item.example_id)
    others = [one for one in mine if one.task != item.task]
    newest = ((one.task, store.latest(one.id)) for one in others)
    for task, revision in sorted(((task, one) for task, one in newest if one), key=lambda pair: pair[1].id):
        annotation = dict(revision.annotation)
        if isinstance(example, Sentence) and "words" not in annotation:
            annotation = _carried(_original(store, project, item), task, annotation, example)
        example = content.annotated(task, example, annotation)
    return example


def _original(store: Store, project: Project, item: Item) -> Any:
    return _unannotated(store, project.id, item.example_id)


@lru_cache(maxsize=2000)
def _unannotated(store: Store, project_id: int, example_id: int) -> Any:
    """Return an example as it was imported, which never changes."""
    return content.from_json(next(store.examples(project_id, ids=[example_id])).content).unannotated()


def _carried(original: Sentence, task: str, annotation: dict[str, Any], example: Sentence) -> dict[str, Any]:
    """Return an annotation that was made before the words were repaired in another task, on the new words."""
    columns = [value for value in annotation.values() if isinstance(value, list)]
    if all(len(column) == len(example.words) for column in columns):
        return annotation
    old = content.annotated(task, original, annotation)
    return content.annotation_of(task, tokens.retokenized(old, example.words, tokens.ranges_of(example)))


def _fits(suggestion: Mapping[str, Any], example: Any) -> bool:
    """Return whether a suggestion is about the words that are shown."""
    if not isinstance(example, Sentence):
        return True
    columns = [value for value in suggestion["annotation"].values() if isinstance(value, list)]
    return all(len(column) == len(example.words) for column in columns)


def _neighbour(store: Store, project: Project, item: Item, annotator: str, go: str, done: bool) -> int | None:
    """Return the item to show after this one: the one before or behind, or of what is not done yet the next."""
    mine = store.items(project.id, annotator=annotator, task=item.task)
    here = [other.id for other in mine].index(item.id)
    if go == "back":
        return mine[max(here - 1, 0)].id
    behind = mine[here + 1 :]
    if go == "next" and not done and behind:
        return behind[0].id
    open_ = next((other for other in behind if other.status == "open"), None)
    if open_ is not None:
        return open_.id
    found = start(store, project, item.task, annotator)
    return found.id if found else None
