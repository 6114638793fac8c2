"""How long the runs of a sweep will take, from one training of each kind that is timed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

from fewshot.corpora.types import Example
from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, read_results
from fewshot.experiments.draws import training_key
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Cell
from fewshot.experiments.run import execute
from fewshot.experiments.trainer import Trainer
from fewshot.options import Request
from fewshot.progress import Report

LOOKED_AT = 50
"""Examples whose word pieces are counted, for the mean of all."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
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
    """Return what runs share whose trainings are taken to need the same time for a word piece."""
    return Request("", request.task, model=request.model, method=request.method, regime=request.regime)


def work(experiment: Experiment) -> dict[Cell, float]:
    """Return how many word pieces each cell reads.

    Those of an optimizer step count three times, since going back takes twice as long as going forward (Kaplan et al.
    2020, section 2.1).
    """
    trainer, test = experiment.trainer, experiment.corpus.test
    mixed = trainer.source_data if trainer.recipe.regime == "joint" else None
    beside = trainer.recipe.batch * fmean(one.size for one in mixed.pieces) if mixed else 0.0
    scoring = _inputs(trainer, test) * _size(trainer, test)

    @cache
    def reads(draw: Cell) -> float:
        shots = experiment.shots.expected(draw)
        if not shots:
            return scoring
        inputs, most = _inputs(trainer, shots), trainer.recipe.batch
        batch = most if trainer.recipe.swaps else inputs / -(-inputs // most)  # swaps make as many as are read
        return scoring + 3 * trainer.settings(shots).updates * (batch * _size(trainer, shots) + beside)

    return {cell: reads(replace(cell, seed=0)) for cell in experiment.cells}


def _inputs(trainer: Trainer, examples: Sequence[Example]) -> int:
    return sum(len(trainer.task.inputs(example)) for example in examples)


def _size(trainer: Trainer, examples: Sequence[Example]) -> float:
    """Return the mean number of word pieces of an input, of at most `LOOKED_AT` examples."""
    some = examples[:: len(examples) // LOOKED_AT + 1]
    return fmean(one.size for inputs in trainer.start.encode(some) for one in inputs)


def known_pace(experiment: Experiment, folder: Path) -> float | None:
    """Return the seconds of a word piece, by the shortest training of an earlier session.

    Args:
        folder: of the run.

    Returns:
        None before the first training; 0 where none is planned.
    """
    reads = work(experiment)
    if not any(cell.k for cell in reads):
        return 0.0
    results = [result for result in read_results(folder / RESULTS) if result.seconds and result.k]
    known = [result for result in results if Cell.of(result) in reads]
    shortest = min(known, key=lambda result: reads[Cell.of(result)], default=None)
    return None if shortest is None else shortest.seconds / reads[Cell.of(shortest)]


def timed_pace(
    experiment: Experiment, folder: Path, rates: Rates, workers: Workers, report: Report | None = None
) -> float:
    """Do the shortest training of an experiment, whose result is kept, and return the seconds of a word piece.

    Args:
        folder: of the run.
        workers: who will do all.
        report: told how far it is.
    """
    reads = work(experiment)
    shortest = min((cell for cell in reads if cell.k), key=lambda one: reads[one])
    alone = replace(experiment, cells=[shortest])
    (result,) = execute(alone, folder, rates, report, keep=False, workers=workers)
    return result.seconds / reads[shortest]


def time_left(experiment: Experiment, folder: Path, pace: float, workers: Workers, rates: Rates) -> TimeLeft:
    """Return what is left of a run.

    Args:
        folder: of the run.
        pace: seconds of a word piece, see `work`.
        workers: who will do it.
    """
    reads, done = work(experiment), {Cell.of(result) for result in read_results(folder / RESULTS)}
    trainings = [cell for cell in experiment.cells if cell.k]
    left = [cell for cell in trainings if cell not in done]
    at_once = max(1, min(workers.at_once or 1, len(left)))
    once = {_trained_once(experiment, cell): reads[cell] for cell in trainings}
    for cell in done.intersection(trainings):
        once.pop(_trained_once(experiment, cell), None)
    seconds = pace * sum(once.values()) / at_once
    paid = seconds * workers.machines
    annotating = _annotating(experiment, rates)
    return TimeLeft(folder.name, len(trainings), len(left), seconds, paid, workers.at_once, annotating)


def _trained_once(experiment: Experiment, cell: Cell) -> Hashable:
    """Return what cells share of which one is trained; see `training_key`, but models that choose are apart."""
    return cell if cell.rounds else training_key(cell, experiment.shots.expected(cell))


def _annotating(experiment: Experiment, rates: Rates) -> float:
    """Return the dollars of the shots of one draw of each sampler."""
    task, most = experiment.trainer.task, experiment.kept.k
    drawn = [c for c in experiment.cells if c.k == most and not (c.shot_set or c.seed)]
    return sum(rates.annotating(task.name, task.units(experiment.shots.expected(c)))[1] for c in drawn if c.k)
