"""Everything a plan needs before its first run: data checked, models loaded, what decides the numbers written down."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import samplers
from fewshot import tasks
from fewshot.corpora.load import Corpus, describe, find_split, fingerprint, read
from fewshot.corpora.types import Example
from fewshot.curves.results import Result
from fewshot.encoders.load import load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import signals
from fewshot.experiments.plan import Condition, Plan, digest
from fewshot.experiments.rounds import next_shots
from fewshot.training import sources
from fewshot.training.adapt import decided, settings
from fewshot.training.batching import Prepared, prepare
from fewshot.training.model import Model, load_model
from fewshot.training.recipe import Recipe, Settings

Draw = tuple[str, int, tuple[int, ...]]
"""Sampler, shot set and sizes of the rounds; none where all shots are drawn by what the source model says."""


@dataclass(frozen=True)
class Setup:
    """A plan and what it works on.

    Args:
        plan: what to run.
        task: the task.
        corpus: pool and test set, gold annotation checked.
        source: the source model.
        source_name: of the source model, for screen and report.
        source_data: source examples for the ``joint`` regime, else None.
        source_data_name: where they came from, for screen and report.
        device: where to train.
        identity: fingerprints of all that decides a run's number, beside its condition.
    """

    plan: Plan
    task: tasks.Task[Any]
    corpus: Corpus
    source: Model
    source_name: str
    source_data: Prepared | None
    source_data_name: str
    device: torch.device
    identity: dict[str, Any]
    _signals: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)
    _draws: dict[Draw, list[Example]] = field(default_factory=dict, init=False, repr=False, compare=False)


def check_plan(plan: Plan, corpus: Corpus) -> tasks.Task[Any]:
    """Find what is wrong with a plan before anything slow is loaded.

    Returns:
        The task.

    Raises:
        FewshotError: for an unknown task, missing or invalid gold annotation.
        SamplerError: for an unknown sampler, or a k above the pool.
    """
    task = tasks.get(plan.task)
    tasks.check_gold(task, corpus.test)
    tasks.check_gold(task, corpus.pool)
    for sampler in plan.samplers:
        samplers.check(sampler, corpus.pool, max((*plan.ks, 0)))
    return task


def prepare_plan(
    plan: Plan,
    corpus: Corpus,
    model: str,
    device: torch.device,
    source: Path | None = None,
    source_data: Path | None = None,
) -> Setup:
    """Load the source model and its data.

    Args:
        plan: what to run.
        corpus: pool and test set.
        model: encoder name.
        device: where to train.
        source: folder of a source model; by default the one that `sources.find` returns.
        source_data: source-language file or folder to mix in under the ``joint`` regime; by default what the source
            model was trained on if it is still there, else the embedded English sample.

    Raises:
        FewshotError: when plan, models or data do not fit together.
        SamplerError: see `check_plan`.
    """
    asked = check_plan(plan, corpus)
    encoder = load_encoder(model)
    place = source or sources.find(asked, encoder, method=plan.recipe.method)
    trained = load_model(place, encoder)
    task = trained.task
    if task.name != asked.name:
        raise FewshotError(f"{place}: a source model for task {task.name}, not {asked.name}")
    tasks.check_gold(task, [*corpus.test, *corpus.pool])  # it may know fewer labels than were asked for
    plan = replace(plan, recipe=decided(trained, plan.recipe))
    examples, name = mixed_in(trained, plan.recipe, source_data)
    identity = {
        "task": plan.task,
        "lang": plan.lang,
        "recipe": plan.recipe.described(),
        "encoder": encoder.fingerprint,
        "source": sources.fingerprint(place),
        "data": corpus.fingerprint,
        "source_data": fingerprint(examples),
        "device": device.type,
        **({"updates": list(plan.recipe.by_size(trained.encoder.hidden))} if plan.recipe.swaps else {}),
    }
    mixed = prepare(trained, examples) if examples else None
    return Setup(plan, task, corpus, trained, _name(place), mixed, name, device, identity)


def read_pool(setup: Setup, names: Collection[str]) -> Mapping[str, np.ndarray]:
    """Return what the source model says of the pool, at least what some samplers need; it is asked once only."""
    missing = samplers.needs(names) - setup._signals.keys()
    if missing:
        model = setup.source.copy().to(setup.device).eval()
        setup._signals.update(signals(model, setup.corpus.pool, missing))
    return setup._signals


def shots_of(setup: Setup, condition: Condition) -> list[Example]:
    """Return the examples that a condition's sampler picks; sets of one draw are nested.

    Those of a second or later round are known once the model of the round before has chosen, see `choose`.
    """
    name, k = condition.sampler, condition.k
    if k == 0:
        return []
    if not condition.rounds[1:] and not _drawn(setup, condition):
        known = read_pool(setup, {*setup.plan.samplers, name}) if samplers.needs([name]) else {}
        most = max(k, *setup.plan.ks)
        setup._draws[_key(condition)] = samplers.pick(name, setup.corpus.pool, most, condition.shot_set, known)
    return setup._draws[_key(condition)][:k]


def unchosen(setup: Setup, condition: Condition) -> int:
    """Return how many shots of the next round the model of a condition has yet to choose."""
    size = setup.plan.chosen_by(condition)
    return 0 if size == 0 or _drawn(setup, _next(condition, size)) else size


def choose(setup: Setup, condition: Condition, model: Model) -> list[Example]:
    """Let the model of a condition choose the shots of the next round, where it has to.

    Returns:
        These shots; none where nothing is to be chosen, or they are known.
    """
    size = unchosen(setup, condition)
    if size == 0:
        return []
    shots = shots_of(setup, condition)
    chosen = next_shots(model, setup.corpus.pool, shots, condition.sampler, size, condition.shot_set)
    setup._draws[_key(_next(condition, size))] = shots + chosen
    return chosen


def recall(setup: Setup, results: Sequence[Result]) -> None:
    """Take up the shots of rounds from the results of earlier sessions, so that no model has to choose them again."""
    by_id = {example.id: example for example in setup.corpus.pool}
    for result in results:
        draws = {result.rounds: result.shots}
        if result.chosen:
            draws[*result.rounds, len(result.chosen)] = *result.shots, *result.chosen
        for rounds, ids in draws.items():
            if rounds[1:] and by_id.keys() >= set(ids):
                setup._draws.setdefault((result.sampler, result.shot_set, rounds), [by_id[name] for name in ids])


def settings_of(setup: Setup, condition: Condition) -> Settings:
    """Resolve the recipe for the shots of a condition; an article is as many inputs as it has questions.

    As long as a later round is not drawn, the shots that would be drawn at once stand in for it.
    """
    shots = shots_of(setup, condition if _drawn(setup, condition) else replace(condition, rounds=()))
    inputs = sum(len(setup.task.inputs(shot)) for shot in shots)
    return settings(setup.source, setup.plan.recipe, condition.k, inputs)


def default_folder(setup: Setup) -> Path:
    """Return where a plan's runs are kept unless the user says otherwise: one folder for each identity."""
    return Path("runs") / f"{setup.plan.lang}-{setup.plan.task}-{digest(setup.identity)[:6]}"


def mixed_in(model: Model, recipe: Recipe, given: Path | None) -> tuple[Sequence[Example], str]:
    """Return the source-language examples that a recipe mixes in, none but under ``joint``, and their name for people.

    Args:
        model: the source model.
        recipe: with its regime decided.
        given: file or folder that the user chose, see `source_examples`.

    Raises:
        FewshotError: when the user chose one and the recipe mixes nothing in.
    """
    if recipe.regime == "joint":
        return source_examples(model, given)
    if given is not None:
        raise FewshotError(f"{given}: source data is mixed in under --regime joint alone; add that, or leave it out")
    return [], "none"


def source_examples(model: Model, given: Path | None) -> tuple[Sequence[Example], str]:
    """Return the source-language examples that the ``joint`` regime mixes in, and their name for people.

    Args:
        model: the source model.
        given: file or folder that the user chose; None: what the model was trained on if it is still there, else the
            embedded English sample.
    """
    card, task = sources.origin(model.card), model.task
    if given is None and "data" in card:
        with suppress(FewshotError):  # something else of that name may lie here
            examples = train_file(Path(card["data"]), task)
            if fingerprint(examples) == card.get("data_fingerprint"):
                return examples, card["data"]
    path = given or sources.embedded_english(task.example.kind)
    return train_file(path, task), describe(path)


def train_file(path: Path, task: tasks.Task[Any]) -> Sequence[Example]:
    """Read a file, or the training file of a folder.

    Args:
        path: of either.
        task: whose examples and annotation are read.

    Raises:
        FewshotError: when there is none.
    """
    kind = task.example.kind
    if not path.is_dir():
        return read(path, kind=kind, task=task)
    file = find_split(path, "train", kind) or find_split(path, "pool", kind)
    if file is None:
        raise FewshotError(f"{path}: no train file of {kind} here; give a folder with one, or the file itself")
    return read(file, kind=kind, task=task)


def _name(place: Path) -> str:
    return f"embedded ({place.name})" if place.is_relative_to(sources.embedded_in()) else str(place)


def _drawn(setup: Setup, condition: Condition) -> bool:
    return len(setup._draws.get(_key(condition), ())) >= condition.k


def _key(condition: Condition) -> Draw:
    """Return what a draw is kept by; the first round is drawn as everything is at once."""
    return condition.sampler, condition.shot_set, condition.rounds if condition.rounds[1:] else ()


def _next(condition: Condition, size: int) -> Condition:
    """Return the condition of the next round, of so many shots more."""
    return replace(condition, k=condition.k + size, rounds=(*condition.rounds, size))
