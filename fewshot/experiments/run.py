"""Carry out the runs of an experiment: one condition after the other, each result on disk before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from fewshot.corpora.types import Example
from fewshot.costs.prices import Rates
from fewshot.curves.results import Result, append_result, locked_results, read_results
from fewshot.evaluation import Evaluation
from fewshot.experiments import plan_file
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Condition, run_id
from fewshot.progress import Progress, Report
from fewshot.training.model import Model, read_description

MODEL = "model"
"""Folder of the adapted model that is kept beside the results."""


def execute(
    experiment: Experiment,
    folder: Path,
    rates: Rates,
    report: Report | None = None,
    each: Callable[[Result], None] | None = None,
    command: str = "",
    keep: bool = True,
) -> list[Result]:
    """Do the runs of an experiment that the folder has no result of.

    What an earlier shot set of the same examples has found is taken over, unless the model has to choose the next
    round. A result says which shots its model has chosen, so that a stopped experiment trains nothing again; only where
    a wider plan has more rounds, or larger ones, the model that has to choose is trained once more.

    Args:
        folder: takes ``results.jsonl``, ``plan.json`` and the adapted model; made if need be.
        report: told after every update and every run.
        each: called with every result, also with those that were there.
        command: that repeats the experiment, for ``plan.json``.
        keep: whether a model is kept, see `Experiment.kept`.

    Returns:
        The results in the order of the conditions.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or it holds runs of another
            identity; when the labels have no price.
    """
    trainer, corpus, shots = experiment.trainer, experiment.corpus, experiment.shots
    rates.annotating(trainer.task.name, trainer.task.units(corpus.test))  # refused before anything is trained
    with locked_results(folder) as path:
        stored = read_results(path)
        plan_file.check(folder, experiment.identity, stored)
        shots.recall(stored)
        plan_file.write(folder, experiment, stored, command)
        done = {result.run: result for result in stored}
        pieces = trainer.start.encode(corpus.test)
        progress = _Clock(experiment, report)
        results: list[Result] = []
        for condition in experiment.conditions:
            run = run_id(experiment.identity, condition)
            missing = keep and condition == experiment.kept and not _is_kept(folder, run)
            asked = missing or shots.unchosen(condition) > 0
            trained = False
            if run not in done or asked:
                same = None if asked else _repeated(shots.of(condition), condition, results)
                if same:
                    result = replace(same, run=run, shot_set=condition.shot_set, chosen=(), seconds=0.0)
                else:
                    started, trained = time.perf_counter(), True
                    model, evaluation = trainer.train_and_score(
                        shots.of(condition), corpus.test, condition.seed, progress.during(condition), pieces
                    )
                    seconds = time.perf_counter() - started
                    chosen = tuple(shot.id for shot in shots.choose(condition, model))
                    result = _result(experiment, condition, run, evaluation, rates, seconds, chosen)
                    if keep and condition == experiment.kept:
                        _keep(model, experiment, condition, run, folder)
                if run not in done:
                    append_result(path, result)
                    done[run] = result
            results.append(done[run])
            if each:
                each(done[run])
            progress.finish(condition, trained)
    return results


def train_unscored(experiment: Experiment, folder: Path, report: Report | None = None) -> None:
    """Train and keep the model that `execute` would keep, where the corpus has no test set to score it on.

    Args:
        experiment: of which only the kept condition is trained.
        folder: takes the model; a model of the same run that lies there is left alone.
        report: told after every update.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    condition = experiment.kept
    run = run_id(experiment.identity, condition)
    with locked_results(folder):
        if not _is_kept(folder, run):
            alone = replace(experiment, conditions=[condition])
            progress = _Clock(alone, report).during(condition)
            model = experiment.trainer.train(experiment.shots.of(condition), condition.seed, progress)
            _keep(model, experiment, condition, run, folder)


def _is_kept(folder: Path, run: str) -> bool:
    return (read_description(folder / MODEL) or {}).get("run") == run


def _keep(model: Model, experiment: Experiment, condition: Condition, run: str, folder: Path) -> None:
    draw = {"sampler": condition.sampler, "shot_set": condition.shot_set, "rounds": list(condition.rounds)}
    where = {"lang": experiment.trainer.lang, "data": experiment.corpus.source}
    model.provenance = {"run": run, **where, **draw, **model.provenance}
    model.save(folder / MODEL)


def _repeated(shots: Sequence[Example], condition: Condition, results: Sequence[Result]) -> Result | None:
    """Return the result of another shot set of the same examples, with which this one would be one, see `distinct`."""
    mine = {shot.id for shot in shots}
    alike = replace(condition, shot_set=0)
    return next(
        (
            result
            for result in results
            if replace(Condition.of(result), shot_set=0) == alike and set(result.shots) == mine
        ),
        None,
    )


def _result(
    experiment: Experiment,
    condition: Condition,
    run: str,
    evaluation: Evaluation,
    rates: Rates,
    seconds: float,
    chosen: tuple[str, ...],
) -> Result:
    trainer, corpus = experiment.trainer, experiment.corpus
    task, shots = trainer.task, experiment.shots.of(condition)
    units = task.units(shots)
    minutes, dollars = rates.annotating(task.name, units)
    return Result(
        run=run,
        task=task.name,
        lang=trainer.lang,
        sampler=condition.sampler,
        k=condition.k,
        shot_set=condition.shot_set,
        seed=condition.seed,
        method=trainer.recipe.method,
        regime=trainer.recipe.regime,
        model=trainer.source.encoder.name,
        data=corpus.source,
        metric=evaluation.metric,
        score=evaluation.score,
        low=evaluation.low,
        high=evaluation.high,
        metrics=evaluation.metrics,
        tokens=sum(shot.length for shot in shots),
        units=units,
        test_units=task.units(corpus.test),
        minutes=minutes,
        dollars=dollars,
        seconds=seconds,
        device=trainer.device.type,
        shots=tuple(shot.id for shot in shots),
        rounds=condition.rounds,
        chosen=chosen,
    )


class _Clock:
    """Counts updates over all conditions, so that one bar can show them."""

    def __init__(self, experiment: Experiment, report: Report | None) -> None:
        self.updates, self.name = experiment.updates(), experiment.name
        self.total = sum(self.updates.values())
        self.done = self.kept = 0
        self.report = report or (lambda progress: None)

    def during(self, condition: Condition) -> Report:
        """Return what is told of a training, and tells how far the whole is."""
        planned, name = self.updates[condition], self.name(condition)
        return lambda now: self.report(
            Progress(self.done + planned * now.done // now.total, self.total, name, now.loss, self.kept)
        )

    def finish(self, condition: Condition, trained: bool) -> None:
        """Count a condition that was trained, or was there already."""
        self.done += self.updates[condition]
        self.kept += 0 if trained else self.updates[condition]
        self.report(Progress(self.done, self.total, self.name(condition), kept=self.kept))
