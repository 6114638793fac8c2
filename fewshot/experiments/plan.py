"""The grid of conditions that a command asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import samplers
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.tasks import Task
from fewshot.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Condition:
    """One run of a plan.

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

    @classmethod
    def of(cls, result: Result) -> Condition:
        """Return the condition of a result."""
        return cls(result.sampler, result.k, result.shot_set, result.seed, result.rounds)


ALL = "all"
"""What users type for every sampler."""

ZERO_SHOT = Condition("", 0, 0, 0)
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
        recipe: how the source model is adapted.
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
    recipe: Recipe
    rounds: bool = False

    def __post_init__(self) -> None:
        if any(k < 0 for k in self.ks):
            raise FewshotError(f"k is {min(self.ks)}; ask for 0 or more examples")
        if not self.samplers:
            raise FewshotError("no sampler is named; name one, such as random")
        for name in ("shot_sets", "seeds"):
            if getattr(self, name) < 1:
                raise FewshotError(f"{name.replace('_', ' ')} is {getattr(self, name)}; it must be at least 1")

    def conditions(self) -> list[Condition]:
        """Return the runs in the order they are done: zero-shot, then rising k, so that a curve grows evenly."""
        return [ZERO_SHOT] + [
            Condition(sampler, k, shot_set, seed, self._sizes(sampler, k))
            for k in sorted(set(self.ks) - {0})
            for shot_set in range(self.shot_sets)
            for seed in range(self.seeds)
            for sampler in self.samplers
        ]

    def chosen_by(self, condition: Condition) -> int:
        """Return how many shots the model of a condition chooses, those of the next round; 0 where it chooses none."""
        later = [k for k in self.ks if k > condition.k]
        return min(later) - condition.k if condition.rounds and condition.seed == 0 and later else 0

    def _sizes(self, sampler: str, k: int) -> tuple[int, ...]:
        if not (self.rounds and samplers.needs([sampler])):
            return ()
        return tuple(b - a for a, b in pairwise(sorted({0, *(one for one in self.ks if one <= k)})))

    def covering(self, conditions: Sequence[Condition]) -> Plan:
        """Return the smallest plan that holds this one and other conditions, whose samplers come first."""
        shots = [condition for condition in conditions if condition.k]
        return replace(
            self,
            ks=tuple(sorted({*self.ks, *(condition.k for condition in shots)})),
            samplers=tuple(dict.fromkeys([*(condition.sampler for condition in shots), *self.samplers])),
            shot_sets=max([self.shot_sets, *(condition.shot_set + 1 for condition in shots)]),
            seeds=max([self.seeds, *(condition.seed + 1 for condition in shots)]),
            rounds=self.rounds or any(condition.rounds for condition in shots),
        )


def run_id(identity: dict[str, Any], condition: Condition) -> str:
    """Return the name of a run: equal exactly when nothing that decides its number differs.

    Args:
        identity: recipe and fingerprints of source model, data and source data.
        condition: the cell of the grid.
    """
    cell = asdict(condition)
    if not condition.rounds:
        del cell["rounds"]  # so are the runs named that were done before there were rounds
    return digest({**identity, **cell})


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
