"""Run the cells of an experiment; each result is written to the disk at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from fewshot.costs.prices import Rates
from fewshot.curves.results import Result, append_result, lock_results, read_all_results
from fewshot.experiments import plan_file
from fewshot.experiments.executors.base import Executor, Workers
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import Assignment, Experiment, ScoredCell
from fewshot.experiments.grid import Grid
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
        experiment.shots.recall(stored)
        cells = list(dict.fromkeys([*map(Cell.from_result, stored), *experiment.cells]))
        plan_file.write(folder, experiment.identity, plan_file.collect_facts(experiment, cells), stored, command)
        complete = [result for result in stored if not result.is_part_score]
        grid = Grid(experiment, complete, _model_folder(experiment, folder) if keep else None)
        progress = OverallProgress(experiment.updates(), experiment.name, report)

        def settle(cell: Cell, result: Result, trained: bool) -> None:
            if grid.settle(cell, result):
                append_result(path, result)
            if on_result:
                on_result(grid.results[cell])
            progress.finish(cell, trained)

        for cell, result in grid.stored_cells():
            settle(cell, result, trained=False)
        if grid.waiting:
            with workers.executor(experiment, len(grid.waiting)) as executing:
                for run, scored in _execute_waiting(grid, executing, progress, partial(settle, trained=False)):
                    settle(run.cell, make_result(experiment, run.cell, run.id, scored, rates), trained=True)
    return [grid.results[cell] for cell in experiment.cells]


def _execute_waiting(
    grid: Grid,
    executing: Executor[Assignment, ScoredCell],
    progress: OverallProgress[Cell],
    settle: Callable[[Cell, Result], None],
) -> Iterator[tuple[Assignment, ScoredCell]]:
    """Run all waiting cells and yield them when they end; settle cells that repeat a result."""
    while grid.waiting or executing.busy:
        for cell in grid.ready():
            if not executing.free:
                break
            if repeated := grid.find_repeated(cell):
                settle(cell, repeated)
            else:
                executing.begin(grid.begin(cell))
        if executing.busy:  # False if all ready cells repeated a result
            yield from executing.ended(progress.update)


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


def _model_folder(experiment: Experiment, folder: Path) -> Path | None:
    """Return the folder for the kept model, or None if the model is there already."""
    return None if _is_kept(folder, run_id(experiment.identity, experiment.kept_cell)) else folder / MODEL_FOLDER


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
