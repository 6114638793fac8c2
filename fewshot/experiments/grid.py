"""The cells of an experiment, and which of them can begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fewshot.curves.results import Result
from fewshot.experiments.draws import training_key
from fewshot.experiments.experiment import Assignment, Experiment
from fewshot.experiments.plan import Cell, run_id


class Grid:
    """The cells of an experiment: those that wait, and the results of those that are done.

    Args:
        experiment: whose cells they are.
        stored: results of earlier sessions, of these cells or others.
        model_folder: takes the model of `Experiment.kept`; None where none is to be kept.

    Attributes:
        waiting: cells that are not begun, in order.
        found: results of those that are done.
    """

    def __init__(self, experiment: Experiment, stored: Sequence[Result], model_folder: Path | None) -> None:
        self._shots = experiment.shots
        self._but_for_draw: dict[Cell, list[Cell]] = defaultdict(list)
        for cell in experiment.cells:
            self._but_for_draw[replace(cell, shot_set=0)].append(cell)
        self._ids = {cell: run_id(experiment.identity, cell) for cell in experiment.cells}
        self._keep_in = {experiment.kept: model_folder} if model_folder else {}
        self._stored = {result.run: result for result in stored}
        self.waiting = dict.fromkeys(experiment.cells)
        self.found: dict[Cell, Result] = {}
        self._chosen: list[Result] = []  # by models of this session too, of which a stored result says nothing

    def known(self) -> list[tuple[Cell, Result]]:
        """Return the cells with a stored result whose model is not asked for."""
        stored = ((cell, self._stored.get(self._ids[cell])) for cell in self.waiting)
        return [(cell, result) for cell, result in stored if result and not self._model_is_asked(cell)]

    def ready(self) -> Iterator[Cell]:
        """Yield the waiting cells whose shots are known, and that no unfinished one before them may spare."""
        for cell in list(self.waiting):
            if self._shots.known(cell) and (
                self._model_is_asked(cell) or all(other in self.found for other in self._alike(cell))
            ):
                yield cell

    def repeated(self, cell: Cell) -> Result | None:
        """Return the result of another draw of the same examples, which a training would only repeat.

        None where there is no such draw, and where the model itself is asked for.
        """
        same = next(self._alike(cell), None)
        if same is None or self._model_is_asked(cell):
            return None
        run, shot_set = self._ids[cell], cell.shot_set
        return replace(self.found[same], run=run, shot_set=shot_set, chosen=(), seconds=0.0)

    def begin(self, cell: Cell) -> Assignment:
        """Return what is to be carried out of a waiting cell, which is under way from now on."""
        del self.waiting[cell]
        drawn = (cell.sampler, cell.shot_set)
        before = tuple(one for one in self._chosen if (one.sampler, one.shot_set) == drawn)
        return Assignment(cell, self._ids[cell], self._keep_in.get(cell), before)

    def settle(self, cell: Cell, result: Result) -> bool:
        """Take the result of a cell; return whether it is new: one that was stored stays as it was."""
        self.waiting.pop(cell, None)
        self.found[cell] = self._stored.get(result.run, result)
        self._chosen += [result] if result.chosen else []
        self._shots.recall([result])
        return result.run not in self._stored

    def _model_is_asked(self, cell: Cell) -> bool:
        """Return whether the model itself is needed: to be kept, or to choose the next round."""
        return cell in self._keep_in or self._shots.unchosen(cell) > 0

    def _alike(self, cell: Cell) -> Iterator[Cell]:
        """Yield the cells before this one that have the same examples, in other shot sets."""
        own = training_key(cell, self._shots.of(cell))
        for other in self._but_for_draw[replace(cell, shot_set=0)]:
            if other == cell:
                return
            if self._shots.known(other) and training_key(other, self._shots.of(other)) == own:
                yield other
