"""The simulated curve of a project: what its sampler reaches where the gold labels of its pool stand in for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from annotate.editing import content, uploaded
from annotate.rounds import curve
from annotate.rounds.training_data import TrainingData
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.costs.prices import Rates
from fewshot.curves.points import Curve, curves

NAME = "simulated with gold labels"
"""Of the curve."""

AHEAD = 2
"""Rounds that it goes beyond those of the project."""


def pool(store: Store, project: Project, task: str, test: Sequence[Any]) -> Iterator[Any]:
    """Yield the examples of the pool whose labels came with the data, with these.

    Args:
        test: the test set, of which people may have made several sentences of one: what is among it is not drawn.
    """
    kind = tasks.get(task, project.labels[task])
    tested = {example.key for example in test}
    for row in store.examples(project.id, split="pool"):
        example = content.from_json(row.content)
        if example.key not in tested and uploaded.is_valid(kind, example):
            yield example


def possible(store: Store, project: Project, task: str, data: TrainingData) -> bool:
    """Return whether the pool came with gold labels, by the first of the shots: a whole pool would be long to read."""
    if not project.hides_gold:
        return False
    kind = tasks.get(task, project.labels[task])
    first = store.examples(project.id, ids=data.ids[:1])
    return any(uploaded.is_annotated(kind, content.from_json(row.content)) for row in first)


def ks(project: Project, data: TrainingData, size: int) -> list[int]:
    """Return the numbers of shots: those of the rounds, and of the next ones."""
    last = max(data.ks, default=0)
    return [k for k in (*data.ks, *(last + project.k * step for step in range(1, AHEAD + 1))) if k <= size]


def simulated_curve(store: Store, project: Project, task: str, data: TrainingData, rates: Rates) -> Curve | None:
    """Return the curve, scored on the test set as it is now; None where none was computed."""
    scored = [
        result
        for result in curve.scores(store, project, task, simulated=True)
        if result.scored_on == data.scored_on(0) and result.sampler in ("", project.sampler)
    ]
    rounds = next((result.rounds for result in reversed(scored) if result.k), ())
    made = curve.newest_of([result for result in scored if result.k == 0 or result.is_prefix_of(rounds)])
    if not any(result.k for result in made):
        return None
    return replace(curves(made, rates)[0], name=NAME, simulated=True)
