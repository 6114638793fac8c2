"""Carry out an analysis: pretrain its encoders and probe them, each result on disk before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from fewshot.curves.results import Result, append_result, locked_results, read_results
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.evaluation import evaluate
from fewshot.experiments.plan import digest
from fewshot.papers.small_encoders.corpora import build
from fewshot.papers.small_encoders.design import Pretraining, shown
from fewshot.papers.small_encoders.probe_data import change
from fewshot.papers.small_encoders.probes import Probe, Work
from fewshot.pretraining.pretrain import pretrain
from fewshot.progress import Progress, Report
from fewshot.training.adapt import train_source
from fewshot.training.model import Model


def execute(work: Work, folder: Path, report: Report, say: Callable[[str], None]) -> dict[str, Result]:
    """Do what the folder has no result of; a pretraining that was stopped goes on from its checkpoint.

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
    probes = {probe.identity: probe for _, probe in work.cells}
    order = list(dict.fromkeys(probe.pretraining.key for probe in probes.values()))
    todo = sorted(probes.values(), key=lambda probe: (order.index(probe.pretraining.key), _training(probe)))
    with locked_results(folder) as path:
        done = {result.run: result for result in read_results(path)}
        for seed in range(work.design.seeds):
            left = [probe for probe in todo if probe.run(seed) not in done]
            for key, of_encoder in groupby(left, key=lambda probe: probe.pretraining.key):
                ours = list(of_encoder)
                name = f"seed {seed + 1}/{work.design.seeds}, encoder {order.index(key) + 1}/{len(order)} "
                name += ours[0].pretraining.name
                encoder = _encoder(work, ours[0].pretraining, seed, folder, name, report, say)
                for _, alike in groupby(ours, key=_training):
                    for result in _score(list(alike), encoder, seed, work.device, report):
                        append_result(path, result)
                        done[result.run] = result
                        score = f"{result.score:.1f} [{result.low:.1f}, {result.high:.1f}]"
                        say(f"{name}: {result.task} {result.lang} {score}")
    return done


def _training(probe: Probe) -> tuple[str, str, str]:
    """Return what is equal for the probes of an encoder that are trained alike."""
    return probe.task.name, probe.langs[0], probe.train.fingerprint


def _encoder(
    work: Work,
    pretraining: Pretraining,
    seed: int,
    folder: Path,
    name: str,
    report: Report,
    say: Callable[[str], None],
) -> Encoder:
    """Pretrain an encoder, or find it finished."""
    text = build(work.source, pretraining.langs, work.scale.sentences, folder / "corpora", say)
    place = folder / "encoders" / digest([text.name, pretraining.key, seed])

    def tell(now: Progress) -> None:
        report(replace(now, doing=f"{name}: {now.doing}"))

    pretrain(pretraining.seeded(seed), text, place, work.device, tell, say)
    return load_encoder(str(place))


def _score(
    probes: Sequence[Probe], encoder: Encoder, seed: int, device: torch.device, report: Report
) -> Iterator[Result]:
    """Train on what the probes have in common, and yield the result of each test set."""
    first = probes[0]
    done_to = first.pretraining.settings.transforms
    started = time.perf_counter()
    report(Progress(0, 0, f"probing {first.pretraining.name}: {first.task.title}, trained on {shown(first.langs[0])}"))
    train = [change(example, done_to.get(first.langs[0], [])) for example in first.train.examples]
    model = train_source(first.task, encoder, train, first.recipe, seed, device)
    for probe in probes:
        test = [change(example, done_to.get(probe.langs[1], [])) for example in probe.test.examples]
        yield _result(probe, model, train, test, seed, started)


def _result(probe: Probe, model: Model, train: Sequence[Any], test: Sequence[Any], seed: int, started: float) -> Result:
    """Score a test set; each seed counts as a draw of its own, so that intervals go over pretrainings."""
    evaluation = evaluate(model, test)
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
    )
