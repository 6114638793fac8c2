"""Export the annotations of a project: gold, or one annotator's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.quality import gold
from annotate.store import JOINED, REVIEW, SHOTS, TEST, Project, Revision, Store
from fewshot.corpora.formats.registry import FORMATS
from fewshot.corpora.tokenization.sentences import separated

PARTS = ("annotated", "all", "shots", "test")
"""Parts of an export: annotated examples, the whole files, annotated shots, annotated test examples."""

SPLITS = {"shots": "pool", "test": "test"}


@dataclass(frozen=True, slots=True)
class Export:
    """The examples of an export.

    Args:
        disputed: number of examples that are left out because two people differ; counted for each task.
        begun: number of examples that are begun and not finished; counted for each task.
    """

    examples: Sequence[Any]
    disputed: int
    begun: int

    def held_by(self, format: str) -> Sequence[Any]:
        """Return the examples for a format: split sentences are separate if the format allows."""
        return self.examples if format in FORMATS and FORMATS[format].units else separated(self.examples)


def annotators(store: Store, project: Project, as_it_is: bool = False) -> list[str]:
    """Return the people who have finished examples of a project; for an export as it is, who have items."""
    rows = (row for row in store.progress(project.id) if (row.done or as_it_is) and row.purpose != REVIEW)
    return sorted({row.annotator for row in rows if row.annotator})


def export_annotations(
    store: Store, project: Project, names: Sequence[str], annotator: str | None, part: str, as_it_is: bool = False
) -> Export:
    """Return examples of a project with the annotation of people; everything else of the file stays.

    Args:
        annotator: exports only this annotator's annotation; None: gold, see `annotate.quality.gold`.
        part: one of `PARTS`.
        as_it_is: exports begun annotation too; its examples are marked (`fewshot.corpora.types.BEGUN`).
    """
    by_task = {task: gold.gold(store, project, task, annotator) for task in names}
    begun = {task: _begun(store, project, task, annotator, part, kept) for task, kept in by_task.items()}
    disputed, count = sum(len(kept.open) for kept in by_task.values()), sum(map(len, begun.values()))
    if as_it_is:
        by_task = {task: _with_begun(kept, begun[task]) for task, kept in by_task.items()}
    return Export(gold.examples(store, project, by_task, SPLITS.get(part), part == "all"), disputed, count)


def _begun(
    store: Store, project: Project, task: str, annotator: str | None, part: str, finished: gold.Gold
) -> dict[int, Revision]:
    """Return the newest revision of each example that was begun and not finished."""
    saved = store.newest_revisions(project.id, task)
    purposes = {"shots": (SHOTS,), "test": (TEST,)}.get(part, (SHOTS, TEST))
    items = [item for item in store.items(project.id, task=task, annotator=annotator) if item.purpose in purposes]
    kept = {*finished.annotations, *finished.open}
    begun = [item for item in items if item.id in saved and item.status != JOINED and item.example_id not in kept]
    return {item.example_id: saved[item.id] for item in sorted(begun, key=lambda item: saved[item.id].id)}


def _with_begun(finished: gold.Gold, begun: Mapping[int, Revision]) -> gold.Gold:
    more = gold.Gold.of(begun)
    annotations, revisions = {**more.annotations, **finished.annotations}, {**more.revisions, **finished.revisions}
    return gold.Gold(annotations, finished.open, revisions, frozenset(begun))
