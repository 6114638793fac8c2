"""Store an annotation, with its words if they differ from the file's, and let other tasks follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import content, joining
from annotate.editing.state import State, in_other_tasks, state
from annotate.store import REVIEW, Item, Project, Revision, Store
from fewshot import tasks
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks.pos import UPOS_COLUMN


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


def unsaved(store: Store, project: Project, item: Item, annotation: Mapping[str, Any]) -> Unsaved:
    """Return what to store of an annotation by the annotator of an item.

    Args:
        annotation: without the key ``words``, it is about the words of the file.

    Raises:
        FewshotError: when the annotation does not fit the example, or the sentences cannot be joined.
    """
    known = state(store, project, item)
    original = joining.joinable(store, project, item, known.original, annotation.get("joined", 0))
    mine = ((each.task, revision.annotation) for each, revision in known.others)
    named = content.with_words(annotation, original)
    example = content.annotated(item.task, content.combined(original, mine), named)
    columns = content.annotation_of(item.task, example)
    kept = {name: columns[name] for name in annotation if name in columns and name not in content.BESIDE}
    for name in content.BESIDE:  # empty values leave those of other tasks
        if any(value is not None for value in annotation.get(name, ())):
            kept[name] = annotation[name]
    others = in_other_tasks(store, project, item) if item.purpose == REVIEW else known.others
    words = repair.named(example) if isinstance(original, Sentence) else {}
    if words and (words != repair.named(original) or any("words" in revision.annotation for _, revision in others)):
        kept |= words
        if UPOS_COLUMN in annotation and asks_tags(project, item, original):
            kept[UPOS_COLUMN] = list(example.upos)
    return Unsaved(item, known, others, original, example, kept)


def save(
    store: Store, project: Project, made: Unsaved, client: str, seq: int, done: bool,
    seconds: float = 0.0, edits: int = 0, **more: Any,
) -> None:  # fmt: skip
    """Store an annotation, and carry the annotator's other tasks over to its words.

    Items of other tasks that lack annotation for some of the new words are opened again.

    Args:
        more: see `Store.save`.
    """
    item, joined = made.item, getattr(made.example, "joined", 0)
    rejoined = joined != made.known.joined
    more |= {"done": done, "seconds": seconds, "edits": edits, "joined": joined if rejoined else None}
    store.save(item.id, item.annotator or "", client, seq, made.annotation, **more)
    if rejoined:
        joining.follow(store, project, item, made.example)
    if "words" in made.annotation and (item.purpose == REVIEW or not rejoined):
        _reopen(store, project, made)


def asks_tags(project: Project, item: Item, original: Any) -> bool:
    """Return whether the annotation of a tree includes UPOS tags of words that were split.

    True if the project annotates trees but no tags, and the file has a tag for every word.
    """
    columns = {column for name in project.tasks for column in tasks.get(name).columns}
    if "heads" not in tasks.get(item.task).columns or UPOS_COLUMN in columns:
        return False
    return isinstance(original, Sentence) and UNANNOTATED not in original.upos


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
