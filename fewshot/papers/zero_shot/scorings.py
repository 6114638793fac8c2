"""Source models scored on test sets: work whose runs train nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from fewshot import tasks
from fewshot.curves.results import Result
from fewshot.encoders.load import Encoder
from fewshot.evaluation import evaluate
from fewshot.experiments.executors.base import Tell
from fewshot.experiments.machine import PROCESS_BYTES
from fewshot.papers.measuring.data_folders import Examples
from fewshot.progress import Progress
from fewshot.training.model import Model, load_model


@dataclass(frozen=True, slots=True)
class TestSet:
    """What a source model is scored on.

    Args:
        task: name of the task.
        lang: of the examples; of mixed pairs ``sw-en``, the premises' language first.
        examples: annotated.
    """

    task: str
    lang: str
    examples: Examples

    def __str__(self) -> str:
        return f"{self.task} {self.lang}: {len(self.examples.examples)} {tasks.get(self.task).example.kind}"


@dataclass(frozen=True, slots=True)
class Scoring:
    """One test set, scored by one source model.

    Args:
        condition: both, for people.
        id: equal exactly when nothing that decides the score differs.
        encoder: name of the source model's.
        on: the test set.
    """

    condition: str
    id: str
    encoder: str
    on: TestSet


@dataclass(frozen=True)
class Scorings:
    """What scorings share.

    Args:
        runs: all of them; those of one model are best beside each other, since a process has one at a time.
        encoders: by name.
        places: folders of source models, by encoder and task.
        device: where they are computed.
    """

    runs: Sequence[Scoring]
    encoders: Mapping[str, Encoder]
    places: Mapping[tuple[str, str], Path]
    device: torch.device
    _loaded: dict[tuple[str, str], Model] = field(default_factory=dict, init=False, repr=False)

    @property
    def long_runs(self) -> int:
        """All."""
        return len(self.runs)

    @property
    def process_bytes(self) -> float:
        """Those of a process with one model of four bytes a weight."""
        weights = (sum(one.numel() for one in encoder.module.parameters()) for encoder in self.encoders.values())
        return PROCESS_BYTES + 4 * max(weights)

    def prepared(self) -> Scorings:
        """Return it as it is: each process loads the models that it scores."""
        return self

    def on(self, device: torch.device) -> Scorings:
        """Return it with another device."""
        return replace(self, device=device)

    def carry_out(self, run: Scoring, tell: Tell) -> Result:
        """Score; told of once, when it begins."""
        tell(run.condition, Progress(0, 1))
        model, examples = self._model(run.encoder, run.on.task), run.on.examples
        started = time.perf_counter()
        evaluation = evaluate(model, examples.examples, known=model.task)
        recipe = model.provenance.get("recipe", {})
        return Result(
            run=run.id,
            task=run.on.task,
            lang=run.on.lang,
            sampler="",
            k=0,
            shot_set=0,
            seed=0,
            method=recipe.get("method", "full"),
            regime=recipe.get("regime", "sequential"),
            model=model.encoder.name,
            data=str(examples.folder),
            metric=evaluation.metric,
            score=evaluation.score,
            low=evaluation.low,
            high=evaluation.high,
            metrics=evaluation.metrics,
            tokens=0,
            units=model.task.units([]),
            test_units=model.task.units(examples.examples),
            minutes=0.0,
            dollars=0.0,
            seconds=time.perf_counter() - started,
            device=self.device.type,
            shots=(),
            known_only=evaluation.known_only,
        )

    def keep(self, run: Scoring, found: Result) -> Result:
        """Return the result: nothing but that is kept."""
        return found

    def _model(self, encoder: str, task: str) -> Model:
        """Return a source model, which is loaded where it is not the one of the run before."""
        if (encoder, task) not in self._loaded:
            self._loaded.clear()
            model = load_model(self.places[encoder, task], self.encoders[encoder])
            self._loaded[encoder, task] = model.to(self.device)
        return self._loaded[encoder, task]
