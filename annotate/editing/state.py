"""The annotation of an example by one person so far, in one task and in all tasks.

Repaired words, ends of sentences and joined sentences hold for all tasks of a person; the newest revision that names
them counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from annotate.editing import content, uploaded
from annotate.store import REVIEW, Item, Project, Revision, Store
from fewshot.errors import FewshotError

WORDS = ("words", "ranges", "ends", "joined")
"""Keys of an annotation on repaired words, see `fewshot.corpora.tokenization.repair.named`."""


@dataclass(frozen=True, slots=True)
class State:
    """The annotation of an item's example by its annotator.

    Args:
        original: the example before any annotation, see `uploaded.shown`.
        example: with the annotator's annotation of other tasks, on the words that they repaired there.
        begun: the newest saved annotation; without one, that of the file if the project continues it; else None.
        annotation: ``begun`` on the words of ``example``.
        newest: the newest revision, or None.
        others: items and revisions of the annotator's other tasks, oldest first.
    """

    original: Any
    example: Any
    begun: Mapping[str, Any] | None
    annotation: Mapping[str, Any] | None
    newest: Revision | None
    others: Sequence[tuple[Item, Revision]]

    @property
    def joined(self) -> int:
        """Number of sentences that are joined to the example, in any task."""
        return _joined(self.newest, self.others)

    @property
    def newer(self) -> Sequence[tuple[Item, Revision]]:
        """The revisions of other tasks after the newest one of the item; all, where the item was never saved."""
        return _newer(self.newest, self.others)


def state(store: Store, project: Project, item: Item) -> State:
    """Return the annotation of an item's example by its annotator.

    Raises:
        FewshotError: when the item belongs to another project.
    """
    newest = store.latest(item.id)
    is_review = item.purpose == REVIEW  # starts from the versions of annotators
    others = [] if is_review else in_other_tasks(store, project, item)
    from_file = example_of(store, project, item, _joined(newest, others))
    original = uploaded.shown(project, from_file)
    example = content.combined(original, [(each.task, revision.annotation) for each, revision in others])
    begun = newest.annotation if newest else None if is_review else uploaded.annotation(project, item.task, from_file)
    newer = [(each.task, revision.annotation) for each, revision in _newer(newest, others)]
    annotation = None if begun is None else dict(begun)
    if begun is not None and ("words" not in begun or any("words" in each for _, each in newer)):
        annotation = content.carried(original, item.task, begun, example)
    if annotation and newer:
        on_words = content.annotated(item.task, example, annotation)
        annotation = content.with_newer_values(original, annotation, newer, on_words)
    return State(original, example, begun, annotation, newest, others)


def example_of(store: Store, project: Project, item: Item, joined: int = 0) -> Any:
    """Return the example of an item as it was imported.

    Args:
        joined: minimum number of following sentences that are joined to it.

    Raises:
        FewshotError: when the item belongs to another project.
    """
    example = imported(store, project.id, project.created, item.example_id, joined)
    if example is None:
        raise FewshotError(f"item {item.id} is not of project {project.name}; open it there")
    return example


def in_other_tasks(store: Store, project: Project, item: Item) -> list[tuple[Item, Revision]]:
    """Return items and revisions of the example in other tasks, oldest first; for a review, everybody's."""
    if len(project.tasks) == 1:
        return []
    saved = store.saved_items([item.example_id]).get(item.example_id, [])
    others = [(each, revision) for each, revision in saved if revision and each.task != item.task]
    if item.purpose != REVIEW:
        others = [pair for pair in others if pair[0].annotator == item.annotator and pair[0].purpose != REVIEW]
    return sorted(others, key=lambda pair: pair[1].id)


@lru_cache(maxsize=2000)
def imported(store: Store, project_id: int, created: datetime, example_id: int, joined: int = 0) -> Any:
    """Return an example as it was imported, or None if the project does not have it.

    The result is cached: an example changes only when sentences are joined to it, and ``joined`` is part of the key.

    Args:
        created: creation time of the project, which distinguishes it from a deleted project with the same id.
        joined: minimum number of following sentences that are joined to it.
    """
    row = next(store.examples(project_id, ids=[example_id]), None)
    return None if row is None else content.from_json(row.content)


def _newer(newest: Revision | None, others: Sequence[tuple[Item, Revision]]) -> list[tuple[Item, Revision]]:
    return [(item, revision) for item, revision in others if not newest or revision.id > newest.id]


def _joined(newest: Revision | None, others: Sequence[tuple[Item, Revision]]) -> int:
    revisions = [revision for _, revision in others] + ([newest] if newest else [])
    return max((revision.annotation.get("joined", 0) for revision in revisions), default=0)
