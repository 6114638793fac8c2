"""The plan of an experiment and the cells of its grid."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from typing import Any

import torch

import samplers
from fewshot import tasks
from fewshot.corpora.load import Corpus
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.options import Request
from fewshot.tasks import Task
from fewshot.training import presets

MAX_REPEATS = 1_000
"""Most draws of a sampler, and trainings on each draw; with more, the list of cells would not end."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One training and its score; zero-shot trains nothing.

    Args:
        rounds: numbers of shots drawn in each round, see `Plan`; empty: all shots are drawn at once.
    """

    sampler: str
    k: int
    shot_set: int
    seed: int
    rounds: tuple[int, ...] = ()

    def __str__(self) -> str:
        if not self.k:
            return "zero-shot"
        return f"{self.sampler} k={self.k} set {self.shot_set} seed {self.seed}"

    @classmethod
    def from_result(cls, result: Result) -> Cell:
        """Return the cell of a result."""
        return cls(result.sampler, result.k, result.shot_set, result.seed, result.rounds)


ALL = "all"
"""Name that selects every sampler."""

ZERO_SHOT = Cell("", 0, 0, 0)
"""The cell of the unadapted source model; nothing in it is random."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings that define a grid.

    Args:
        ks: numbers of shots, ascending; 0 is always run.
        shot_sets: number of draws of each sampler.
        seeds: number of trainings on each draw.
        changes: changes to the preset of the method, see `fewshot.training.presets.adaptation`.
        rounds: whether active samplers draw in rounds: the source model scores the pool for the smallest k, the model
            of training seed 0 on the shots so far for each larger k. All seeds train on the same shots. Other samplers
            ignore this setting.
    """

    task: str
    lang: str
    ks: tuple[int, ...]
    samplers: tuple[str, ...]
    shot_sets: int
    seeds: int
    method: str = "full"
    changes: Mapping[str, Any] = field(default_factory=dict)
    rounds: bool = False

    def __post_init__(self) -> None:
        if any(k < 0 for k in self.ks):
            raise FewshotError(f"k is {min(self.ks)}; ask for 0 or more examples")
        if not self.samplers:
            raise FewshotError("no sampler is named; name one, such as random")
        presets.check(self.method, self.changes)
        presets.check_task(tasks.get(self.task), self.method, self.changes)
        for name in ("shot_sets", "seeds"):
            number = getattr(self, name)
            if not hasattr(number, "__index__"):
                raise FewshotError(f"{name.replace('_', ' ')} is {number!r}; it must be a whole number")
            if not 1 <= number <= MAX_REPEATS:
                wanted = "at least 1" if number < 1 else f"at most {MAX_REPEATS:,}"
                raise FewshotError(f"{name.replace('_', ' ')} is {number}; it must be {wanted}")

    def cells(self) -> list[Cell]:
        """Return the cells in the order of execution: zero-shot, then by k, so that all curves grow together."""
        return [ZERO_SHOT] + [
            Cell(sampler, k, shot_set, seed, self._sizes(sampler, k))
            for k in sorted(set(self.ks) - {0})
            for shot_set in range(self.shot_sets)
            for seed in range(self.seeds)
            for sampler in self.samplers
        ]

    def next_round_size(self, cell: Cell) -> int:
        """Return the number of shots that the model of a cell chooses for the next round, or 0."""
        later = [k for k in self.ks if k > cell.k]
        return min(later) - cell.k if cell.rounds and cell.seed == 0 and later else 0

    def _sizes(self, sampler: str, k: int) -> tuple[int, ...]:
        if not (self.rounds and samplers.needs([sampler])):
            return ()
        return tuple(b - a for a, b in pairwise(sorted({0, *(size for size in self.ks if size <= k)})))


def make_plan(request: Request, device: torch.device) -> Plan:
    """Return the plan of a request, with the defaults of its task and device.

    Args:
        device: device of the trainings; the default is 2 seeds on a CPU, 3 elsewhere.

    Raises:
        FewshotError: for an invalid option.
    """
    if not re.fullmatch(r"[\w-]+", request.lang):  # it is a part of paths
        raise FewshotError(f"{request.lang!r} is not a language code; write one such as wo for Wolof")
    task = tasks.get(request.task)
    changes = {own.name: getattr(request, own.name) for own in fields(request) if own.metadata["in_recipe"]}
    return Plan(
        task=task.name,
        lang=request.lang,
        ks=parse_ks(request.k),
        samplers=expand_samplers(parse_list(task.sampler if request.sampler is None else request.sampler), task),
        shot_sets=3 if request.shot_sets is None else request.shot_sets,
        seeds=(2 if device.type == "cpu" else 3) if request.seeds is None else request.seeds,
        method=request.method,
        changes={name: value for name, value in changes.items() if value is not None},
        rounds=request.rounds,
    )


def check_plan(plan: Plan, corpus: Corpus) -> Task[Any]:
    """Check a plan before anything slow is loaded.

    Returns:
        The task, with the labels of the data if its label set is open.

    Raises:
        FewshotError: for an unknown task, missing or invalid gold annotation.
        SamplerError: for an unknown sampler, or a k above the size of the pool.
    """
    task = tasks.get(plan.task).fitted([*corpus.pool, *corpus.test])
    tasks.check_corpus(task, corpus.test)
    tasks.check_corpus(task, corpus.pool)
    for sampler in plan.samplers:
        samplers.check(sampler, corpus.pool, max((*plan.ks, 0)))
    return task


def run_id(identity: dict[str, Any], cell: Cell) -> str:
    """Return the id of a cell's result: equal exactly when everything that decides the score is equal.

    Args:
        identity: recipe and fingerprints of source model, data and source data, see `Trainer.identity`.
    """
    return digest({**identity, **asdict(cell)})


def digest(value: Any) -> str:
    """Return a short hash of a JSON-serializable value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def parse_ks(text: str) -> tuple[int, ...]:
    """Parse ``10`` or ``10,50,100`` into ascending numbers.

    Raises:
        FewshotError: for an empty list, or a part that is not a whole number of 0 or more.
    """
    values = parse_numbers("--k", text, "number of examples", "10,50,100")
    if not values:
        raise FewshotError(f"--k {text!r}: not a number of examples; write e.g. 10,50,100")
    return tuple(sorted(set(values)))


def expand_samplers(names: Sequence[str], task: Task[Any]) -> tuple[str, ...]:
    """Replace ``all`` by the names of all samplers that a task can use; drop repetitions."""
    every = [name for name in samplers.registry() if task.nominal or "confused_pairs" not in samplers.needs([name])]
    return tuple(dict.fromkeys(sampler for name in names for sampler in (every if name == ALL else [name])))


def parse_list(text: str) -> Sequence[str]:
    """Split a comma-separated option and drop repetitions."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def parse_numbers(option: str, text: str, what: str, example: str) -> list[int]:
    """Parse a comma-separated option into whole numbers of 0 or more.

    Args:
        what: what a number stands for, such as ``number of layers``.

    Raises:
        FewshotError: for a part that is not such a number.
    """
    values = parse_list(text)
    if bad := [value for value in values if not value.isdecimal()]:
        raise FewshotError(f"{option} {text!r}: {bad[0]!r} is not a {what}; write e.g. {example}")
    return [int(value) for value in values]
