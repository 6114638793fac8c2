"""Run the cells of an experiment; each result is written to the disk as soon as it is known."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from fewshot.costs.prices import Rates
from fewshot.curves.results import Result, append_result, lock_results, read_all_results
from fewshot.experiments import plan_file
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import Assignment, Experiment, ScoredCell
from fewshot.experiments.plan import Cell, run_id
from fewshot.progress import OverallProgress, Report
from fewshot.training.description import read_description

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
    result runs again in three cases: its model is to be kept and is missing; a wider plan has more or larger rounds,
    for which the model has to choose; the result is a part score (`Result.is_part_score`).

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
        all_cells = list(dict.fromkeys([*map(Cell.from_result, stored), *experiment.cells]))
        plan_file.write(folder, experiment.identity, plan_file.collect_facts(experiment, all_cells), stored, command)
        complete = [result for result in stored if not result.is_part_score]
        progress = OverallProgress(experiment.updates(), experiment.name, report)
        grid = Grid(experiment, path, complete, keep, rates, progress, on_result)
        results = grid.run(workers)
    return [results[cell] for cell in experiment.cells]


class Grid:
    """The cells of an experiment, and the loop that gives each of them a result.

    Args:
        path: results file, to which new results are appended.
        stored: results of earlier sessions, of these cells or others.
        keep: whether to keep the model of `Experiment.kept_cell`.
        on_result: called with every result, including the stored ones.
    """

    def __init__(
        self,
        experiment: Experiment,
        path: Path,
        stored: Sequence[Result],
        keep: bool,
        rates: Rates,
        progress: OverallProgress[Cell],
        on_result: Callable[[Result], None] | None,
    ) -> None:
        self._experiment, self._path, self._rates = experiment, path, rates
        self._progress, self._on_result = progress, on_result
        self._ids = {cell: run_id(experiment.identity, cell) for cell in experiment.cells}
        self._stored = {result.run: result for result in stored}
        kept = experiment.kept_cell
        self._keep_in = {}
        if keep and not _is_kept(path.parent, self._ids[kept]):
            self._keep_in[kept] = path.parent / MODEL_FOLDER
        self._unknown = dict.fromkeys(experiment.cells)  # cells whose shots were not known so far
        self._queue = deque[Assignment]()
        self._first: dict[Hashable, Cell] = {}  # by training key: the first cell that has it
        self._repetitions: dict[Cell, list[Cell]] = defaultdict(list)  # of cells that are being trained
        self._results: dict[Cell, Result] = {}

    def run(self, workers: Workers) -> dict[Cell, Result]:
        """Settle all cells and return their results."""
        for cell in self._unknown:
            stored = self._stored.get(self._ids[cell])
            if stored and not self._needs_model(cell):
                self._settle(cell, stored)
        self._queue_known()
        if self._queue:
            left = len(self._ids) - len(self._results)
            with workers.start(self._experiment, left) as carry_out:
                for run, scored in carry_out(self._queue, self._progress.update):
                    result = make_result(self._experiment, run.cell, run.id, scored, self._rates)
                    self._settle(run.cell, result, trained=True)
                    self._queue_known()
        assert not self._unknown, f"no model has chosen the shots of {next(iter(self._unknown))}"
        return self._results

    def _queue_known(self) -> None:
        """Queue the cells whose shots have become known; settle those that repeat a settled cell."""
        shots_of = self._experiment.shots
        known = [cell for cell in self._unknown if shots_of.is_known(cell)]
        for cell in known:
            del self._unknown[cell]
            same = self._first.setdefault(shots_of.training_key(cell), cell)
            if cell in self._results:
                continue
            if same == cell or self._needs_model(cell):
                keep_in, next_size = self._keep_in.get(cell), shots_of.count_unchosen(cell)
                self._queue.append(Assignment(cell, self._ids[cell], shots_of.for_cell(cell), keep_in, next_size))
            elif same in self._results:
                self._settle_repetition(cell, same)
            else:
                self._repetitions[same].append(cell)
        if known:  # smaller k first, so that all curves grow together
            places = {cell: place for place, cell in enumerate(self._ids)}
            ordered = sorted(self._queue, key=lambda run: places[run.cell])
            self._queue.clear()
            self._queue.extend(ordered)

    def _settle(self, cell: Cell, result: Result, trained: bool = False) -> None:
        """Store the result of a cell and of those that repeat it; a stored result is never replaced."""
        self._results[cell] = self._stored.get(result.run, result)
        self._experiment.shots.recall(result)
        if result.run not in self._stored:
            append_result(self._path, result)
        if self._on_result:
            self._on_result(self._results[cell])
        self._progress.finish(cell, trained)
        for repetition in self._repetitions.pop(cell, ()):
            self._settle_repetition(repetition, cell)

    def _settle_repetition(self, cell: Cell, same: Cell) -> None:
        """Give a cell the result of one with the same examples in another shot set."""
        result = replace(self._results[same], run=self._ids[cell], shot_set=cell.shot_set, chosen=(), seconds=0.0)
        self._settle(cell, result)

    def _needs_model(self, cell: Cell) -> bool:
        """Return whether the model of a cell is to be kept, or has to choose the next round."""
        return cell in self._keep_in or self._experiment.shots.count_unchosen(cell) > 0


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
            tell = partial(progress.update, cell)
            model = experiment.trainer.train(shots, cell.seed, tell, pool=experiment.corpus.pool)
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
