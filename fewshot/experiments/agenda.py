"""Which runs of an experiment are still to be done, and which of them can begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fewshot.curves.results import Result
from fewshot.experiments.draws import whichever_draw
from fewshot.experiments.experiment import Experiment, Run
from fewshot.experiments.plan import Condition, run_id


class Agenda:
    """The conditions of an experiment, from waiting to found.

    Args:
        experiment: whose conditions they are.
        stored: results of earlier sessions, of these conditions or others.
        model_folder: takes the model of `Experiment.kept`; None where none is to be kept.

    Attributes:
        waiting: conditions that are not begun, in order.
        found: results of those that are done.
    """

    def __init__(self, experiment: Experiment, stored: Sequence[Result], model_folder: Path | None) -> None:
        self._shots = experiment.shots
        self._but_for_draw: dict[Condition, list[Condition]] = defaultdict(list)
        for condition in experiment.conditions:
            self._but_for_draw[replace(condition, shot_set=0)].append(condition)
        self._ids = {condition: run_id(experiment.identity, condition) for condition in experiment.conditions}
        self._keep_in = {experiment.kept: model_folder} if model_folder else {}
        self._stored = {result.run: result for result in stored}
        self.waiting = dict.fromkeys(experiment.conditions)
        self.found: dict[Condition, Result] = {}
        self._chosen: list[Result] = []  # by models of this session too, of which a stored result says nothing

    def known(self) -> list[tuple[Condition, Result]]:
        """Return the conditions with a stored result whose model is not asked for."""
        stored = ((condition, self._stored.get(self._ids[condition])) for condition in self.waiting)
        return [(condition, result) for condition, result in stored if result and not self._model_is_asked(condition)]

    def ready(self) -> Iterator[Condition]:
        """Yield the waiting conditions whose shots are known, and that no unfinished one before them may spare."""
        for condition in list(self.waiting):
            if self._shots.known(condition) and (
                self._model_is_asked(condition) or all(other in self.found for other in self._alike(condition))
            ):
                yield condition

    def repeated(self, condition: Condition) -> Result | None:
        """Return the result of another draw of the same examples, which a training would only repeat.

        None where there is none, and where the model itself is asked for.
        """
        same = next(self._alike(condition), None)
        if same is None or self._model_is_asked(condition):
            return None
        run, shot_set = self._ids[condition], condition.shot_set
        return replace(self.found[same], run=run, shot_set=shot_set, chosen=(), seconds=0.0)

    def begin(self, condition: Condition) -> Run:
        """Return what is to be carried out of a waiting condition, which is under way from now on."""
        del self.waiting[condition]
        drawn = (condition.sampler, condition.shot_set)
        before = tuple(one for one in self._chosen if (one.sampler, one.shot_set) == drawn)
        return Run(condition, self._ids[condition], self._keep_in.get(condition), before)

    def settle(self, condition: Condition, result: Result) -> bool:
        """Take the result of a condition; return whether it is new: one that was stored stays as it was."""
        self.waiting.pop(condition, None)
        self.found[condition] = self._stored.get(result.run, result)
        self._chosen += [result] if result.chosen else []
        self._shots.recall([result])
        return result.run not in self._stored

    def _model_is_asked(self, condition: Condition) -> bool:
        """Return whether the model itself is needed: to be kept, or to choose the next round."""
        return condition in self._keep_in or self._shots.unchosen(condition) > 0

    def _alike(self, condition: Condition) -> Iterator[Condition]:
        """Yield the conditions before this one that have the same examples, in other shot sets."""
        own = whichever_draw(condition, self._shots.of(condition))
        for other in self._but_for_draw[replace(condition, shot_set=0)]:
            if other == condition:
                return
            if self._shots.known(other) and whichever_draw(other, self._shots.of(other)) == own:
                yield other
