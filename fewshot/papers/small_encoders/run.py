"""Carry out an analysis: pretrain its encoders and probe them, each result on disk before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from fewshot.curves.results import Result, append_result, locked_results, read_results
from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.experiments.jobs import Job, do_missing
from fewshot.experiments.machine import PROCESS_BYTES, WEIGHT_BYTES
from fewshot.experiments.plan import digest
from fewshot.papers.small_encoders.corpora import build
from fewshot.papers.small_encoders.design import shown
from fewshot.papers.small_encoders.probe_data import change
from fewshot.papers.small_encoders.probes import Probe, Work
from fewshot.papers.small_encoders.scale import weights
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.pretrain import pretrain
from fewshot.progress import Progress, Report
from fewshot.training.adapt import train_source
from fewshot.training.model import Model


def execute(work: Work, folder: Path, report: Report, say: Callable[[str], None]) -> dict[str, Result]:
    """Do what the folder has no result of; a pretraining that was stopped goes on from its checkpoint.

    All encoders are pretrained first, then all are probed, several at once where the place of the work has it.

    Args:
        work: design and data.
        folder: takes ``results.jsonl``, ``corpora`` and ``encoders``; made if need be.
        report: told often how far it is.
        say: called with a line for each result.

    Returns:
        Results by `Probe.run`.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    largest = max((weights(probe.pretraining.settings) for _, probe in work.cells), default=0)
    process_bytes = PROCESS_BYTES + WEIGHT_BYTES * largest
    with locked_results(folder) as path:
        done = {result.run: result for result in read_results(path)}

        def keep(job: Job[list[Result]], results: list[Result]) -> None:
            for result in results:
                append_result(path, result)
                done[result.run] = result
                say(f"{job.name}: {result.lang} {result.score:.1f} [{result.low:.1f}, {result.high:.1f}]")

        encoders, trainings = _left(work, folder, done, say)
        do_missing(trainings, {}, keep, work.place, report, process_bytes, first=encoders)
    return done


def _left(
    work: Work, folder: Path, done: Container[str], say: Callable[[str], None]
) -> tuple[list[Job[None]], list[Job[list[Result]]]]:
    """Return the encoders that are to be probed still, whose corpora are written, and their trainings."""
    probes = {probe.identity: probe for _, probe in work.cells}
    order = list(dict.fromkeys(probe.pretraining.key for probe in probes.values()))
    todo = sorted(probes.values(), key=lambda probe: (order.index(probe.pretraining.key), _training(probe)))
    updates = max([1, *(probe.pretraining.settings.updates for _, probe in work.cells)])
    encoders: list[Job[None]] = []
    trainings: list[Job[list[Result]]] = []
    for seed in range(work.design.seeds):
        left = [probe for probe in todo if probe.run(seed) not in done]
        for key, of_encoder in groupby(left, key=lambda probe: probe.pretraining.key):
            ours = list(of_encoder)
            pretraining = ours[0].pretraining
            number = f"seed {seed + 1}/{work.design.seeds}, encoder {order.index(key) + 1}/{len(order)}"
            name = f"{number} {pretraining.name}"
            text = build(work.source, pretraining.langs, work.scale.sentences, folder / "corpora", say)
            place = folder / "encoders" / digest([text.name, key, seed])
            encoders.append(Job(name, name, partial(_pretrain, pretraining.seeded(seed), text, place), updates))
            for (task, lang, _), alike in groupby(ours, key=_training):
                same = tuple(alike)
                which = f"{name}: {task}, trained on {shown(lang)} of {same[0].train.folder}"
                trainings.append(Job(which, which, partial(_probe, same, place, seed), work.scale.probe_updates))
    return encoders, trainings


def _training(probe: Probe) -> tuple[str, str, str]:
    """Return what is equal for the probes of an encoder that are trained alike."""
    return probe.task.name, probe.langs[0], probe.train.fingerprint


def _pretrain(settings: PretrainConfig, text: Path, place: Path, device: torch.device, report: Report) -> None:
    """Pretrain an encoder, unless it is finished."""

    def tell(now: Progress) -> None:
        if now.total:  # else it is the name of a stage
            report(Progress(now.done, now.total, loss=now.loss))

    pretrain(settings, text, place, device, tell, lambda line: None)


def _probe(probes: Sequence[Probe], place: Path, seed: int, device: torch.device, report: Report) -> list[Result]:
    """Train on what probes have in common, and score each of their test sets."""
    first = probes[0]
    done_to = first.pretraining.settings.transforms
    started = time.perf_counter()
    train = [change(example, done_to.get(first.langs[0], [])) for example in first.train.examples]
    model = train_source(first.task, load_encoder(str(place)), train, first.recipe, seed, device, progress=report)
    tests = [[change(example, done_to.get(probe.langs[1], [])) for example in probe.test.examples] for probe in probes]
    return [_result(probe, model, train, test, seed, started) for probe, test in zip(probes, tests, strict=True)]


def _result(probe: Probe, model: Model, train: Sequence[Any], test: Sequence[Any], seed: int, started: float) -> Result:
    """Score a test set; each seed counts as a draw of its own, so that intervals go over pretrainings."""
    evaluation = evaluate(model, test, known=model.task)
    return Result(
        run=probe.run(seed),
        task=probe.task.name,
        lang="-".join(map(shown, dict.fromkeys(probe.langs))),
        sampler="",
        k=0,
        shot_set=seed,
        seed=seed,
        method=probe.recipe.method,
        regime=str(probe.recipe.regime),
        model=probe.pretraining.name,
        data=f"{probe.train.folder}, {probe.test.folder}",
        metric=evaluation.metric,
        score=evaluation.score,
        low=evaluation.low,
        high=evaluation.high,
        metrics=evaluation.metrics,
        tokens=sum(example.length for example in train),
        units=probe.task.units(train),
        test_units=probe.task.units(test),
        minutes=0.0,
        dollars=0.0,
        seconds=time.perf_counter() - started,
        device=next(model.parameters()).device.type,
        shots=(),
        known_only=evaluation.known_only,
    )
