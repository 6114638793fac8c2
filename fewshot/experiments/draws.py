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
from fewshot.experiments.plan import Condition, Plan
from fewshot.experiments.rounds import next_shots
from fewshot.experiments.trainer import Trainer
from fewshot.training.adapt import here
from fewshot.training.model import Model


def whichever_draw(condition: Condition, shots: Sequence[Example]) -> Hashable:
    """Return what conditions share whose draws are the same examples, so that one training serves all of them."""
    return replace(condition, shot_set=0), frozenset(shot.id for shot in shots)


class Shots(Protocol):
    """Where the shots of conditions come from."""

    def of(self, condition: Condition) -> Sequence[Any]:
        """Return the shots of a condition."""

    def known(self, condition: Condition) -> bool:
        """Return whether they are known: those of a later round are not before a model has chosen them."""

    def expected(self, condition: Condition) -> Sequence[Any]:
        """Return shots of the same number where those of the condition are not known yet."""

    def unchosen(self, condition: Condition) -> int:
        """Return how many shots of the next round the model of a condition has yet to choose."""

    def choose(self, condition: Condition, model: Model) -> Sequence[Any]:
        """Let the model of a condition choose them, and return them."""

    def recall(self, results: Sequence[Result]) -> None:
        """Take up the shots of rounds from the results of earlier sessions."""


class Given:
    """Shots that somebody else has drawn, such as the annotators of a project.

    Args:
        shots: in their order; a condition of k has the first k.
    """

    def __init__(self, shots: Sequence[Example]) -> None:
        self.shots = shots

    def of(self, condition: Condition) -> Sequence[Example]:
        """Return the first k."""
        return self.shots[: condition.k]

    expected = of

    def known(self, condition: Condition) -> bool:
        """Return True."""
        return True

    def unchosen(self, condition: Condition) -> int:
        """Return 0: no model chooses any."""
        return 0

    def choose(self, condition: Condition, model: Model) -> Sequence[Example]:
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
            model = self.trainer.source.copy().to(here(self.trainer.device)).eval()
            self._signals.update(signals(model, self.pool, missing))
        return self._signals

    def of(self, condition: Condition) -> list[Example]:
        """Return the examples that a condition's sampler picks.

        Those of a second or later round are known once the model of the round before has chosen, see `choose`.
        """
        sampler, k = condition.sampler, condition.k
        if k == 0:
            return []
        if not condition.rounds[1:] and not self._is_drawn(condition):
            known = self.read_pool({*self.plan.samplers, sampler}) if samplers.needs([sampler]) else {}
            most = max(k, *self.plan.ks)
            self._drawn[_key(condition)] = samplers.pick(sampler, self.pool, most, condition.shot_set, known)
        return self._drawn[_key(condition)][:k]

    def known(self, condition: Condition) -> bool:
        """Return whether the shots are known, or can be drawn without the model of another condition."""
        return not condition.rounds[1:] or self._is_drawn(condition)

    def expected(self, condition: Condition) -> list[Example]:
        """Return the shots, or, as long as their round is not drawn, those that would be drawn at once."""
        return self.of(condition if self._is_drawn(condition) else replace(condition, rounds=()))

    def unchosen(self, condition: Condition) -> int:
        """Return how many shots of the next round the model of a condition has yet to choose."""
        size = self.plan.chosen_by(condition)
        return 0 if size == 0 or self._is_drawn(_next(condition, size)) else size

    def choose(self, condition: Condition, model: Model) -> list[Example]:
        """Let the model of a condition choose the shots of the next round, where it has to.

        Returns:
            These shots; none where nothing is to be chosen, or they are known.
        """
        size = self.unchosen(condition)
        if size == 0:
            return []
        shots = self.of(condition)
        chosen = next_shots(model, self.pool, shots, condition.sampler, size, condition.shot_set)
        self._drawn[_key(_next(condition, size))] = shots + chosen
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

    def _is_drawn(self, condition: Condition) -> bool:
        return len(self._drawn.get(_key(condition), ())) >= condition.k


def _key(condition: Condition) -> tuple[str, int, tuple[int, ...]]:
    """Return what a draw is kept by; the first round is drawn as everything is at once."""
    return condition.sampler, condition.shot_set, condition.rounds if condition.rounds[1:] else ()


def _next(condition: Condition, size: int) -> Condition:
    """Return the condition of the next round, of so many shots more."""
    return replace(condition, k=condition.k + size, rounds=(*condition.rounds, size))
