"""An estimate of the duration of a sweep's runs, from one timed training of each kind."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

from fewshot.corpora.types import Example
from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, read_results
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Cell
from fewshot.experiments.run import execute
from fewshot.experiments.trainer import Trainer
from fewshot.options import Request
from fewshot.progress import Report

MAX_SAMPLE = 50
"""Maximum number of examples whose word pieces are counted for the mean."""


@dataclass(frozen=True, slots=True)
class RemainingTime:
    """The remaining work of one run.

    Args:
        trainings: number of trainings, zero-shot not included.
        seconds: estimated duration of the remaining trainings.
        paid_seconds: the same, summed over all machines or GPUs.
        at_once: number of parallel trainings; None: one, with all threads.
    """

    name: str
    trainings: int
    left: int
    seconds: float
    paid_seconds: float
    at_once: int | None
    dollars: float


def pace_key(request: Request) -> Request:
    """Return a request that is equal for runs with the same assumed time for a word piece."""
    return Request("", request.task, model=request.model, method=request.method, regime=request.regime)


def count_pieces(experiment: Experiment) -> dict[Cell, float]:
    """Return the number of word pieces that each cell reads.

    Pieces of an optimizer step count three times, as the backward pass takes twice as long as the forward pass (Kaplan
    et al. 2020, section 2.1).
    """
    trainer, test = experiment.trainer, experiment.corpus.test
    mixed = trainer.source_data if trainer.recipe.regime == "joint" else None
    mixed_pieces = trainer.recipe.batch * fmean(pieces.size for pieces in mixed.pieces) if mixed else 0.0
    scoring = _inputs(trainer, test) * _size(trainer, test)

    @cache
    def reads(draw: Cell) -> float:
        shots = experiment.shots.for_cell(draw)
        if not shots:
            return scoring
        inputs, most = _inputs(trainer, shots), trainer.recipe.batch
        batch = most if trainer.recipe.swaps else inputs / -(-inputs // most)  # swaps fill every batch
        updates, read = trainer.settings(shots).updates, batch * _size(trainer, shots) + mixed_pieces
        if labelled := trainer.recipe.self_training:  # a second training, with as many silver inputs
            return scoring + (labelled + 3 * updates * most) * _size(trainer, shots) + 6 * updates * read
        return scoring + 3 * updates * read

    return {cell: reads(replace(cell, seed=0)) for cell in experiment.cells}


def _inputs(trainer: Trainer, examples: Sequence[Example]) -> int:
    return sum(len(trainer.task.inputs(example)) for example in examples)


def _size(trainer: Trainer, examples: Sequence[Example]) -> float:
    """Return the mean number of word pieces of an input, over at most `MAX_SAMPLE` examples."""
    sample = examples[:: len(examples) // MAX_SAMPLE + 1]
    return fmean(pieces.size for inputs in trainer.start.encode(sample) for pieces in inputs)


def read_pace(experiment: Experiment, folder: Path) -> float | None:
    """Return the seconds for a word piece in the shortest stored training.

    Returns:
        None before the first training; 0 if no training is planned.
    """
    reads = count_pieces(experiment)
    if not any(cell.k for cell in reads):
        return 0.0
    results = [result for result in read_results(folder / RESULTS) if result.seconds and result.k]
    known = [result for result in results if Cell.from_result(result) in reads]
    shortest = min(known, key=lambda result: reads[Cell.from_result(result)], default=None)
    return None if shortest is None else shortest.seconds / reads[Cell.from_result(shortest)]


def measure_pace(
    experiment: Experiment, folder: Path, rates: Rates, workers: Workers, report: Report | None = None
) -> float:
    """Run the shortest training, store its result, and return the seconds for a word piece."""
    reads = count_pieces(experiment)
    shortest = min((cell for cell in reads if cell.k and experiment.shots.is_known(cell)), key=lambda cell: reads[cell])
    single = replace(experiment, cells=[shortest])
    (result,) = execute(single, folder, rates, report, keep=False, workers=workers)
    return result.seconds / reads[shortest]


def estimate_remaining(
    experiment: Experiment, folder: Path, pace: float, workers: Workers, rates: Rates
) -> RemainingTime:
    """Return the remaining work of a run.

    Args:
        pace: seconds for a word piece, see `count_pieces`.
    """
    reads, done = count_pieces(experiment), {Cell.from_result(result) for result in read_results(folder / RESULTS)}
    trainings = [cell for cell in experiment.cells if cell.k]
    left = [cell for cell in trainings if cell not in done]
    at_once = max(1, min(workers.at_once or 1, len(left)))
    once = {_trained_once(experiment, cell): reads[cell] for cell in trainings}
    for cell in done.intersection(trainings):
        once.pop(_trained_once(experiment, cell), None)
    seconds = pace * sum(once.values()) / at_once
    paid = seconds * workers.machines
    annotating = _annotating(experiment, rates)
    return RemainingTime(folder.name, len(trainings), len(left), seconds, paid, workers.at_once, annotating)


def _trained_once(experiment: Experiment, cell: Cell) -> Hashable:
    """Return a key that is equal for cells of which only one is trained.

    A model that chooses shots is always trained.
    """
    shots = experiment.shots
    return cell if shots.count_unchosen(cell) else shots.training_key(cell)


def _annotating(experiment: Experiment, rates: Rates) -> float:
    """Return the cost of annotating one draw of each sampler, in dollars."""
    task, most = experiment.trainer.task, experiment.kept_cell.k
    drawn = [c for c in experiment.cells if c.k == most and not (c.shot_set or c.seed)]
    return sum(rates.price_annotation(task.name, task.units(experiment.shots.for_cell(c)))[1] for c in drawn if c.k)
