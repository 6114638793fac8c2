"""The cells of an experiment in progress: waiting, ready or done."""

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
    """The waiting cells of an experiment and the results of the others.

    Args:
        stored: results of earlier sessions, of these cells or others.
        model_folder: folder for the model of `Experiment.kept_cell`; None: no model is kept.

    Attributes:
        waiting: cells that have not begun, in order.
        results: results of the finished cells.
    """

    def __init__(self, experiment: Experiment, stored: Sequence[Result], model_folder: Path | None) -> None:
        self._shots = experiment.shots
        self._by_training: dict[Cell, list[Cell]] = defaultdict(list)
        for cell in experiment.cells:
            self._by_training[replace(cell, shot_set=0)].append(cell)
        self._ids = {cell: run_id(experiment.identity, cell) for cell in experiment.cells}
        self._keep_in = {experiment.kept_cell: model_folder} if model_folder else {}
        self._stored = {result.run: result for result in stored}
        self.waiting = dict.fromkeys(experiment.cells)
        self.results: dict[Cell, Result] = {}
        self._chosen: list[Result] = []  # also of models of this session, whose stored result may lack the choice

    def stored_cells(self) -> list[tuple[Cell, Result]]:
        """Return the cells with a stored result whose model is not needed."""
        stored = ((cell, self._stored.get(self._ids[cell])) for cell in self.waiting)
        return [(cell, result) for cell, result in stored if result and not self._needs_model(cell)]

    def ready(self) -> Iterator[Cell]:
        """Yield the cells that can start now.

        Their shots are known, and no unfinished earlier cell could make them redundant.
        """
        for cell in list(self.waiting):
            if self._shots.is_known(cell) and (
                self._needs_model(cell) or all(earlier in self.results for earlier in self._repetitions(cell))
            ):
                yield cell

    def find_repeated(self, cell: Cell) -> Result | None:
        """Return the result of another shot set that contains the same examples, or None.

        Returns None too when the model of the cell is needed.
        """
        same = next(self._repetitions(cell), None)
        if same is None or self._needs_model(cell):
            return None
        run, shot_set = self._ids[cell], cell.shot_set
        return replace(self.results[same], run=run, shot_set=shot_set, chosen=(), seconds=0.0)

    def begin(self, cell: Cell) -> Assignment:
        """Take a cell from the waiting ones and return the assignment for an executor."""
        del self.waiting[cell]
        drawn = (cell.sampler, cell.shot_set)
        before = tuple(result for result in self._chosen if (result.sampler, result.shot_set) == drawn)
        return Assignment(cell, self._ids[cell], self._keep_in.get(cell), before)

    def settle(self, cell: Cell, result: Result) -> bool:
        """Store the result of a cell; return whether the result is new. A stored result is never replaced."""
        self.waiting.pop(cell, None)
        self.results[cell] = self._stored.get(result.run, result)
        self._chosen += [result] if result.chosen else []
        self._shots.recall([result])
        return result.run not in self._stored

    def _needs_model(self, cell: Cell) -> bool:
        """Return whether the model of a cell is to be kept, or has to choose the next round."""
        return cell in self._keep_in or self._shots.count_unchosen(cell) > 0

    def _repetitions(self, cell: Cell) -> Iterator[Cell]:
        """Yield the earlier cells of other shot sets that contain the same examples."""
        own = training_key(cell, self._shots.for_cell(cell))
        for earlier in self._by_training[replace(cell, shot_set=0)]:
            if earlier == cell:
                return
            if self._shots.is_known(earlier) and training_key(earlier, self._shots.for_cell(earlier)) == own:
                yield earlier
