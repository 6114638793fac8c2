"""The simulated curve of a project: shots by its sampler, with gold labels in place of annotation."""

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
"""Name of the curve."""

ROUNDS_AHEAD = 2
"""Number of simulated rounds beyond those of the project."""


def pool(store: Store, project: Project, task: str, test: Sequence[Any]) -> Iterator[Any]:
    """Yield the examples of the pool with gold labels, without sentences of the test set."""
    kind = tasks.get(task, project.labels[task])
    tested = {example.key for example in test}
    for row in store.examples(project.id, split="pool"):
        example = content.from_json(row.content)
        if example.key not in tested and uploaded.is_valid(kind, example):
            yield example


def is_possible(store: Store, project: Project, task: str, data: TrainingData) -> bool:
    """Return whether the first shot has gold labels, since reading the whole pool takes long."""
    if not project.hides_gold:
        return False
    kind = tasks.get(task, project.labels[task])
    first = store.examples(project.id, ids=data.ids[:1])
    return any(uploaded.is_annotated(kind, content.from_json(row.content)) for row in first)


def ks(project: Project, data: TrainingData, size: int) -> list[int]:
    """Return the numbers of shots after each round and the next ones."""
    last = max(data.ks, default=0)
    return [k for k in (*data.ks, *(last + project.k * step for step in range(1, ROUNDS_AHEAD + 1))) if k <= size]


def simulated_curve(store: Store, project: Project, task: str, data: TrainingData, rates: Rates) -> Curve | None:
    """Return the simulated curve on the current test set, or None if there is none."""
    scored = [
        result
        for result in curve.scores(store, project, task, simulated=True)
        if result.scored_on == data.scored_on(0) and result.sampler in ("", project.sampler)
    ]
    rounds = next((result.rounds for result in reversed(scored) if result.k), ())
    results = curve.newest_results([result for result in scored if result.k == 0 or result.is_prefix_of(rounds)])
    if not any(result.k for result in results):
        return None
    return replace(curves(results, rates)[0], name=NAME, simulated=True)
