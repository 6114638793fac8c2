"""How an annotation is stored: it names its words where these are not the file's, and other tasks follow it."""

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
        item: what was annotated, by its annotator.
        known: what the annotator has made of the example so far.
        others: what they made of it in other tasks; where a curator decides, what anybody made of it there.
        original: the example before anybody annotates it, with the sentences that are joined to it.
        example: with the annotation, and what its annotator made of it in other tasks.
        annotation: what is stored.
    """

    item: Item
    known: State
    others: Sequence[tuple[Item, Revision]]
    original: Any
    example: Any
    annotation: dict[str, Any]


def unsaved(store: Store, project: Project, item: Item, annotation: Mapping[str, Any]) -> Unsaved:
    """Return what is to be stored of an annotation by the annotator of an item.

    Args:
        annotation: one that names no words is about those of the file.

    Raises:
        FewshotError: when the annotation does not fit the example, or the sentences cannot be joined.
    """
    known = state(store, project, item)
    original = joining.joinable(store, project, item, known.original, annotation.get("joined", 0))
    mine = ((other.task, revision.annotation) for other, revision in known.others)
    named = content.with_words(annotation, original)
    example = content.annotated(item.task, content.combined(original, mine), named)
    columns = content.annotation_of(item.task, example)
    kept = {name: columns[name] for name in annotation if name in columns and name not in content.BESIDE}
    for name in content.BESIDE:  # what other tasks have put there is theirs
        if any(value is not None for value in annotation.get(name, ())):
            kept[name] = annotation[name]
    others = in_other_tasks(store, project, item) if item.purpose == REVIEW else known.others
    words = repair.named(example) if isinstance(original, Sentence) else {}
    if words and (words != repair.named(original) or any("words" in made.annotation for _, made in others)):
        kept |= words
        if UPOS_COLUMN in annotation and asks_tags(project, item, original):
            kept[UPOS_COLUMN] = list(example.upos)
    return Unsaved(item, known, others, original, example, kept)


def save(
    store: Store, project: Project, made: Unsaved, client: str, seq: int, done: bool,
    seconds: float = 0.0, edits: int = 0, **more: Any,
) -> None:  # fmt: skip
    """Store an annotation, and let what its annotator made of the example in other tasks be about its words.

    What was done there and now has words without annotation is open again.

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
    """Return whether trees are made of words that all have tags in the file, for which the project has no task.

    Then parts of a word that is split have theirs in the annotation of the tree.
    """
    columns = {column for name in project.tasks for column in tasks.get(name).columns}
    if "heads" not in tasks.get(item.task).columns or UPOS_COLUMN in columns:
        return False
    return isinstance(original, Sentence) and UNANNOTATED not in original.upos


def _reopen(store: Store, project: Project, made: Unsaved) -> None:
    """Open what was done in other tasks on other words, and has a gap or an error on these."""
    for item, revision in made.others:
        before = content.annotated(item.task, made.original, dict(revision.annotation))
        if item.status != "done" or repair.named(before) == repair.named(made.example):
            continue
        carried = content.carried(made.original, item.task, revision.annotation, made.example)
        task = tasks.get(item.task, project.labels[item.task])
        if task.errors(content.annotated(item.task, made.example, carried)):
            store.reopen(item.id)
