"""Export: the annotations of a project, gold or one annotator's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.quality import gold
from annotate.store import JOINED, SHOTS, TEST, Project, Store
from fewshot.corpora.formats.registry import FORMATS
from fewshot.corpora.tokenization.repair import separated

PARTS = ("annotated", "all", "shots", "test")
"""What may be exported: what is annotated; all that came, as it came where nobody annotated it; of what is annotated
the shots, or the test set."""

SPLITS = {"shots": "pool", "test": "test"}


@dataclass(frozen=True, slots=True)
class Export:
    """What an export holds.

    Args:
        disputed: how many are left out since nobody has decided between two people, counted for each task.
        begun: how many others somebody has begun and not finished, likewise: what was done there is left out too.
    """

    examples: Sequence[Any]
    disputed: int
    begun: int

    def held_by(self, format: str) -> Sequence[Any]:
        """Return the examples as a format has them: of one in which people see several sentences, mostly each."""
        return self.examples if format in FORMATS and FORMATS[format].units else separated(self.examples)


def annotators(store: Store, project: Project) -> list[str]:
    """Return everybody who has finished something in a project."""
    return sorted({row.annotator for row in store.progress(project.id) if row.annotator and row.done})


def export_annotations(
    store: Store, project: Project, names: Sequence[str], annotator: str | None, part: str
) -> Export:
    """Return examples of a project with what people annotated; what else the file had of them stays.

    Args:
        annotator: whose annotation; None: gold, see `annotate.quality.gold`.
        part: one of `PARTS`.
    """
    by_task = {}
    for task in names:
        if annotator is None:
            by_task[task] = gold.gold(store, project, task)
        else:
            finished = gold.versions(store, project, task)
            mine = {
                example: version.revision
                for example, versions in finished.items()
                for version in versions
                if version.item.annotator == annotator
            }
            annotations = {example: revision.annotation for example, revision in mine.items()}
            by_task[task] = gold.Gold(annotations, (), {example: revision.id for example, revision in mine.items()})
    return Export(
        gold.examples(store, project, by_task, SPLITS.get(part), part == "all"),
        sum(len(kept.open) for kept in by_task.values()),
        sum(
            _begun(store, project, task, annotator, part, {*kept.annotations, *kept.open})
            for task, kept in by_task.items()
        ),
    )


def _begun(store: Store, project: Project, task: str, annotator: str | None, part: str, known: Collection[int]) -> int:
    """Return how many examples somebody has begun, or one annotator, that are not among the known ones."""
    saved = store.latest_of(project.id, task)
    purposes = {"shots": (SHOTS,), "test": (TEST,)}.get(part, (SHOTS, TEST))
    items = [item for item in store.items(project.id, task=task, annotator=annotator) if item.purpose in purposes]
    return len({item.example_id for item in items if item.id in saved and item.status != JOINED}.difference(known))
