"""The steps of ``fewshot run`` as functions for notebooks, see the docstring of `fewshot`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from operator import index
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go

import fewshot.corpora.formats.conllu
import fewshot.corpora.load
import fewshot.training.adapt
import samplers
from fewshot import tasks
from fewshot.corpora.load import Corpus
from fewshot.corpora.types import Example
from fewshot.costs import prices
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve, curves
from fewshot.encoders.load import load_encoder
from fewshot.encoders.vowel_signs import AUTO, fit_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate, predict, signals, source_share
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import load_experiment
from fewshot.experiments.plan import Plan, expand_samplers
from fewshot.experiments.rounds import rounds
from fewshot.experiments.run import execute
from fewshot.experiments.source_data import load_mixed_in
from fewshot.training import presets, sources
from fewshot.training.adapt import resolve_device
from fewshot.training.batching import prepare
from fewshot.training.model import Model, load_model

__all__ = ["LearningCurves", "adapt", "curve", "evaluate", "load", "predict", "rounds", "sample", "source"]

corpora = fewshot.corpora

E = TypeVar("E", bound=Example)


@dataclass(frozen=True)
class LearningCurves:
    """The learning curves of a plan, one for each sampler.

    Args:
        label: title of the score axis.
    """

    curves: Sequence[Curve]
    label: str
    kind: str

    def plot(self) -> go.Figure:
        """Return a figure of the curves with their 95% bands."""
        return figure(self.curves, self.label, self.kind)

    def frame(self) -> pd.DataFrame:
        """Return one row for each point: sampler, k, tokens, minutes, dollars, score, interval, gain."""
        return pd.DataFrame(
            [{"sampler": curve.name, **asdict(point)} for curve in self.curves for point in curve.points]
        )


def load(lang: str, task: str = "pos", data: str | Path = "sample") -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Load the pool and the test set of a language.

    Args:
        lang: language code such as ``ja``.
        task: task whose gold annotation the data must have.
        data: ``sample`` (embedded), ``ud``, the name of a UD treebank, a folder, or a file.

    Raises:
        FewshotError: when the data is missing or lacks the annotation.
    """
    wanted = tasks.get(task)
    corpus = _corpus(lang, wanted, data)
    both = [*corpus.pool, *corpus.test]
    tasks.check_gold(wanted.fitted(both), both)
    return corpus.pool, corpus.test


def sample(pool: Sequence[E], k: int, sampler: str = "random", seed: int = 0, model: Model | None = None) -> list[E]:
    """Draw the k examples to annotate first, see `samplers.pick`.

    Args:
        model: model for an active sampler, for example ``fs.source("pos")``.

    Raises:
        FewshotError: when an active sampler has no model.
    """
    pool = pool if isinstance(pool, Sequence) else list(pool)  # a generator is read once
    samplers.check(sampler, pool, k)
    needs = samplers.needs([sampler])
    if needs and model is None:
        raise FewshotError(f"sampler {sampler!r} needs a model; give one, such as model=fs.source('pos')")
    return samplers.pick(sampler, pool, k, seed, signals(model, pool, needs) if model else None)


def source(task: str = "pos", model: str | Path = "mini", method: str = "full", pooling: str | None = None) -> Model:
    """Load the source model of a task; `fewshot.training.sources.find` chooses among several.

    Args:
        model: encoder: ``mini`` (embedded), a hub id, or a folder.
        method: method of the adaptation; ``feature-based`` has its own source models.
        pooling: pooling of the source model, see `Recipe`.

    Raises:
        FewshotError: when there is none; the message says how to train one.
    """
    encoder = load_encoder(model)
    return load_model(sources.find(tasks.get(task), encoder, method=method, pooling=pooling), encoder)


def adapt(
    source: Model,
    shots: Sequence[Example],
    method: str = "full",
    seed: int = 0,
    device: str = "auto",
    source_data: str | Path | None = None,
    vowel_signs: str = AUTO,
    **changes: Any,
) -> Model:
    """Adapt a source model to k annotated examples.

    Args:
        source: source model, which is not changed.
        shots: annotated examples of the target language; may have labels that are new to the source model.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        source_data: English file or folder for the ``joint`` regime; by default as in ``fewshot run``.
        vowel_signs: optional vowel signs that the model reads: ``keep``, ``strip``, or ``auto``, which strips them when
            most words of the shots have signs and the encoder lacks them.
        changes: settings of `Recipe` that replace those of the preset, such as ``updates=200, regime="sequential"``.
    """
    shots = tasks.as_examples(source.task, shots)
    source = source.with_tokenizer_of(fit_encoder(source.encoder, shots, setting=vowel_signs))
    known = source.with_labels_of(source.task.fitted(shots)) is source
    recipe = presets.adaptation(source.task, presets.encoder_size(source.encoder), method, known, **changes)
    if recipe.self_training:
        raise FewshotError("adapt has no pool for self_training; use curve, or leave it out")
    examples, _ = load_mixed_in(source, recipe, Path(source_data) if source_data else None)
    start = source.with_labels_of(source.task.fitted([*shots, *examples]))
    mixed = prepare(start, examples) if examples else None
    kept = source_share(start, shots, recipe)
    return fewshot.training.adapt.adapt(start, shots, recipe, seed, resolve_device(device), mixed, kept=kept)


def curve(  # noqa: PLR0913
    lang: str,
    task: str = "pos",
    k: int | Sequence[int] = (10,),
    sampler: str | Sequence[str] | None = None,
    shot_sets: int = 3,
    seeds: int = 2,
    model: str = "mini",
    data: str | Path = "sample",
    method: str = "full",
    device: str = "auto",
    out: str | Path | None = None,
    rounds: bool = False,
    jobs: int | None = None,
    vowel_signs: str = AUTO,
    dictionary: bool = True,
    **changes: Any,
) -> LearningCurves:
    """Run a plan, or read its stored results, and return the learning curves.

    Args:
        k: one number of shots or several, also as a NumPy array; 0 is always run.
        sampler: one name or several, or ``all``; by default that of the task.
        shot_sets: number of draws of each sampler.
        seeds: number of trainings on each draw.
        out: folder of the results; by default that of ``fewshot run`` for the same plan.
        rounds: whether active samplers draw in rounds, at each k with the model of the shots so far.
        jobs: number of processes with one thread each; None: this process, with all threads. A script, which the
            processes import, must call this function below ``if __name__ == "__main__":``; a notebook needs no such
            line.
        vowel_signs: see ``adapt``; ``auto`` also compares pool and test set.
        dictionary: whether lemmas are looked up in a dictionary of the language, if there is one.

    Raises:
        FewshotError: when plan, data and models do not fit together, or k is not a whole number or several.
    """
    wanted = tasks.get(task)
    asked = wanted.sampler if sampler is None else sampler
    names = expand_samplers([asked] if isinstance(asked, str) else asked, wanted)
    plan = Plan(task, lang, _numbers_of_shots(k), names, shot_sets, seeds, method, changes, rounds)
    corpus = _corpus(lang, wanted, data)
    experiment = load_experiment(
        plan, corpus, model, resolve_device(device), vowel_signs=vowel_signs, dictionary=dictionary
    )
    rates = prices.load()
    results = execute(experiment, Path(out) if out else experiment.folder, rates, workers=Local(jobs))
    return LearningCurves(curves(results, rates), experiment.trainer.task.score_label, wanted.example.kind)


def _numbers_of_shots(k: Any) -> tuple[int, ...]:
    try:
        return tuple(sorted({index(number) for number in (k if isinstance(k, Iterable) else [k])}))
    except TypeError:
        raise FewshotError(f"k is {k!r}; give a whole number such as 10, or several such as [10, 50]") from None


def _corpus(lang: str, task: tasks.Task[Any], data: str | Path) -> Corpus:
    return fewshot.corpora.load.load(lang, data, task.example.kind, instead=task.data_hint, task=task)
