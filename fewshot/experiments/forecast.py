"""How long the runs of a sweep will take, from one training of each kind that is timed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, Result, read_results
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Condition
from fewshot.experiments.request import Request
from fewshot.experiments.run import execute
from fewshot.progress import Report


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is left of one run.

    Args:
        name: of the run.
        trainings: number of all, zero-shot left out.
        left: number of those that are to be done.
        seconds: that they will take.
        paid_seconds: the same on all machines, or GPUs, together.
        at_once: how many; None where one process does all with all its threads.
        dollars: of annotating the shots of one draw of each sampler, at the largest k.
    """

    name: str
    trainings: int
    left: int
    seconds: float
    paid_seconds: float
    at_once: int | None
    dollars: float


def kind(request: Request) -> Request:
    """Return what runs share whose trainings are taken to need the same time for an optimizer step."""
    return Request("", request.task, model=request.model, method=request.method, regime=request.regime)


def known_pace(experiment: Experiment, folder: Path) -> float | None:
    """Return the seconds of an optimizer step, by the shortest training of an earlier session; None without one.

    Args:
        folder: of the run.

    Returns:
        Seconds, a step's share of the evaluation included.
    """
    updates = experiment.updates()
    results = [result for result in read_results(folder / RESULTS) if result.seconds and result.k]
    known = [result for result in results if Condition.of(result) in updates]
    shortest = min(known, key=lambda result: updates[Condition.of(result)], default=None)
    return None if shortest is None else _pace(experiment, shortest)


def timed_pace(
    experiment: Experiment, folder: Path, rates: Rates, workers: Workers, report: Report | None = None
) -> float:
    """Do the shortest training of an experiment, whose result is kept, and return the seconds of an optimizer step.

    Args:
        folder: of the run.
        workers: who will do all.
        report: told how far it is.
    """
    updates = experiment.updates()
    shortest = min((condition for condition in updates if condition.k), key=lambda one: updates[one])
    alone = replace(experiment, conditions=[shortest])
    (result,) = execute(alone, folder, rates, report, keep=False, workers=workers)
    return _pace(experiment, result)


def forecast(experiment: Experiment, folder: Path, pace: float, workers: Workers, rates: Rates) -> Forecast:
    """Return what is left of a run.

    Args:
        folder: of the run.
        pace: seconds of an optimizer step.
        workers: who will do it.
    """
    updates, done = experiment.updates(), {Condition.of(result) for result in read_results(folder / RESULTS)}
    trainings = [condition for condition in experiment.conditions if condition.k]
    left = [condition for condition in trainings if condition not in done]
    at_once = max(1, min(workers.at_once or 1, len(left)))
    seconds = pace * sum(updates[condition] for condition in left) / at_once
    paid = seconds * workers.machines
    annotating = _annotating(experiment, rates)
    return Forecast(folder.name, len(trainings), len(left), seconds, paid, workers.at_once, annotating)


def _pace(experiment: Experiment, result: Result) -> float:
    return result.seconds / experiment.updates()[Condition.of(result)]


def _annotating(experiment: Experiment, rates: Rates) -> float:
    """Return the dollars of the shots of one draw of each sampler."""
    task, most = experiment.trainer.task, experiment.kept.k
    drawn = [c for c in experiment.conditions if c.k == most and not (c.shot_set or c.seed)]
    return sum(rates.annotating(task.name, task.units(experiment.shots.expected(c)))[1] for c in drawn if c.k)
