"""The shots of cells: drawn from a pool at once or in rounds, or fixed by the caller."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

import samplers
from fewshot.corpora.types import Example
from fewshot.curves.results import Result
from fewshot.evaluation import signals
from fewshot.experiments.plan import Cell, Plan
from fewshot.experiments.rounds import next_shots
from fewshot.experiments.trainer import Trainer
from fewshot.training.adapt import trainable_device
from fewshot.training.model import Model


def training_key(cell: Cell, shots: Sequence[Example]) -> Hashable:
    """Return a key that is equal for cells that differ only in shot sets of the same examples."""
    return replace(cell, shot_set=0), frozenset(shot.id for shot in shots)


class ShotSource(Protocol):
    """The source of the shots of cells."""

    def for_cell(self, cell: Cell) -> Sequence[Any]:
        """Return the shots of a cell."""

    def is_known(self, cell: Cell) -> bool:
        """Return whether the shots are known: a later round is unknown until a model has chosen its shots."""

    def expected(self, cell: Cell) -> Sequence[Any]:
        """Return the shots, or the same number of substitutes while the shots are not known."""

    def count_unchosen(self, cell: Cell) -> int:
        """Return how many shots of the next round the model of a cell has yet to choose."""

    def choose_next(self, cell: Cell, model: Model) -> Sequence[Any]:
        """Choose the unchosen shots of the next round with the model of a cell and return them."""

    def recall(self, results: Sequence[Result]) -> None:
        """Restore the shots of rounds from the results of earlier sessions."""


class FixedShots:
    """Shots that the caller provides, such as those annotated in a project.

    Args:
        shots: ordered examples; a cell of k has the first k.
    """

    def __init__(self, shots: Sequence[Example]) -> None:
        self.shots = shots

    def for_cell(self, cell: Cell) -> Sequence[Example]:
        """Return the first k shots."""
        return self.shots[: cell.k]

    expected = for_cell

    def is_known(self, cell: Cell) -> bool:
        """Return True."""
        return True

    def count_unchosen(self, cell: Cell) -> int:
        """Return 0."""
        return 0

    def choose_next(self, cell: Cell, model: Model) -> Sequence[Example]:
        """Return an empty tuple."""
        return ()

    def recall(self, results: Sequence[Result]) -> None:
        """Do nothing: all shots are known."""


class Draws:
    """The draws of a plan's samplers, computed when first needed; a draw of k contains those of smaller k."""

    def __init__(self, plan: Plan, pool: Sequence[Example], trainer: Trainer) -> None:
        self.plan, self.pool, self.trainer = plan, pool, trainer
        self._signals: dict[str, np.ndarray] = {}
        self._drawn: dict[tuple[str, int, tuple[int, ...]], list[Example]] = {}

    def read_pool(self, names: Collection[str]) -> Mapping[str, np.ndarray]:
        """Return the signals of the source model on the pool that some samplers need, computed once."""
        missing = samplers.needs(names) - self._signals.keys()
        if missing:
            model = self.trainer.source.copy().to(trainable_device(self.trainer.device)).eval()
            self._signals.update(signals(model, self.pool, missing))
        return self._signals

    def for_cell(self, cell: Cell) -> list[Example]:
        """Return the examples that a cell's sampler picks.

        The shots of a later round are known after the model of the round before has chosen, see `choose_next`.
        """
        sampler, k = cell.sampler, cell.k
        if k == 0:
            return []
        if not cell.rounds[1:] and not self._is_drawn(cell):
            known = self.read_pool({*self.plan.samplers, sampler}) if samplers.needs([sampler]) else {}
            most = max(k, *self.plan.ks)
            self._drawn[_key(cell)] = samplers.pick(sampler, self.pool, most, cell.shot_set, known)
        return self._drawn[_key(cell)][:k]

    def is_known(self, cell: Cell) -> bool:
        """Return whether the shots are known, or can be drawn without the model of another cell."""
        return not cell.rounds[1:] or self._is_drawn(cell)

    def expected(self, cell: Cell) -> list[Example]:
        """Return the shots; before their round is drawn, the examples that the sampler would draw at once."""
        return self.for_cell(cell if self._is_drawn(cell) else replace(cell, rounds=()))

    def count_unchosen(self, cell: Cell) -> int:
        """Return how many shots of the next round the model of a cell has yet to choose."""
        size = self.plan.next_round_size(cell)
        return 0 if size == 0 or self._is_drawn(_next(cell, size)) else size

    def choose_next(self, cell: Cell, model: Model) -> list[Example]:
        """Choose the unchosen shots of the next round with the model of a cell and return them."""
        size = self.count_unchosen(cell)
        if size == 0:
            return []
        shots = self.for_cell(cell)
        chosen = next_shots(model, self.pool, shots, cell.sampler, size, cell.shot_set)
        self._drawn[_key(_next(cell, size))] = shots + chosen
        return chosen

    def recall(self, results: Sequence[Result]) -> None:
        """Restore the shots of rounds from earlier results, so that no model has to choose them again."""
        by_id = {example.id: example for example in self.pool}
        for result in results:
            draws = {result.rounds: result.shots}
            if result.chosen:
                draws[*result.rounds, len(result.chosen)] = *result.shots, *result.chosen
            for rounds, ids in draws.items():
                if rounds[1:] and by_id.keys() >= set(ids):
                    self._drawn.setdefault((result.sampler, result.shot_set, rounds), [by_id[name] for name in ids])

    def _is_drawn(self, cell: Cell) -> bool:
        return len(self._drawn.get(_key(cell), ())) >= cell.k


def _key(cell: Cell) -> tuple[str, int, tuple[int, ...]]:
    """Return the key of a draw; a first round has the key of a draw at once."""
    return cell.sampler, cell.shot_set, cell.rounds if cell.rounds[1:] else ()


def _next(cell: Cell, size: int) -> Cell:
    return replace(cell, k=cell.k + size, rounds=(*cell.rounds, size))
