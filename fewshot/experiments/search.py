"""Grid search for the hyperparameters of a source model on development data of the source language.

The grid is that of Wu & Dredze 2019, section 5. The search reads no target language and no test set.
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
from fewshot.errors import DivergedError, FewshotError
from fewshot.experiments.plan import digest
from fewshot.training.description import DESCRIPTION, WEIGHTS, read_description
from fewshot.training.model import Model
from fewshot.training.presets import BASE
from fewshot.training.recipe import Recipe

ENCODER_LRS, BATCHES, EPOCHS = (2e-5, 3e-5, 5e-5), (16, 32), (3, 4)
"""The grid; encoders smaller than base use ten times these learning rates."""

MIN_EXAMPLES = 100
"""Number of training and of development examples below which the choice is mostly chance."""

SCORES_FILE, BEST_FOLDER = "search.jsonl", "best"
"""Names in the folder of a search: scores by candidate, and the best model until all are trained."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A trained candidate.

    Args:
        key: hash of everything that decides the score.
        score: score on the development data, in percent.
    """

    key: str
    encoder_lr: float
    batch: int
    epochs: int
    score: float
    seconds: float

    def of(self, recipe: Recipe) -> Recipe:
        """Return a recipe with the hyperparameters of this trial."""
        return replace(recipe, encoder_lr=self.encoder_lr, batch=self.batch, epochs=self.epochs)


def check_method(method: str) -> None:
    """Raise an error for a method that has no learning rates to search.

    Raises:
        FewshotError: for a method other than ``full`` and ``freeze-N``.
    """
    if method != "full" and not method.startswith("freeze-"):
        raise FewshotError(f"--search is for --method full and freeze-N only; leave it out with {method}")


def make_candidates(recipe: Recipe, encoder: str) -> list[Recipe]:
    """Return the candidates of the grid.

    Args:
        recipe: recipe of a source model, for all other hyperparameters.
        encoder: kind of the encoder, see `presets.encoder_size`.
    """
    scale = 1 if encoder == BASE else 10
    return [
        replace(recipe, least=1, encoder_lr=round(scale * lr, 10), batch=batch, epochs=epochs)
        for lr, batch, epochs in product(ENCODER_LRS, BATCHES, EPOCHS)
    ]


def small_data_warning(train: int, dev: int, kind: str) -> str | None:
    """Return a warning if the data is too small for a meaningful choice, else None."""
    if min(train, dev) >= MIN_EXAMPLES:
        return None
    return (
        f"--search has {train} {kind} to train on and {dev} to choose by, so its choice may be chance; "
        f"give {MIN_EXAMPLES} or more of each, or leave --search out"
    )


def search(
    candidates: Sequence[Recipe],
    train: Callable[[Recipe], tuple[Model, float, float]],
    made_from: Mapping[str, Any],
    folder: Path,
) -> list[Trial]:
    """Train each candidate once and keep the model with the highest score; the first one wins a tie.

    A stopped search resumes: candidates in ``search.jsonl`` are not trained again.

    Args:
        train: returns the model of a recipe, its development score and the duration in seconds.
        made_from: everything else that decides a score: task, encoder, fingerprints of both data sets, seed.
        folder: folder for ``search.jsonl`` and the model.

    Returns:
        The trials in the order of the candidates.

    Raises:
        FewshotError: when the folder cannot be written, is used by another process or holds the model of another
            search, or a line of ``search.jsonl`` is damaged.
    """
    recipes = {_key(made_from, recipe): recipe for recipe in candidates}
    path = folder / SCORES_FILE
    with journal.lock_journal(path):
        trials = _read(path)
        kept = {_kept_key(folder), _kept_key(folder / BEST_FOLDER)}
        if any(key in kept and key != _key(made_from, trial.of(candidates[0])) for key, trial in trials.items()):
            raise FewshotError(f"{folder}: holds another search; give another --out, or delete the folder")
        for key, recipe in recipes.items():
            if key not in trials:
                trials[key] = _try(key, recipe, train, [trials[key] for key in recipes if key in trials], folder)
                journal.append(path, asdict(trials[key]))
        done = [trials[key] for key in recipes]
        chosen = best_trial(done).key
        if _kept_key(folder) != chosen:
            if _kept_key(folder / BEST_FOLDER) != chosen:  # the model was removed
                _try(chosen, recipes[chosen], train, [], folder)
            _copy(folder / BEST_FOLDER, folder)
        shutil.rmtree(folder / BEST_FOLDER, ignore_errors=True)
    return done


def best_trial(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the highest score; the first one wins a tie."""
    return max(trials, key=lambda trial: trial.score)


def _key(made_from: Mapping[str, Any], recipe: Recipe) -> str:
    return digest({**made_from, **recipe.described()})


def _read(path: Path) -> dict[str, Trial]:
    trials = {}
    for number, line in journal.read(path):
        location = f"{path}:{number}: invalid trial of a search"
        values = records.parse(line, Trial, location, "delete this line to repeat the trial")
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
    """Train a candidate and save its model if its score is the highest so far; one that diverges scores 0."""
    try:
        model, score, seconds = train(recipe)
    except DivergedError:
        if not before:
            raise  # the first has the lowest rate
        return Trial(key, recipe.encoder_lr, recipe.batch, recipe.epochs, 0.0, 0.0)
    if all(score > trial.score for trial in before):
        model.provenance = {**model.provenance, "search": key}
        model.save(folder / BEST_FOLDER)
    return Trial(key, recipe.encoder_lr, recipe.batch, recipe.epochs, score, seconds)


def _copy(model: Path, folder: Path) -> None:
    try:
        (folder / DESCRIPTION).unlink(missing_ok=True)  # written last: marks the weights as complete
        for name in (WEIGHTS, DESCRIPTION):
            shutil.copyfile(model / name, folder / name)
    except OSError as error:
        raise FewshotError(f"{folder}: the model cannot be written: {error.strerror}") from None


def _kept_key(folder: Path) -> str | None:
    return (read_description(folder) or {}).get("search")
