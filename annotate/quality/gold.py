"""What counts as gold: one annotation an example, out of all that were made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.editing import content
from annotate.store import REVIEW, Item, Project, Revision, Store, is_joined


@dataclass(frozen=True, slots=True)
class Version:
    """One person's finished annotation of an example."""

    item: Item
    revision: Revision


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold annotation of a task's examples.

    Args:
        annotations: by example id.
        open: ids of the examples on which two people disagree and nobody has decided.
    """

    annotations: Mapping[int, Mapping[str, Any]]
    open: tuple[int, ...]


def versions(store: Store, project: Project, task: str, own: bool = False) -> dict[int, list[Version]]:
    """Return the finished annotations of each example in the order of their items, without curators' decisions.

    Args:
        own: as the annotators left them, to measure these: without what curators have changed in many places since.
    """
    return _finished(store, project, task, reviews=False, own=own)


def decisions(store: Store, project: Project, task: str) -> dict[int, Mapping[str, Any]]:
    """Return what curators decided, by example id."""
    decided = _finished(store, project, task, reviews=True)
    return {example: reviews[-1].revision.annotation for example, reviews in decided.items()}


def gold(store: Store, project: Project, task: str) -> Gold:
    """Return the gold annotations of a task.

    A curator's decision counts; else what one person did, or what all agree on.
    """
    decided = decisions(store, project, task)
    annotations: dict[int, Mapping[str, Any]] = {}
    undecided: list[int] = []
    for example, finished in versions(store, project, task).items():
        first = finished[0].revision.annotation
        if example in decided:
            annotations[example] = decided[example]
        elif all(version.revision.annotation == first for version in finished):
            annotations[example] = first
        else:
            undecided.append(example)
    return Gold(annotations, tuple(undecided))


def examples(
    store: Store, project: Project, by_task: Mapping[str, Gold], split: str | None = None, everything: bool = False
) -> list[Any]:
    """Return examples with all gold annotation that any task has; what else the file had of them stays.

    Where people disagree and nobody has decided, nothing is annotated: what the file had is not what they chose.
    A sentence that goes on in the next one has the words of both, and the next one is none of its own.

    Args:
        by_task: gold of each task.
        split: ``pool`` or ``test``; None: both.
        everything: also those without gold annotation, as the file had them.
    """
    wanted = sorted({example for kept in by_task.values() for example in kept.annotations})
    known = {task: kept.annotations.keys() | set(kept.open) for task, kept in by_task.items()}
    annotated: list[Any] = []
    inside = 0  # of what follows, how many the sentence before goes on in
    for row in store.examples(project.id, split=split, ids=None if everything else wanted):
        if inside and is_joined(row.split):
            inside -= 1
            continue
        made = [(task, kept.annotations.get(row.id, {})) for task, kept in by_task.items() if row.id in known[task]]
        annotated.append(content.combined(content.from_json(row.content), made))
        inside = getattr(annotated[-1], "joined", 0)
    return annotated


def _finished(store: Store, project: Project, task: str, reviews: bool, own: bool = False) -> dict[int, list[Version]]:
    newest = store.latest_of(project.id, task, own)
    finished: dict[int, list[Version]] = defaultdict(list)
    for item in store.items(project.id, task=task):
        if item.status == "done" and item.id in newest and (item.purpose == REVIEW) == reviews:
            finished[item.example_id].append(Version(item, newest[item.id]))
    return dict(finished)
