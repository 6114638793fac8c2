"""Grid search for the settings of a source model, by its score on development data of the source language alone.

The grid is that of Wu & Dredze 2019, section 5. No target language has a say and no test set is read: what is chosen is
what somebody with English data alone would choose.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from fewshot import records
from fewshot.curves import journal
from fewshot.errors import FewshotError
from fewshot.experiments.plan import digest
from fewshot.training.model import DESCRIPTION, WEIGHTS, Model, read_description
from fewshot.training.presets import BASE
from fewshot.training.recipe import Recipe

RATES, BATCHES, EPOCHS = (2e-5, 3e-5, 5e-5), (16, 32), (3, 4)
"""The grid; encoders smaller than base take ten times these rates."""

FEW = 100
"""Examples of the training or the dev file below which a choice between candidates says little."""

SCORES, BEST = "search.jsonl", "best"
"""In the folder of a search: a line a candidate; the model of the best one so far, until all are trained."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate that was trained.

    Args:
        key: hash of all that its score follows from.
        encoder_lr: peak learning rate of the encoder.
        batch: inputs an update.
        epochs: passes over the training data.
        score: on the development data, in percent.
        seconds: of training and scoring.
    """

    key: str
    encoder_lr: float
    batch: int
    epochs: int
    score: float
    seconds: float


def check_method(method: str) -> None:
    """Refuse a method that is not searched.

    Raises:
        FewshotError: when it has no learning rate that the papers searched.
    """
    if method != "full" and not method.startswith("freeze-"):
        raise FewshotError(f"--search tries learning rates of full and freeze-N; leave it out with {method}")


def grid(recipe: Recipe, encoder: str) -> list[Recipe]:
    """Return the candidates.

    Args:
        recipe: of a source model; says everything else.
        encoder: its kind, see `presets.kind`.
    """
    scale = 1 if encoder == BASE else 10
    return [
        replace(recipe, least=1, encoder_lr=round(scale * lr, 10), batch=batch, epochs=epochs)
        for lr, batch, epochs in product(RATES, BATCHES, EPOCHS)
    ]


def small(train: int, dev: int, kind: str) -> str | None:
    """Return what to say of data that is too small to choose by, None where it is not.

    Args:
        train: number of examples that candidates are trained on.
        dev: number of examples that they are scored on.
        kind: what people call the examples.
    """
    if min(train, dev) >= FEW:
        return None
    return (
        f"{train} {kind} to train on and {dev} to choose by are few for --search, whose choice may be chance; "
        f"give {FEW} or more of each, or leave it out"
    )


def search(
    candidates: Sequence[Recipe],
    train: Callable[[Recipe], tuple[Model, float, float]],
    made_from: Mapping[str, Any],
    folder: Path,
) -> list[Trial]:
    """Train each candidate once and keep the model with the highest score, of equals the first.

    A search that was stopped goes on: what ``search.jsonl`` holds is not trained again.

    Args:
        train: returns the model of a recipe, its development score and the seconds that it took.
        made_from: all else that a score follows from: task, encoder, fingerprints of both data sets, seed.
        folder: takes ``search.jsonl`` and the model.

    Returns:
        The trials in the order of the candidates.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or a line of ``search.jsonl`` is
            damaged.
    """
    recipes = {digest({**made_from, **recipe.described()}): recipe for recipe in candidates}
    path = folder / SCORES
    with journal.writing(path):
        trials = _read(path)
        for key, recipe in recipes.items():
            if key not in trials:
                trials[key] = _try(key, recipe, train, [trials[key] for key in recipes if key in trials], folder)
                journal.append(path, asdict(trials[key]))
        done = [trials[key] for key in recipes]
        chosen = best(done).key
        if _kept(folder) != chosen:
            if _kept(folder / BEST) != chosen:  # somebody removed it
                _try(chosen, recipes[chosen], train, [], folder)
            _copy(folder / BEST, folder)
        shutil.rmtree(folder / BEST, ignore_errors=True)
    return done


def best(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the highest score, of equals the first."""
    return max(trials, key=lambda trial: trial.score)


def _read(path: Path) -> dict[str, Trial]:
    """Return the trials of a file by their keys."""
    trials = {}
    for number, line in journal.read(path):
        where = f"{path}:{number}: no trial of a search"
        values = records.parse(line, Trial, where, "remove this line and it is repeated")
        trial = Trial(**{field.name: values[field.name] for field in fields(Trial)})
        trials[trial.key] = trial
    return trials


def _try(
    key: str,
    recipe: Recipe,
    train: Callable[[Recipe], tuple[Model, float, float]],
    before: Sequence[Trial],
    folder: Path,
) -> Trial:
    """Train a candidate, and keep its model when it is better than all before it."""
    model, score, seconds = train(recipe)
    if all(score > trial.score for trial in before):
        model.provenance = {**model.provenance, "search": key}
        model.save(folder / BEST)
    return Trial(key, recipe.encoder_lr, recipe.batch, recipe.epochs, score, seconds)


def _copy(model: Path, folder: Path) -> None:
    try:
        (folder / DESCRIPTION).unlink(missing_ok=True)  # written last: where it stands, the weights are whole
        for name in (WEIGHTS, DESCRIPTION):
            shutil.copyfile(model / name, folder / name)
    except OSError as error:
        raise FewshotError(f"{folder}: the model cannot be written: {error.strerror}") from None


def _kept(folder: Path) -> str | None:
    """Return the key of the candidate whose model is in a folder."""
    return (read_description(folder) or {}).get("search")
