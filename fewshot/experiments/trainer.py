"""What every training of an experiment shares: the source model, how it is adapted, and what is mixed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from fewshot import tasks
from fewshot.corpora.load import Corpus, describe, find_split, fingerprint, read
from fewshot.corpora.types import Example
from fewshot.encoders.load import load_encoder
from fewshot.encoders.pieces import Pieces
from fewshot.errors import FewshotError
from fewshot.evaluation import Evaluation, evaluate
from fewshot.progress import Report
from fewshot.training import presets, sources
from fewshot.training.adapt import adapt, settings
from fewshot.training.batching import Prepared, prepare
from fewshot.training.model import Model, load_model
from fewshot.training.recipe import Recipe, Settings


@dataclass(frozen=True)
class Trainer:
    """Adapts a source model to whatever shots it is given, and scores the result.

    Args:
        lang: target language.
        source: the source model.
        source_name: of the source model, for screen and report.
        recipe: how it is adapted.
        source_data: source examples for the ``joint`` regime, else None.
        source_data_name: where they came from, for screen and report.
        device: where to train.
        made_from: fingerprints of all that decides a score, beside the corpus, shots and seed.
    """

    lang: str
    source: Model
    source_name: str
    recipe: Recipe
    source_data: Prepared | None
    source_data_name: str
    device: torch.device
    made_from: Mapping[str, Any]

    @property
    def task(self) -> tasks.Task[Any]:
        """The task, with the labels of the source model."""
        return self.source.task

    def identity(self, corpus: Corpus) -> dict[str, Any]:
        """Return the fingerprints of all that decides a score on a corpus, beside shots and seed."""
        return {**self.made_from, "data": corpus.fingerprint}

    def settings(self, shots: Sequence[Example]) -> Settings:
        """Resolve the recipe for some shots; an article is as many inputs as it has questions."""
        return settings(self.source, self.recipe, len(shots), sum(len(self.task.inputs(shot)) for shot in shots))

    def train(self, shots: Sequence[Example], seed: int, progress: Report | None = None) -> Model:
        """Adapt the source model to shots; with none, return a copy of it."""
        return adapt(self.source, shots, self.recipe, seed, self.device, self.source_data, progress)

    def train_and_score(
        self,
        shots: Sequence[Example],
        test: Sequence[Example],
        seed: int,
        progress: Report | None = None,
        pieces: Sequence[Sequence[Pieces]] | None = None,
    ) -> tuple[Model, Evaluation]:
        """Adapt the source model to shots and score it.

        Args:
            shots: annotated; with none, the source model itself is scored.
            test: annotated; at least one.
            seed: of data order and dropout.
            progress: called after every update.
            pieces: the test set encoded, if it is already.

        Raises:
            FewshotError: when an example is not annotated, see `adapt` and `evaluate`.
        """
        model = self.train(shots, seed, progress)
        return model, evaluate(model, test, pieces)


def load_trainer(
    task: str,
    lang: str,
    model: str,
    device: torch.device,
    method: str = "full",
    changes: Mapping[str, Any] | None = None,
    source: Path | None = None,
    source_data: Path | None = None,
) -> Trainer:
    """Load the source model of a task, and what is mixed in.

    Args:
        method: how the source model is adapted, see `Recipe`.
        changes: what differs from the preset, see `presets.adaptation`.
        source: folder of a source model; by default the one that `sources.find` returns.
        source_data: source-language file or folder to mix in under the ``joint`` regime; by default what the source
            model was trained on if it is still there, else the embedded English sample.

    Raises:
        FewshotError: when models, recipe or data do not fit together.
    """
    asked = tasks.get(task)
    encoder = load_encoder(model)
    place = source or sources.find(asked, encoder, method=method)
    trained = load_model(place, encoder)
    if trained.task.name != asked.name:
        raise FewshotError(f"{place}: a source model for task {trained.task.name}, not {asked.name}")
    recipe = presets.adaptation(trained.task, presets.kind(encoder), method, **changes or {})
    examples, name = mixed_in(trained, recipe, source_data)
    made_from = {
        "task": asked.name,
        "lang": lang,
        "recipe": recipe.described(),
        "encoder": encoder.fingerprint,
        "source": sources.fingerprint(place),
        "source_data": fingerprint(examples),
        "device": device.type,
    }
    mixed = prepare(trained, examples) if examples else None
    return Trainer(lang, trained, _name(place), recipe, mixed, name, device, made_from)


def mixed_in(model: Model, recipe: Recipe, given: Path | None) -> tuple[Sequence[Example], str]:
    """Return the source-language examples that a recipe mixes in, none but under ``joint``, and their name for people.

    Args:
        recipe: says the regime.
        given: file or folder that the user chose; None: what the model was trained on if it is still there, else the
            embedded English sample.

    Raises:
        FewshotError: when the user chose one and the recipe mixes nothing in.
    """
    if recipe.regime != "joint":
        if given is not None:
            raise FewshotError(
                f"{given}: source data is mixed in under --regime joint alone; add that, or leave it out"
            )
        return [], "none"
    origin, task = sources.origin(model.provenance), model.task
    if given is None and "data" in origin:
        with suppress(FewshotError):  # something else of that name may lie here
            examples = train_file(Path(origin["data"]), task)
            if fingerprint(examples) == origin.get("data_fingerprint"):
                return examples, origin["data"]
    path = given or sources.embedded_english(task.example.kind)
    return train_file(path, task), describe(path)


def train_file(path: Path, task: tasks.Task[Any]) -> Sequence[Example]:
    """Read a file, or the training file of a folder.

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
