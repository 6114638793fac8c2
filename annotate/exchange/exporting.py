"""Export: the annotations of a project, gold or one annotator's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.quality import gold
from annotate.store import JOINED, SHOTS, TEST, Project, Revision, Store
from fewshot.corpora.formats.registry import FORMATS
from fewshot.corpora.tokenization.repair import separated

BEGUN = "begun"

PARTS = ("annotated", "all", "shots", "test", BEGUN)
"""What may be exported: what is annotated; all that came, as it came where nobody annotated it; of what is annotated
the shots, or the test set; what somebody has begun and not finished, as far as it is annotated."""

SPLITS = {"shots": "pool", "test": "test"}


@dataclass(frozen=True, slots=True)
class Export:
    """What an export holds.

    Args:
        disputed: how many are left out since nobody has decided between two people, counted for each task.
        begun: how many somebody has begun and not finished, likewise: what was done there is left out too.
    """

    examples: Sequence[Any]
    disputed: int
    begun: int

    def held_by(self, format: str) -> Sequence[Any]:
        """Return the examples as a format has them: of one in which people see several sentences, mostly each."""
        return self.examples if format in FORMATS and FORMATS[format].units else separated(self.examples)


def annotators(store: Store, project: Project, part: str = PARTS[0]) -> list[str]:
    """Return everybody who has finished something in a project; of `BEGUN`, who has items there."""
    rows = (row for row in store.progress(project.id) if row.done or part == BEGUN)
    return sorted({row.annotator for row in rows if row.annotator})


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
    begun = {task: _begun(store, project, task, annotator, part, kept) for task, kept in by_task.items()}
    if part == BEGUN:
        return Export(gold.examples(store, project, _with_begun(by_task, begun)), 0, 0)
    return Export(
        gold.examples(store, project, by_task, SPLITS.get(part), part == "all"),
        sum(len(kept.open) for kept in by_task.values()),
        sum(map(len, begun.values())),
    )


def _begun(
    store: Store, project: Project, task: str, annotator: str | None, part: str, finished: gold.Gold
) -> dict[int, Revision]:
    """Return the newest revision of each example that somebody has begun, or one annotator, and nobody finished."""
    saved = store.newest_revisions(project.id, task)
    purposes = {"shots": (SHOTS,), "test": (TEST,)}.get(part, (SHOTS, TEST))
    items = [item for item in store.items(project.id, task=task, annotator=annotator) if item.purpose in purposes]
    kept = {*finished.annotations, *finished.open}
    found = [item for item in items if item.id in saved and item.status != JOINED and item.example_id not in kept]
    return {item.example_id: saved[item.id] for item in sorted(found, key=lambda item: saved[item.id].id)}


def _with_begun(by_task: Mapping[str, gold.Gold], begun: Mapping[str, Mapping[int, Revision]]) -> dict[str, gold.Gold]:
    """Return what there is of the examples that are begun in any task: as far as they are, and what is finished."""
    wanted = {example for revisions in begun.values() for example in revisions}
    found = {}
    for task, kept in by_task.items():
        finished = wanted & kept.annotations.keys()
        annotations = {example: revision.annotation for example, revision in begun[task].items()}
        revisions = {example: revision.id for example, revision in begun[task].items()}
        found[task] = gold.Gold(
            annotations | {example: kept.annotations[example] for example in finished},
            (),
            revisions | {example: kept.revisions[example] for example in finished},
        )
    return found
