"""The editing session of an annotator: open an item, choose the next one. `saving` stores annotations.

All state is in the store, so a reload, another window or a restarted server continues from the newest revision.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import joining, saving, suggestions
from annotate.editing.joining import Next
from annotate.editing.lexicon import MAX_SENTENCES
from annotate.editing.permitted_corrections import asks_tags, permitted_columns
from annotate.editing.running_text import RunningText, around
from annotate.editing.state import state
from annotate.editing.usual import Usual, frequent_relations, glosses, known_features, usual, usual_misc
from annotate.store import REVIEW, Item, Project, Revision, Store
from fewshot import tasks
from fewshot.corpora.types import Sentence


@dataclass(frozen=True, slots=True)
class OpenItem:
    """The state of the editor for one annotator and one item.

    Args:
        example: see `uploaded.shown`; with the words that this annotator repaired in another task.
        annotation: the newest saved annotation; without one, that of the file if the project continues it; else None.
        suggestion: annotation by a model (`annotate.worker.suggest`, `annotate.worker.ask`) with its ``id``, the name
            of the model as ``by`` and the words of a sentence. None for a blind item, for a review, and if no label
            of the suggestion is in the project.
        second: suggestion of another model, if the project shows both.
        usual: values that annotators gave to words of each tag.
        frequent: relations of the files, the most frequent first; empty if gold is hidden, and for other tasks.
        features: names of features and their values: universal ones, and those of the project.
        revision: the newest revision, or None.
        correctable: columns of a tree that the annotator sees and may correct, see
            `permitted_corrections.permitted_columns`.
        asks_tags: see `permitted_corrections.asks_tags`.
        text: the text around a sentence; None for other examples.
        following: the sentences that are joined to the example, and the next one; empty if it is no sentence.
        acks: newest stored sequence number of each client.
    """

    item: Item
    example: Any
    annotation: Mapping[str, Any] | None
    suggestion: Mapping[str, Any] | None
    second: Mapping[str, Any] | None
    usual: Usual
    features: Mapping[str, Sequence[str]]
    frequent: Sequence[str]
    revision: Revision | None
    correctable: Sequence[str]
    asks_tags: bool
    text: RunningText | None
    following: Sequence[Next]
    acks: Mapping[str, int]


def start(store: Store, project: Project, task: str, annotator: str, wanted: int | None = None) -> Item | None:
    """Return the item to begin with: the wanted item, else the first open one, else a skipped one.

    Args:
        wanted: id of an item, from a link or the last visit.

    Returns:
        The item, leased to the annotator, or None if nothing is left to do.
    """
    if wanted is not None:
        linked = store.items(project.id, annotator=annotator, task=task, item_id=wanted)
        if linked and linked[0].purpose != REVIEW and store.claim(wanted, annotator):
            return linked[0]
    if (next_item := store.next_item(project.id, task, annotator)) is not None:
        return next_item
    skipped = (item for item in items(store, project, task, annotator) if item.status == "skipped")
    return next((item for item in skipped if store.claim(item.id, annotator)), None)


def items(store: Store, project: Project, task: str, annotator: str) -> list[Item]:
    """Return the items of an annotator in order, without reviews."""
    mine = store.items(project.id, annotator=annotator, task=task)
    return [item for item in mine if item.purpose != REVIEW]


def go(store: Store, project: Project, item: Item, direction: str | int, through_tasks: bool = False) -> Item | None:
    """Return the item to show next, or None if all items are done.

    Args:
        item: of the annotator, see `saving.own_item`.
        direction: ``next``, ``back``, ``skip``, or the id of an item, see `_neighbour`; ``task before`` and
            ``task after`` go to the same example in another task of the project.
        through_tasks: whether ``next`` from a finished item, and ``skip``, lead through all tasks of the project, see
            `_next_through_tasks`.
    """
    annotator, done = item.annotator or "", item.status == "done"
    if direction == "skip" and not done:
        store.skip(item.id, annotator)
    if direction in ("task before", "task after"):
        target: Item | None = _in_neighbouring_task(store, project, item, backwards=direction == "task before")
    elif through_tasks and (direction == "skip" or (direction == "next" and done)):
        target = _next_through_tasks(store, project, item, annotator)
    else:
        target = _neighbour(store, project, item, annotator, direction, done)
    if target is None or target.id != item.id:
        store.release(item.id, annotator)
    return target


def by_task(store: Store, project: Project, item: Item) -> dict[str, Item]:
    """Return the items of an item's example that its annotator has or may take, by task, in their order."""
    same = {each.task: each for each in store.holdable_items(project.id, item.annotator or "", item.example_id)}
    return {task: same[task] for task in project.tasks if task in same}


def in_task(store: Store, project: Project, item: Item, task: str) -> Item | None:
    """Return the same person's item of the example in another task, or None.

    An item that is nobody's becomes theirs.
    """
    target = by_task(store, project, item).get(task)
    return target if target and store.claim(target.id, item.annotator or "") else None


def open_item(store: Store, project: Project, item: Item) -> OpenItem:
    """Return the state of the editor for an item."""
    known = state(store, project, item)
    original = known.original
    suggested = [] if item.blind else saving.suggestions(store, project, item, original)
    finished: tuple[int, ...] = ()
    if isinstance(original, Sentence) and item.annotator:
        finished = tuple(store.newest_finished(project.id, item.task, item.annotator, MAX_SENTENCES))
    first, second = (*suggestions.shown(store, project, item, original, suggested, finished), None, None)[:2]
    has_relations = "deprels" in tasks.get(item.task).columns and not project.hides_gold
    columns = permitted_columns(store, project, item.task)
    values = dict(usual(store, project, (*tasks.get(item.task).columns, *columns), finished))
    if isinstance(original, Sentence):
        values["misc"] = usual_misc(store, project, known.example.words, finished)
        first = first and first | {"glosses": glosses(values["misc"], original.words)}
    return OpenItem(
        item=item,
        example=known.example,
        annotation=known.annotation,
        suggestion=first,
        second=second,
        usual=values,
        features=known_features(store, project, values),
        frequent=frequent_relations(store, project) if has_relations else (),
        revision=known.newest,
        correctable=columns,
        asks_tags=asks_tags(project, item, original),
        text=around(store, project, item) if isinstance(original, Sentence) else None,
        following=joining.following(store, project, item, known.joined) if isinstance(original, Sentence) else (),
        acks=store.acks(item.id),
    )


def direction(text: str) -> str:
    """Return ``rtl`` if the first letter with a direction belongs to a right-to-left script, else ``ltr``."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL", "L"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"


def _in_neighbouring_task(store: Store, project: Project, item: Item, backwards: bool) -> Item:
    """Return the item of the same example in the task after or before, round the end, or the item itself."""
    same = list(by_task(store, project, item).values())
    place = [each.id for each in same].index(item.id)
    target = same[(place + (-1 if backwards else 1)) % len(same)]
    return target if store.claim(target.id, item.annotator or "") else item


def _next_through_tasks(store: Store, project: Project, item: Item, annotator: str) -> Item | None:
    """Return the next open item of any task, else the next skipped one, or None.

    Examples come in their order, from this one on and round the end; a finished one leads to its own other tasks first,
    one that is skipped last.
    """
    theirs = store.holdable_items(project.id, annotator)
    places: dict[int, int] = {}
    for each in theirs:
        places.setdefault(each.example_id, len(places))
    first_place = places.get(item.example_id, 0) + (item.status != "done")

    def order(each: Item) -> tuple[bool, int, int]:
        place = places[each.example_id]
        return place < first_place, place, project.tasks.index(each.task)

    for status in ("open", "skipped"):
        for each in sorted((each for each in theirs if each.status == status), key=order):
            if store.claim(each.id, annotator):
                return each
    return None


def _neighbour(store: Store, project: Project, item: Item, annotator: str, go: str | int, done: bool) -> Item | None:
    """Return the item to show after this one.

    Args:
        go: ``back`` goes to the item before; ``next`` to the item after, or to the next open one if this item is
            ``done``; ``skip`` to the next open item, or else, round the end, to the next skipped one; the id of an
            own item goes there.
    """
    mine = items(store, project, item.task, annotator)
    position = [each.id for each in mine].index(item.id)
    if isinstance(go, int):
        return next((each for each in mine if each.id == go), item)
    if go == "back":
        return mine[max(position - 1, 0)]
    after = mine[position + 1 :]
    if go == "next" and not done and after:
        return after[0]
    next_open = next((each for each in after if each.status == "open"), None)
    next_open = next_open or store.next_item(project.id, item.task, annotator)
    if next_open is not None:
        return next_open
    return next((each for each in (*after, *mine[: position + 1]) if each.status == "skipped"), None)
