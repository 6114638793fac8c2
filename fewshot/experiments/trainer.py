"""The parts that all trainings of an experiment share: source model, recipe and source data."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from fewshot import tasks
from fewshot.corpora.load import Corpus
from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vowel_signs import STRIP, strips_signs
from fewshot.errors import FewshotError, listed
from fewshot.evaluation import Evaluation, evaluate, predict, source_share
from fewshot.experiments.source_data import load_mixed_in
from fewshot.progress import Report
from fewshot.tasks.known_lemmas import describe_dictionary
from fewshot.training import mixture, presets, sources
from fewshot.training.adapt import adapt, settings
from fewshot.training.batching import Prepared, prepare
from fewshot.training.model import Model, load_model
from fewshot.training.recipe import Recipe, Settings


@dataclass(frozen=True)
class Trainer:
    """Adapts a source model to shots and scores the adapted model.

    Args:
        start: the source model with a head for all labels to be learned; trainings start from it.
        source_data: source examples for the ``joint`` regime, else None.
        made_from: fingerprints of everything but the corpus, shots and seed that decides a score.
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
        """The labels that the source model does not have."""
        return [label for label in self.task.choices if label not in self.source.task.choices]

    def scores_zero_shot(self, test: Sequence[Example]) -> bool:
        """Return whether the source model knows any label of a test set, so that it can be scored."""
        labels = self.task.labels_in(test) if self.new_labels else set()
        return not labels or not labels.isdisjoint(self.source.task.choices)

    def missing_labels(self, test: Sequence[Example]) -> set[str]:
        """Return the labels of a test set that the source model lacks; at k = 0 they count as errors."""
        if not self.new_labels:
            return set()
        return self.task.labels_in(test) - self.task.labels_in(map(self.source.task.masked, test))

    def new_labels_notice(self, test: Sequence[Example]) -> str:
        """Return a notice about labels that the source model lacks and the effect on its score; may be empty."""
        if not self.new_labels:
            return ""
        new = f"{listed(self.new_labels)} {'is' if len(self.new_labels) == 1 else 'are'} new to the source model"
        if not self.scores_zero_shot(test):
            return f"{new}, which knows no label of the test set: zero-shot is left out"
        missing = self.missing_labels(test)  # empty if the new labels are in the pool only, or are subtypes
        return f"{new}; at k = 0 every {listed(sorted(missing))} counts as an error" if missing else new

    def identity(self, corpus: Corpus) -> dict[str, Any]:
        """Return the fingerprints of everything but shots and seed that decides a score on a corpus."""
        return {**self.made_from, "data": corpus.fingerprint}

    def settings(self, shots: Sequence[Example]) -> Settings:
        """Resolve the recipe for some shots; an article counts as many inputs as it has questions."""
        return settings(self.start, self.recipe, len(shots), sum(len(self.task.inputs(shot)) for shot in shots))

    def with_dictionary(self, wanted: bool = True) -> Trainer:
        """Return a trainer whose models look lemmas up in the language's dictionary, if there is one."""
        source, start = (model.with_dictionary(self.lang if wanted else "") for model in (self.source, self.start))
        code = start.known_lemmas.dictionary
        made_from = {**self.made_from, **({"dictionary": describe_dictionary(code)} if code else {})}
        return replace(self, source=source, start=start, made_from=made_from)

    def train(
        self,
        shots: Sequence[Example],
        seed: int,
        progress: Report | None = None,
        silver: Sequence[Example] = (),
        pool: Sequence[Example] = (),
    ) -> Model:
        """Return a model adapted to shots and silver labels; without shots, a copy of the source model.

        Args:
            pool: examples of which self-training takes some; their annotation is not read.
        """
        # the share was chosen on shots alone, and silver labels are many more examples
        kept = 0.0 if silver else source_share(self.start, shots, self.recipe)

        def adapted(labels: Sequence[Example], report: Report | None) -> Model:
            return adapt(self.start, shots, self.recipe, seed, self.device, self.source_data, report, labels, kept)

        if not (self.recipe.self_training and shots):
            return adapted(silver, progress)
        first = adapted(silver, _half(progress, 0))
        labelled = self._labelled(first, [*shots, *silver], pool, seed)
        return adapted([*silver, *labelled], _half(progress, 1)) if labelled else first

    def _labelled(self, model: Model, used: Sequence[Example], pool: Sequence[Example], seed: int) -> list[Example]:
        """Return random examples of the pool with a model's labels, if it annotates them whole.

        Args:
            used: examples that are not drawn.
        """
        ids = {example.id for example in used}
        left = [example.unannotated() for example in pool if example.id not in ids]
        drawn = random.Random(f"self-training {seed}").sample(left, min(self.recipe.self_training, len(left)))
        return [example for example in predict(model, drawn) if self.task.is_annotated(example)]

    def train_and_score(
        self,
        shots: Sequence[Example],
        test: Sequence[Example],
        seed: int,
        progress: Report | None = None,
        pieces: Sequence[Sequence[Pieces]] | None = None,
        silver: Sequence[Example] = (),
        pool: Sequence[Example] = (),
    ) -> tuple[Model, Evaluation]:
        """Adapt the source model to shots and score the adapted model.

        Args:
            shots: annotated examples; if empty, the source model is scored, also on the labels that it knows alone.

        Raises:
            FewshotError: when an example is not annotated, see `adapt` and `evaluate`.
        """
        model = self.train(shots, seed, progress, silver, pool)
        return model, evaluate(model, test, pieces, None if shots else self.source.task)


def _half(progress: Report | None, number: int) -> Report | None:
    """Return what reports one of two trainings, number 0 or 1, as a half of the whole."""
    if progress is None:
        return None
    return lambda now: progress(replace(now, done=now.done + number * now.total, total=2 * now.total))


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
    """Load the source model of a task and the source data of its recipe.

    Args:
        task: task with the labels to be learned, see `Task.fitted`.
        changes: changes to the preset, see `presets.adaptation`.
        source: folder of a source model; None: the one that `sources.find` returns.
        source_data: source-language file or folder for the ``joint`` regime; None: the training data of the source
            model if it still exists, else the embedded English sample.

    Raises:
        FewshotError: when models, recipe and data do not fit together.
    """
    folder = source or sources.find(task, encoder, method=method, pooling=(changes or {}).get("pooling"))
    trained = load_model(folder, encoder)
    if trained.task.name not in sources.continued(task):
        raise FewshotError(f"{folder}: a source model for task {trained.task.name}, not {task.name}")
    if trained.task.name != task.name:
        provenance, trained = trained.provenance, trained.with_labels_of(tasks.get(task.name, trained.task.labels))
        trained.provenance = provenance
    has_all_labels = trained.with_labels_of(task) is trained
    recipe = presets.adaptation(trained.task, presets.encoder_size(encoder), method, has_all_labels, **changes or {})
    examples, name = load_mixed_in(trained, recipe, source_data)
    start = trained.with_labels_of(task.fitted(examples))
    made_from = {
        "task": task.name,
        "labels": list(start.task.labels),
        "lang": lang,
        "recipe": recipe.described(),
        "encoder": encoder.fingerprint,
        "source": sources.fingerprint(folder),
        "source_data": mixture.fingerprint(examples),
        "device": device.type,
        **({"vowel_signs": STRIP} if strips_signs(encoder) else {}),
        **({"known_lemmas": "annotated"} if start.has_lemmas else {}),
    }
    mixed = prepare(start, examples) if examples else None
    return Trainer(lang, trained, start, _source_name(folder, trained), recipe, mixed, name, device, made_from)


def _source_name(folder: Path, model: Model) -> str:
    """Return the name of a source model for users, with the size of each corpus if there are several."""
    name = f"embedded ({folder.name})" if folder.is_relative_to(sources.embedded_dir()) else str(folder)
    corpora, kind = sources.corpora(model.provenance), model.task.example.kind
    return f"{name}, {sources.describe_corpora(corpora, kind)}" if len(corpora) > 1 else name
