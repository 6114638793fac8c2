"""What samplers have drawn from a pool: at once, or round by round as models choose."""

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
    """Return what cells share whose draws are the same examples, so that one training serves all of them."""
    return replace(cell, shot_set=0), frozenset(shot.id for shot in shots)


class Shots(Protocol):
    """Where the shots of cells come from."""

    def of(self, cell: Cell) -> Sequence[Any]:
        """Return the shots of a cell."""

    def known(self, cell: Cell) -> bool:
        """Return whether they are known: those of a later round are not before a model has chosen them."""

    def expected(self, cell: Cell) -> Sequence[Any]:
        """Return shots of the same number where those of the cell are not known yet."""

    def unchosen(self, cell: Cell) -> int:
        """Return how many shots of the next round the model of a cell has yet to choose."""

    def choose(self, cell: Cell, model: Model) -> Sequence[Any]:
        """Let the model of a cell choose them, and return them."""

    def recall(self, results: Sequence[Result]) -> None:
        """Take up the shots of rounds from the results of earlier sessions."""


class Given:
    """Shots that somebody else has drawn, such as the annotators of a project.

    Args:
        shots: in their order; a cell of k has the first k.
    """

    def __init__(self, shots: Sequence[Example]) -> None:
        self.shots = shots

    def of(self, cell: Cell) -> Sequence[Example]:
        """Return the first k."""
        return self.shots[: cell.k]

    expected = of

    def known(self, cell: Cell) -> bool:
        """Return True."""
        return True

    def unchosen(self, cell: Cell) -> int:
        """Return 0: no model chooses any."""
        return 0

    def choose(self, cell: Cell, model: Model) -> Sequence[Example]:
        """Return none."""
        return ()

    def recall(self, results: Sequence[Result]) -> None:
        """Do nothing: all shots are known."""


class Draws:
    """The draws of a plan's samplers, each made when it is first asked for; sets of one draw are nested.

    Args:
        plan: whose samplers draw.
        pool: that they draw from.
        trainer: whose source model reads the pool for active samplers.
    """

    def __init__(self, plan: Plan, pool: Sequence[Example], trainer: Trainer) -> None:
        self.plan, self.pool, self.trainer = plan, pool, trainer
        self._signals: dict[str, np.ndarray] = {}
        self._drawn: dict[tuple[str, int, tuple[int, ...]], list[Example]] = {}

    def read_pool(self, names: Collection[str]) -> Mapping[str, np.ndarray]:
        """Return what the source model says of the pool, at least what some samplers need; it is asked once only."""
        missing = samplers.needs(names) - self._signals.keys()
        if missing:
            model = self.trainer.source.copy().to(trainable_device(self.trainer.device)).eval()
            self._signals.update(signals(model, self.pool, missing))
        return self._signals

    def of(self, cell: Cell) -> list[Example]:
        """Return the examples that a cell's sampler picks.

        Those of a second or later round are known once the model of the round before has chosen, see `choose`.
        """
        sampler, k = cell.sampler, cell.k
        if k == 0:
            return []
        if not cell.rounds[1:] and not self._is_drawn(cell):
            known = self.read_pool({*self.plan.samplers, sampler}) if samplers.needs([sampler]) else {}
            most = max(k, *self.plan.ks)
            self._drawn[_key(cell)] = samplers.pick(sampler, self.pool, most, cell.shot_set, known)
        return self._drawn[_key(cell)][:k]

    def known(self, cell: Cell) -> bool:
        """Return whether the shots are known, or can be drawn without the model of another cell."""
        return not cell.rounds[1:] or self._is_drawn(cell)

    def expected(self, cell: Cell) -> list[Example]:
        """Return the shots, or, as long as their round is not drawn, those that would be drawn at once."""
        return self.of(cell if self._is_drawn(cell) else replace(cell, rounds=()))

    def unchosen(self, cell: Cell) -> int:
        """Return how many shots of the next round the model of a cell has yet to choose."""
        size = self.plan.chosen_by(cell)
        return 0 if size == 0 or self._is_drawn(_next(cell, size)) else size

    def choose(self, cell: Cell, model: Model) -> list[Example]:
        """Let the model of a cell choose the shots of the next round, where it has to.

        Returns:
            These shots; none where nothing is to be chosen, or they are known.
        """
        size = self.unchosen(cell)
        if size == 0:
            return []
        shots = self.of(cell)
        chosen = next_shots(model, self.pool, shots, cell.sampler, size, cell.shot_set)
        self._drawn[_key(_next(cell, size))] = shots + chosen
        return chosen

    def recall(self, results: Sequence[Result]) -> None:
        """Take up the shots of rounds from earlier results, so that no model has to choose them again."""
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
    """Return what a draw is kept by; the first round is drawn as everything is at once."""
    return cell.sampler, cell.shot_set, cell.rounds if cell.rounds[1:] else ()


def _next(cell: Cell, size: int) -> Cell:
    """Return the cell of the next round, of so many shots more."""
    return replace(cell, k=cell.k + size, rounds=(*cell.rounds, size))
