"""Carry out the runs of an experiment: each result is on disk as soon as it is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from fewshot.costs.prices import Rates
from fewshot.curves.results import Result, append_result, locked_results, read_all_results
from fewshot.experiments import plan_file
from fewshot.experiments.executors.base import Executor, Workers
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import Assignment, Experiment, Finding
from fewshot.experiments.grid import Grid
from fewshot.experiments.overall_progress import OverallProgress
from fewshot.experiments.plan import Cell, run_id
from fewshot.progress import Report
from fewshot.training.model import read_description

MODEL = "model"
"""Folder of the adapted model that is kept beside the results."""

ALONE = Local()
"""This process does one run after the other."""


def execute(
    experiment: Experiment,
    folder: Path,
    rates: Rates,
    report: Report | None = None,
    each: Callable[[Result], None] | None = None,
    command: str = "",
    keep: bool = True,
    workers: Workers = ALONE,
) -> list[Result]:
    """Do the runs of an experiment that the folder has no result of.

    What another draw of the same examples has found is taken over, unless the model has to choose the next round. A
    result says which shots its model has chosen, so that a stopped experiment goes on where it stopped. A model whose
    result is stored is trained again in two cases: the folder does not hold the model that is to be kept, or a wider
    plan has more rounds, or larger ones, for which the model has to choose.

    Args:
        folder: takes ``results.jsonl``, ``plan.json`` and the adapted model; made if need be.
        report: told after every update and every run.
        each: called with every result as soon as it is there, also with those that were there before.
        command: that repeats the experiment, for ``plan.json``.
        keep: whether a model is kept, see `Experiment.kept`.
        workers: who does them; this process with all its threads may round sums otherwise in the last digits than
            those with one each.

    Returns:
        The results in the order of the cells.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or it holds runs of another
            identity; when the labels have no price; when a process has died.
    """
    trainer, corpus = experiment.trainer, experiment.corpus
    rates.annotating(trainer.task.name, trainer.task.units(corpus.test))  # refused before anything is trained
    with locked_results(folder) as path:
        stored = read_all_results(path)
        plan_file.check(folder, experiment.identity, stored)
        experiment.shots.recall(stored)
        cells = list(dict.fromkeys([*map(Cell.of, stored), *experiment.cells]))
        plan_file.write(folder, experiment.identity, plan_file.facts(experiment, cells), stored, command)
        whole = [result for result in stored if not result.is_part_score]
        grid = Grid(experiment, whole, _model_folder(experiment, folder) if keep else None)
        progress = OverallProgress(experiment.updates(), experiment.name, report)

        def settle(cell: Cell, result: Result, trained: bool) -> None:
            if grid.settle(cell, result):
                append_result(path, result)
            if each:
                each(grid.found[cell])
            progress.finish(cell, trained)

        for cell, result in grid.known():
            settle(cell, result, trained=False)
        if grid.waiting:
            with workers.executor(experiment, len(grid.waiting)) as executing:
                for run, finding in _done(grid, executing, progress, partial(settle, trained=False)):
                    settle(run.cell, result_of(experiment, run.cell, run.id, finding, rates), trained=True)
    return [grid.found[cell] for cell in experiment.cells]


def _done(
    grid: Grid,
    executing: Executor[Assignment, Finding],
    progress: OverallProgress[Cell],
    settle: Callable[[Cell, Result], None],
) -> Iterator[tuple[Assignment, Finding]]:
    """Have all that waits carried out, and yield what has ended; what another run has found already is settled."""
    while grid.waiting or executing.busy:
        for cell in grid.ready():
            if not executing.free:
                break
            if repeated := grid.repeated(cell):
                settle(cell, repeated)
            else:
                executing.begin(grid.begin(cell))
        if executing.busy:  # not where all that was ready repeats what was found
            yield from executing.ended(progress.tell)


def train_unscored(experiment: Experiment, folder: Path, report: Report | None = None) -> None:
    """Train and keep the model that `execute` would keep, where the corpus has no test set to score it on.

    Args:
        experiment: of which only the kept cell is trained.
        folder: takes the model; a model of the same run that lies there is left alone.
        report: told after every update.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    cell = experiment.kept
    run = run_id(experiment.identity, cell)
    with locked_results(folder):
        if not _is_kept(folder, run):
            progress = OverallProgress(replace(experiment, cells=[cell]).updates(), experiment.name, report)
            model = experiment.trainer.train(experiment.shots.of(cell), cell.seed, lambda now: progress.tell(cell, now))
            experiment.save(model, cell, run, folder / MODEL)


def _is_kept(folder: Path, run: str) -> bool:
    return (read_description(folder / MODEL) or {}).get("run") == run


def _model_folder(experiment: Experiment, folder: Path) -> Path | None:
    """Return where the model of an experiment is to be kept, None where it is already."""
    return None if _is_kept(folder, run_id(experiment.identity, experiment.kept)) else folder / MODEL


def result_of(experiment: Experiment, cell: Cell, run: str, finding: Finding, rates: Rates) -> Result:
    """Return the result of a cell.

    Args:
        run: its id, see `fewshot.experiments.plan.run_id`.
    """
    trainer, corpus, evaluation = experiment.trainer, experiment.corpus, finding.evaluation
    task, shots = trainer.task, experiment.shots.of(cell)
    silver, labelled = experiment.silver, experiment.labelled(cell)
    units = task.units(shots)
    minutes, dollars = rates.annotating(task.name, units)
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
        seconds=finding.seconds,
        device=trainer.device.type,
        shots=tuple(shot.id for shot in shots),
        rounds=cell.rounds,
        chosen=finding.chosen,
        asked=labelled.asked,
        teacher=silver.teacher if silver else "",
        teacher_device=silver.device if silver else "",
        teacher_seconds=labelled.seconds,
    )
