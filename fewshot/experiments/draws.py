"""The shots of cells: drawn from a pool at once or in rounds, or fixed by the caller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import samplers
from fewshot.corpora.types import Example
from fewshot.curves.results import Result
from fewshot.evaluation import signals
from fewshot.experiments.plan import Cell, Plan
from fewshot.experiments.trainer import Trainer
from fewshot.training.adapt import trainable_device


class Shots(ABC):
    """The shots of cells. All are known, unless a subclass says otherwise."""

    @abstractmethod
    def for_cell(self, cell: Cell) -> Sequence[Any]:
        """Return the shots of a cell; of an unknown round, the same number of substitutes."""

    def training_key(self, cell: Cell) -> Hashable:
        """Return a key that is equal for cells that differ only in shot sets of the same examples."""
        return replace(cell, shot_set=0), frozenset(shot.id for shot in self.for_cell(cell))

    def is_known(self, cell: Cell) -> bool:
        """Return whether the shots are known, not still to be chosen by the model of the round before."""
        return True

    def count_unchosen(self, cell: Cell) -> int:
        """Return how many shots of the next round the model of a cell has yet to choose."""
        return 0

    def recall(self, result: Result) -> None:  # noqa: B027
        """Take note of the shots that models have chosen: of a result's round, and for the next one."""


class FixedShots(Shots):
    """Shots that the caller provides, such as those annotated in a project.

    Args:
        shots: ordered examples; a cell of k has the first k.
    """

    def __init__(self, shots: Sequence[Example]) -> None:
        self._shots = shots

    def for_cell(self, cell: Cell) -> Sequence[Example]:
        """Return the first k shots."""
        return self._shots[: cell.k]


class Draws(Shots):
    """The draws of a plan's samplers, computed when first needed; a draw of k contains those of smaller k."""

    def __init__(self, plan: Plan, pool: Sequence[Example], trainer: Trainer) -> None:
        self.plan, self.pool, self.trainer = plan, pool, trainer
        self._by_id = {example.id: example for example in pool}
        self._signals: dict[str, np.ndarray] = {}
        self._drawn: dict[tuple[str, int], list[Example]] = {}
        self._chosen: dict[tuple[str, int, tuple[int, ...]], list[Example]] = {}

    def read_pool(self, names: Collection[str]) -> Mapping[str, np.ndarray]:
        """Return the signals of the source model on the pool that some samplers need, computed once."""
        missing = samplers.needs(names) - self._signals.keys()
        if missing:
            model = self.trainer.source.copy().to(trainable_device(self.trainer.device)).eval()
            self._signals.update(signals(model, self.pool, missing))
        return self._signals

    def for_cell(self, cell: Cell) -> Sequence[Example]:
        """Return the shots of a cell; of an unknown round, those that the sampler would draw at once."""
        if chosen := self._chosen.get(_round(cell)):
            return chosen
        return self._draw(cell.sampler, cell.k, cell.shot_set)[: cell.k] if cell.k else []

    def _draw(self, sampler: str, k: int, shot_set: int) -> list[Example]:
        """Return a draw of at least k examples."""
        key = sampler, shot_set
        if len(self._drawn.get(key, ())) < k:
            known = self.read_pool({*self.plan.samplers, sampler}) if samplers.needs([sampler]) else {}
            self._drawn[key] = samplers.pick(sampler, self.pool, max((k, *self.plan.ks)), shot_set, known)
        return self._drawn[key]

    def is_known(self, cell: Cell) -> bool:
        """Return whether the shots are known, or can be drawn without the model of another cell."""
        return not cell.rounds[1:] or _round(cell) in self._chosen

    def count_unchosen(self, cell: Cell) -> int:
        """Return how many shots of the next round the model of a cell has yet to choose."""
        size = self.plan.next_round_size(cell)
        return 0 if (cell.sampler, cell.shot_set, (*cell.rounds, size)) in self._chosen else size

    def recall(self, result: Result) -> None:
        """Take note of the shots that models have chosen: of a result's round, and for the next one."""
        if result.rounds[1:]:
            self._remember(result, result.rounds, result.shots)
        if result.chosen:
            rounds = *result.rounds, len(result.chosen)
            self._remember(result, rounds, (*result.shots, *result.chosen))

    def _remember(self, result: Result, rounds: tuple[int, ...], ids: Sequence[str]) -> None:
        if self._by_id.keys() >= set(ids):
            key = result.sampler, result.shot_set, rounds
            self._chosen.setdefault(key, [self._by_id[name] for name in ids])


def _round(cell: Cell) -> tuple[str, int, tuple[int, ...]]:
    return cell.sampler, cell.shot_set, cell.rounds
