"""How long the runs of a sweep will take, from one training of each kind that is timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, Result, read_results
from fewshot.errors import FewshotError
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.machine import fitting
from fewshot.experiments.plan import Condition
from fewshot.experiments.request import Request
from fewshot.experiments.run import execute
from fewshot.experiments.sweep import Part
from fewshot.progress import Report
from samplers import SamplerError


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is left of one run of a sweep.

    Args:
        name: of the run.
        trainings: number of all, zero-shot left out.
        left: number of those that are to be done.
        seconds: that they will take.
        jobs: processes at once; None where one does all with all its threads.
        dollars: of annotating the shots of one draw of each sampler, at the largest k.
    """

    name: str
    trainings: int
    left: int
    seconds: float
    jobs: int | None
    dollars: float


def forecast(
    parts: Sequence[Part],
    folder: Path,
    device: torch.device,
    rates: Rates,
    jobs: int | None,
    tell: Callable[[str], None],
    failed: Callable[[str, Exception], None],
    report: Report | None = None,
) -> list[Forecast]:
    """Return what is left of each run of a sweep that can be done.

    Of each task, encoder and method one training is timed, the shortest, unless an earlier session has done one; its
    result is kept. Others of its kind are taken to need as long for an optimizer step, its share of the evaluation
    included.

    Args:
        folder: of the sweep.
        jobs: processes at once; None: as many as fit.
        tell: told what is timed.
        failed: told which runs cannot be done, and why.
        report: told how far that training is.
    """
    pace: dict[Request, float] = {}
    found = []
    for part in parts:
        request, place = part.request, folder / part.name
        try:
            experiment = request.experiment(request.plan(device), request.corpus(), device)
            kind, at_once = _kind(request), jobs or fitting(experiment)
            if kind not in pace:
                timed = _timed(place, experiment)
                if timed is None:
                    tell(part.name)
                    timed = _train(place, experiment, rates, at_once and 1, report)
                pace[kind] = timed.seconds / experiment.updates()[Condition.of(timed)]
        except (FewshotError, SamplerError) as error:
            failed(part.name, error)
        else:
            found.append(_left(part.name, place, experiment, pace[kind], at_once, rates))
    return found


def _left(name: str, place: Path, experiment: Experiment, pace: float, jobs: int | None, rates: Rates) -> Forecast:
    """Return what is left of a run whose optimizer steps take so many seconds each."""
    updates, done = experiment.updates(), {Condition.of(result) for result in read_results(place / RESULTS)}
    trainings = [condition for condition in experiment.conditions if condition.k]
    left = [condition for condition in trainings if condition not in done]
    seconds = pace * sum(updates[condition] for condition in left) / (jobs or 1)
    return Forecast(name, len(trainings), len(left), seconds, jobs, _annotating(experiment, rates))


def _kind(request: Request) -> Request:
    """Return what runs share whose trainings take the same time for each step."""
    return Request("", request.task, model=request.model, method=request.method, regime=request.regime)


def _timed(place: Path, experiment: Experiment) -> Result | None:
    """Return the shortest training of an earlier session that took time, None where there is none."""
    updates = experiment.updates()
    results = [result for result in read_results(place / RESULTS) if result.seconds and result.k]
    known = [result for result in results if Condition.of(result) in updates]
    return min(known, key=lambda result: updates[Condition.of(result)], default=None)


def _train(place: Path, experiment: Experiment, rates: Rates, jobs: int | None, report: Report | None) -> Result:
    updates = experiment.updates()
    first = min((condition for condition in updates if condition.k), key=lambda one: updates[one])
    (result,) = execute(replace(experiment, conditions=[first]), place, rates, report, keep=False, jobs=jobs)
    return result


def _annotating(experiment: Experiment, rates: Rates) -> float:
    """Return the dollars of the shots of one draw of each sampler."""
    task, most = experiment.trainer.task, experiment.kept.k
    drawn = [c for c in experiment.conditions if c.k == most and not (c.shot_set or c.seed)]
    return sum(rates.annotating(task.name, task.units(experiment.shots.expected(c)))[1] for c in drawn if c.k)
