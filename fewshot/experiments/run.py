"""Run the cells of an experiment; each result is written to the disk at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from fewshot.costs.prices import Rates
from fewshot.curves.results import Result, append_result, lock_results, read_all_results
from fewshot.experiments import plan_file
from fewshot.experiments.draws import training_key
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import Assignment, Experiment, ScoredCell
from fewshot.experiments.overall_progress import OverallProgress
from fewshot.experiments.plan import Cell, run_id
from fewshot.progress import Report
from fewshot.training.model import read_description

MODEL_FOLDER = "model"
"""Subfolder of the results for the kept model."""

ONE_PROCESS = Local()
"""Workers that run one cell after the other in this process."""


def execute(
    experiment: Experiment,
    folder: Path,
    rates: Rates,
    report: Report | None = None,
    on_result: Callable[[Result], None] | None = None,
    command: str = "",
    keep: bool = True,
    workers: Workers = ONE_PROCESS,
) -> list[Result]:
    """Run the cells of an experiment that have no result in a folder.

    The result of another shot set with the same examples is reused, unless the model of the cell must choose the next
    round. Results name the shots that their models chose, so that a stopped experiment can resume. A cell with a stored
    result is trained again in two cases: its model is to be kept and is missing, or a wider plan has more or larger
    rounds, for which the model has to choose.

    Args:
        folder: folder for ``results.jsonl``, ``plan.json`` and the adapted model; created if missing.
        on_result: called with every result, including the stored ones.
        keep: whether to keep a model, see `Experiment.kept_cell`.
        workers: where the cells run; this process with all threads may round sums differently in the last digits than
            processes with one thread each.

    Returns:
        The results in the order of the cells.

    Raises:
        FewshotError: when the folder cannot be written, is used by another process or holds results of another
            identity; when the labels have no price; when a process has died.
    """
    trainer, corpus = experiment.trainer, experiment.corpus
    rates.price_annotation(trainer.task.name, trainer.task.units(corpus.test))  # fails before anything is trained
    with lock_results(folder) as path:
        stored = read_all_results(path)
        plan_file.check(folder, experiment.identity, stored)
        for result in stored:
            experiment.shots.recall(result)
        cells = list(dict.fromkeys([*map(Cell.from_result, stored), *experiment.cells]))
        plan_file.write(folder, experiment.identity, plan_file.collect_facts(experiment, cells), stored, command)
        grid = Grid(experiment, [result for result in stored if not result.is_part_score], folder if keep else None)
        progress = OverallProgress(experiment.updates(), experiment.name, report)

        def settle(cell: Cell, result: Result, trained: bool = False) -> None:
            if grid.settle(cell, result):
                append_result(path, result)
            if on_result:
                on_result(grid.results[cell])
            progress.finish(cell, trained)

        for cell, result in grid.stored_cells():
            settle(cell, result)
        waiting = len(experiment.cells) - len(grid.results)
        if waiting:
            with workers.start(experiment, waiting) as carry_out:
                for cells in grid.rounds():
                    assignments, repetitions = grid.assign(cells)
                    for run, scored in carry_out(assignments, progress.update):
                        settle(run.cell, make_result(experiment, run.cell, run.id, scored, rates), trained=True)
                    for cell, same in repetitions.items():
                        settle(cell, grid.repeat(cell, same))
    return [grid.results[cell] for cell in experiment.cells]


class Grid:
    """The cells of an experiment, and the results of those that are settled.

    Args:
        stored: results of earlier sessions, of these cells or others.
        folder: folder for the model of `Experiment.kept_cell`; None: no model is kept.

    Attributes:
        results: results of the settled cells.
    """

    def __init__(self, experiment: Experiment, stored: Sequence[Result], folder: Path | None) -> None:
        self._cells, self._shots = experiment.cells, experiment.shots
        self._ids = {cell: run_id(experiment.identity, cell) for cell in experiment.cells}
        self._stored = {result.run: result for result in stored}
        kept = experiment.kept_cell
        is_missing = folder and not _is_kept(folder, self._ids[kept])
        self._keep_in = {kept: folder / MODEL_FOLDER} if folder and is_missing else {}
        self._first: dict[Hashable, Cell] = {}  # by training key, the first cell of some with the same examples
        self.results: dict[Cell, Result] = {}

    def stored_cells(self) -> list[tuple[Cell, Result]]:
        """Return the cells with a stored result whose model is not needed."""
        stored = ((cell, self._stored.get(self._ids[cell])) for cell in self._cells)
        return [(cell, result) for cell, result in stored if result and not self._needs_model(cell)]

    def rounds(self) -> Iterator[list[Cell]]:
        """Yield the cells in order, in parts whose shots are known when the parts before are settled."""
        waiting = list(self._cells)
        while waiting:
            known = list(takewhile(self._shots.is_known, waiting))
            assert known, f"no model has chosen the shots of {waiting[0]}"
            yield known
            del waiting[: len(known)]

    def assign(self, cells: Sequence[Cell]) -> tuple[list[Assignment], dict[Cell, Cell]]:
        """Return the trainings of some cells, and each cell that repeats another one with that one.

        A cell repeats an earlier one of another shot set with the same examples.
        """
        assignments, repetitions = [], {}
        for cell in cells:
            shots = self._shots.for_cell(cell)
            same = self._first.setdefault(training_key(cell, shots), cell)
            if cell in self.results:
                continue
            if same == cell or self._needs_model(cell):
                size = self._shots.count_unchosen(cell)
                assignments.append(Assignment(cell, self._ids[cell], shots, self._keep_in.get(cell), size))
            else:
                repetitions[cell] = same
        return assignments, repetitions

    def repeat(self, cell: Cell, same: Cell) -> Result:
        """Return the result of a cell that repeats another one."""
        return replace(self.results[same], run=self._ids[cell], shot_set=cell.shot_set, chosen=(), seconds=0.0)

    def settle(self, cell: Cell, result: Result) -> bool:
        """Add the result of a cell; return whether the result is new. A stored result is never replaced."""
        self.results[cell] = self._stored.get(result.run, result)
        self._shots.recall(result)
        return result.run not in self._stored

    def _needs_model(self, cell: Cell) -> bool:
        """Return whether the model of a cell is to be kept, or has to choose the next round."""
        return cell in self._keep_in or self._shots.count_unchosen(cell) > 0


def train_unscored(experiment: Experiment, folder: Path, report: Report | None = None) -> None:
    """Train and keep the model that `execute` would keep, for a corpus without a test set.

    Args:
        folder: folder for the model; an existing model of the same run is not trained again.

    Raises:
        FewshotError: when the folder cannot be written or another process uses the folder.
    """
    cell = experiment.kept_cell
    run = run_id(experiment.identity, cell)
    with lock_results(folder):
        if not _is_kept(folder, run):
            progress = OverallProgress(replace(experiment, cells=[cell]).updates(), experiment.name, report)
            shots = experiment.shots.for_cell(cell)
            model = experiment.trainer.train(shots, cell.seed, lambda now: progress.update(cell, now))
            experiment.save(model, cell, run, folder / MODEL_FOLDER)


def _is_kept(folder: Path, run: str) -> bool:
    return (read_description(folder / MODEL_FOLDER) or {}).get("run") == run


def make_result(experiment: Experiment, cell: Cell, run: str, scored: ScoredCell, rates: Rates) -> Result:
    """Return the result of a cell.

    Args:
        run: id of the result, see `fewshot.experiments.plan.run_id`.
    """
    trainer, corpus, evaluation = experiment.trainer, experiment.corpus, scored.evaluation
    task, shots = trainer.task, experiment.shots.for_cell(cell)
    silver, labelled = experiment.silver, experiment.silver_labels(cell)
    units = task.units(shots)
    minutes, dollars = rates.price_annotation(task.name, units)
    return Result(
        run=run,
        task=task.name,
        lang=trainer.lang,
        sampler=cell.sampler,
        k=cell.k,
        shot_set=cell.shot_set,
        seed=cell.seed,
        method=trainer.recipe.method,
        regime=trainer.recipe.regime,
        model=trainer.source.encoder.name,
        data=corpus.source,
        **evaluation.columns,
        tokens=sum(shot.length for shot in shots),
        units=units,
        test_units=task.units(corpus.test),
        minutes=minutes,
        dollars=dollars,
        seconds=scored.seconds,
        device=trainer.device.type,
        shots=tuple(shot.id for shot in shots),
        rounds=cell.rounds,
        chosen=scored.chosen,
        asked=labelled.asked,
        teacher=silver.teacher if silver else "",
        teacher_device=silver.device if silver else "",
        teacher_seconds=labelled.seconds,
    )
