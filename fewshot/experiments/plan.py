"""The grid of cells that a command asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import samplers
from fewshot import tasks
from fewshot.corpora.load import Corpus
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.tasks import Task
from fewshot.training import presets


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the grid: one training and its score, or zero-shot, which trains nothing.

    Args:
        sampler: name of the sampler; empty for the zero-shot run.
        k: number of shots.
        shot_set: which draw of the sampler.
        seed: of the training.
        rounds: sizes of the rounds that the shots come in, see `Plan`; none where they are drawn at once.
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
    def of(cls, result: Result) -> Cell:
        """Return the cell of a result."""
        return cls(result.sampler, result.k, result.shot_set, result.seed, result.rounds)


ALL = "all"
"""What users type for every sampler."""

ZERO_SHOT = Cell("", 0, 0, 0)
"""The source model as it is: one run, for there is nothing random in it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run.

    Args:
        task: name of the task.
        lang: target language.
        ks: numbers of shots, rising; 0 is always run.
        samplers: names of the samplers to compare.
        shot_sets: draws of each sampler.
        seeds: trainings on each draw.
        method: how the source model is adapted, see `Recipe`.
        changes: what differs from the preset of the method, see `fewshot.training.presets.adaptation`.
        rounds: whether active samplers draw in rounds: up to the first k what the source model asks for, up to each
            further one what the model of training seed 0 on the shots so far asks for. So all seeds train on the same
            shots. Other samplers ask no model, and draw the same either way.
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
            if getattr(self, name) < 1:
                raise FewshotError(f"{name.replace('_', ' ')} is {getattr(self, name)}; it must be at least 1")

    def cells(self) -> list[Cell]:
        """Return the runs in the order they are done: zero-shot, then rising k, so that a curve grows evenly."""
        return [ZERO_SHOT] + [
            Cell(sampler, k, shot_set, seed, self._sizes(sampler, k))
            for k in sorted(set(self.ks) - {0})
            for shot_set in range(self.shot_sets)
            for seed in range(self.seeds)
            for sampler in self.samplers
        ]

    def chosen_by(self, cell: Cell) -> int:
        """Return how many shots the model of a cell chooses, those of the next round; 0 where it chooses none."""
        later = [k for k in self.ks if k > cell.k]
        return min(later) - cell.k if cell.rounds and cell.seed == 0 and later else 0

    def _sizes(self, sampler: str, k: int) -> tuple[int, ...]:
        if not (self.rounds and samplers.needs([sampler])):
            return ()
        return tuple(b - a for a, b in pairwise(sorted({0, *(one for one in self.ks if one <= k)})))


def check_plan(plan: Plan, corpus: Corpus) -> Task[Any]:
    """Find what is wrong with a plan before anything slow is loaded.

    Returns:
        The task, with the labels of the data where it is open.

    Raises:
        FewshotError: for an unknown task, missing or invalid gold annotation.
        SamplerError: for an unknown sampler, or a k above the pool.
    """
    task = tasks.get(plan.task).fitted([*corpus.pool, *corpus.test])
    tasks.check_corpus(task, corpus.test)
    tasks.check_corpus(task, corpus.pool)
    for sampler in plan.samplers:
        samplers.check(sampler, corpus.pool, max((*plan.ks, 0)))
    return task


def run_id(identity: dict[str, Any], cell: Cell) -> str:
    """Return the name of a run: equal exactly when nothing that decides its number differs.

    Args:
        identity: recipe and fingerprints of source model, data and source data, see `Trainer.identity`.
        cell: the cell of the grid.
    """
    return digest({**identity, **asdict(cell)})


def digest(value: Any) -> str:
    """Return a short hash of a JSON-like value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def parse_ks(text: str) -> tuple[int, ...]:
    """Read ``10`` or ``10,50,100``, in rising order.

    Raises:
        FewshotError: when a part is no whole number of 0 or more, or there is none.
    """
    values = parse_numbers("--k", text, "number of examples", "10,50,100")
    if not values:
        raise FewshotError(f"--k {text!r}: there is no number of examples; write e.g. 10,50,100")
    return tuple(sorted(set(values)))


def named_samplers(names: Sequence[str], task: Task[Any]) -> tuple[str, ...]:
    """Return names of samplers with every one that can be used for a task in place of ``all``."""
    every = [name for name in samplers.registry() if task.nominal or "confused_pairs" not in samplers.needs([name])]
    return tuple(dict.fromkeys(one for name in names for one in (every if name == ALL else [name])))


def parse_list(text: str) -> Sequence[str]:
    """Split a comma-separated option, without repetitions."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def parse_numbers(option: str, text: str, what: str, example: str) -> list[int]:
    """Read whole numbers of 0 or more from a comma-separated option.

    Args:
        option: its name, for messages.
        text: its value.
        what: is expected, such as ``number of layers``.
        example: of a value.

    Raises:
        FewshotError: when a part is anything else.
    """
    values = parse_list(text)
    if bad := [value for value in values if not value.isdecimal()]:
        raise FewshotError(f"{option} {text!r}: {bad[0]!r} is no {what}; write e.g. {example}")
    return [int(value) for value in values]
