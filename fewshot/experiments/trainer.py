"""What every training of an experiment shares: the source model, how it is adapted, and what is mixed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from fewshot import tasks
from fewshot.corpora.load import Corpus
from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import Pieces
from fewshot.errors import FewshotError, listed
from fewshot.evaluation import Evaluation, evaluate
from fewshot.experiments.source_data import mixed_in
from fewshot.progress import Report
from fewshot.training import mixture, presets, sources
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
        start: what training starts from: the source model with a head for all labels that are to be learned.
        source_name: of the source model, for screen and report.
        recipe: how it is adapted.
        source_data: source examples for the ``joint`` regime, else None.
        source_data_name: where they came from, for screen and report.
        device: where to train.
        made_from: fingerprints of all that decides a score, beside the corpus, shots and seed.
    """

    lang: str
    source: Model
    start: Model
    source_name: str
    recipe: Recipe
    source_data: Prepared | None
    source_data_name: str
    device: torch.device
    made_from: Mapping[str, Any]

    @property
    def task(self) -> tasks.Task[Any]:
        """The task, with the labels of the source model and of the data."""
        return self.start.task

    @property
    def new_labels(self) -> list[str]:
        """What the source model has never seen."""
        return [label for label in self.task.choices if label not in self.source.task.choices]

    def scores_zero_shot(self, test: Sequence[Example]) -> bool:
        """Return whether the source model can be scored at all: whether it knows any label of a test set."""
        found = self.task.labels_in(test) if self.new_labels else set()
        return not found or not found.isdisjoint(self.source.task.choices)

    def lacking(self, test: Sequence[Example]) -> set[str]:
        """Return the labels of a test set that the source model does not have: at k = 0 they count as errors."""
        if not self.new_labels:
            return set()
        return self.task.labels_in(test) - self.task.labels_in(map(self.source.task.masked, test))

    def notice(self, test: Sequence[Example]) -> str:
        """Return which labels the source model lacks, and what that means for its score; empty where it has all."""
        if not self.new_labels:
            return ""
        new = f"{listed(self.new_labels)} {'is' if len(self.new_labels) == 1 else 'are'} new to the source model"
        if not self.scores_zero_shot(test):
            return f"{new}, which knows no label of the test set: zero-shot is left out"
        lacking = self.lacking(test)  # none where labels of the pool alone are new, or subtypes of relations
        return f"{new}; at k = 0 every {listed(sorted(lacking))} counts as an error" if lacking else new

    def identity(self, corpus: Corpus) -> dict[str, Any]:
        """Return the fingerprints of all that decides a score on a corpus, beside shots and seed."""
        return {**self.made_from, "data": corpus.fingerprint}

    def settings(self, shots: Sequence[Example]) -> Settings:
        """Resolve the recipe for some shots; an article is as many inputs as it has questions."""
        return settings(self.start, self.recipe, len(shots), sum(len(self.task.inputs(shot)) for shot in shots))

    def train(
        self, shots: Sequence[Example], seed: int, progress: Report | None = None, silver: Sequence[Example] = ()
    ) -> Model:
        """Adapt the source model to shots, and to silver labels beside them; with no shots, return a copy of it."""
        return adapt(self.start, shots, self.recipe, seed, self.device, self.source_data, progress, silver)

    def train_and_score(
        self,
        shots: Sequence[Example],
        test: Sequence[Example],
        seed: int,
        progress: Report | None = None,
        pieces: Sequence[Sequence[Pieces]] | None = None,
        silver: Sequence[Example] = (),
    ) -> tuple[Model, Evaluation]:
        """Adapt the source model to shots and score it.

        Args:
            shots: annotated; with none, the source model itself is scored, on known labels only as well.
            test: annotated; at least one.
            seed: of data order and dropout.
            progress: called after every update.
            pieces: the test set encoded, if it is already.
            silver: see `adapt`.

        Raises:
            FewshotError: when an example is not annotated, see `adapt` and `evaluate`.
        """
        model = self.train(shots, seed, progress, silver)
        return model, evaluate(model, test, pieces, None if shots else self.source.task)


def load_trainer(
    task: tasks.Task[Any],
    lang: str,
    encoder: Encoder,
    device: torch.device,
    method: str = "full",
    changes: Mapping[str, Any] | None = None,
    source: Path | None = None,
    source_data: Path | None = None,
) -> Trainer:
    """Load the source model of a task, and what is mixed in.

    Args:
        task: with the labels that are to be learned beside those of the source model, see `Task.fitted`.
        method: how the source model is adapted, see `Recipe`.
        changes: what differs from the preset, see `presets.adaptation`.
        source: folder of a source model; by default the one that `sources.find` returns.
        source_data: source-language file or folder to mix in under the ``joint`` regime; by default what the source
            model was trained on as far as it is still there, else the embedded English sample.

    Raises:
        FewshotError: when models, recipe or data do not fit together.
    """
    place = source or sources.find(task, encoder, method=method, pooling=(changes or {}).get("pooling"))
    trained = load_model(place, encoder)
    if trained.task.name != task.name:
        raise FewshotError(f"{place}: a source model for task {trained.task.name}, not {task.name}")
    known = trained.with_labels_of(task) is trained
    recipe = presets.adaptation(trained.task, presets.kind(encoder), method, known, **changes or {})
    examples, name = mixed_in(trained, recipe, source_data)
    start = trained.with_labels_of(task.fitted(examples))
    made_from = {
        "task": task.name,
        "labels": list(start.task.labels),
        "lang": lang,
        "recipe": recipe.described(),
        "encoder": encoder.fingerprint,
        "source": sources.fingerprint(place),
        "source_data": mixture.fingerprint(examples),
        "device": device.type,
    }
    mixed = prepare(start, examples) if examples else None
    return Trainer(lang, trained, start, _name(place, trained), recipe, mixed, name, device, made_from)


def _name(place: Path, model: Model) -> str:
    """Name a source model for people, with how much it was trained on of each language where there are several."""
    name = f"embedded ({place.name})" if place.is_relative_to(sources.embedded_dir()) else str(place)
    corpora, kind = sources.corpora(model.provenance), model.task.example.kind
    return f"{name}, {sources.describe_corpora(corpora, kind)}" if len(corpora) > 1 else name
