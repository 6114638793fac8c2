"""The two trainings of the tool: a source model on English, and its adaptation to k target sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from fewshot.checkpoint import Keeper
from fewshot.corpora.types import Example
from fewshot.encoders import freezing
from fewshot.encoders.load import Encoder
from fewshot.errors import FewshotError
from fewshot.progress import Report
from fewshot.tasks import Task
from fewshot.training import presets
from fewshot.training.batching import Prepared, encoded, prepare
from fewshot.training.fit import fit
from fewshot.training.model import Model, new
from fewshot.training.recipe import Recipe, Settings, source_options

DEVICES = ("cpu", "cuda", "mps")

MADE = 10_000
"""Examples that are made of the shots, at most; a training that reads more reads them again."""


def find_device(name: str = "auto") -> torch.device:
    """Return a device: ``auto`` is CUDA, else Apple's MPS, else the CPU.

    Raises:
        FewshotError: when the device asked for is not on this machine.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        if name.partition(":")[0] not in DEVICES:
            raise RuntimeError("no such device")
        chosen = torch.device(name)
        torch.zeros(1, device=chosen)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise FewshotError(f"device {name!r} cannot be used ({reason}); choose auto, cpu, cuda or mps") from None
    return chosen


def here(device: torch.device) -> torch.device:
    """Return a device that others may train on, or the CPU where this machine has no such."""
    return device if device.type != "cuda" or torch.cuda.is_available() else torch.device("cpu")


def train_source(
    task: Task[Any],
    encoder: Encoder,
    examples: Sequence[Example],
    recipe: Recipe,
    seed: int,
    on: torch.device,
    progress: Report | None = None,
    keeper: Keeper | None = None,
) -> Model:
    """Train a model of the source language from a pretrained encoder.

    Args:
        encoder: stays as it is.
        examples: annotated examples of the source language.
        recipe: usually `presets.source`.
        seed: of the head's weights, data order and dropout.
        progress: called after every update.

    Raises:
        FewshotError: when the task has one label only or lacks what it needs, examples are not annotated, or a
            checkpoint is of another training.
    """
    task = task.taught(examples)
    if problem := task.lacking(examples):
        raise FewshotError(problem)
    if len(task.labels) == 1:
        raise FewshotError(f"every example is {task.labels[0]!r}; give some of another label too")
    model = new(task, encoder, seed, recipe.dropout, recipe.readout)
    prepared = prepare(model, examples)
    resolved = settings(model, recipe, len(examples), len(prepared.targets))
    model = fit(model, prepared, None, resolved, seed, on, progress, keeper)
    model.provenance = {"recipe": resolved.described(), "seed": seed}
    return model


def adapt(
    source: Model,
    shots: Sequence[Example],
    recipe: Recipe,
    seed: int,
    on: torch.device,
    source_data: Prepared | None = None,
    progress: Report | None = None,
    silver: Sequence[Example] = (),
) -> Model:
    """Continue the fine-tuning of a source model on k target-language examples (Lauscher et al. 2020, section 4).

    Args:
        source: the source model; stays as it is.
        shots: annotated target examples; with none, a copy of the source model comes back.
        recipe: how, usually `presets.adaptation`.
        seed: of data order and dropout.
        source_data: source examples, which the ``joint`` regime mixes in.
        progress: called after every update.
        silver: target examples that a language model has annotated legally, which the shots' training learns as well,
            at the weight of `presets.SILVER`; all that depends on the number of examples goes by the shots.

    Raises:
        FewshotError: when the regime needs source examples and there are none, shots are not annotated, or the source
            model was not trained with the method or the pooling that its continuation needs.
    """
    source = source.grown(source.task.taught([*shots, *silver] if shots else ()))
    settled: Mapping[str, Any] = {"method": recipe.method, "regime": recipe.regime}  # of a training without updates
    if not shots:
        model = source.copy().to(on).eval()
    elif recipe.regime == "joint" and source_data is None:
        raise FewshotError("the joint regime needs source-language examples; give some, or use the sequential regime")
    else:
        mixed = source_data if recipe.regime == "joint" else None
        prepared = prepare(source, shots)
        resolved = settings(source, recipe, len(shots), len(prepared.targets))
        if recipe.swaps:
            count = min(resolved.updates * recipe.batch, MADE)
            prepared = encoded(source, source.task.recombined(shots, count, recipe.swaps, seed))
        labelled = (encoded(source, silver), presets.SILVER) if silver else None
        model = fit(source, prepared, mixed, resolved, seed, on, progress, silver=labelled)
        settled = resolved.described() | (
            {"silver": {"labels": len(silver), "weight": presets.SILVER}} if silver else {}
        )
    ids = [shot.id for shot in shots]
    model.provenance = {"k": len(ids), "shots": ids, "seed": seed, "recipe": settled, "source": source.provenance}
    return model


def settings(model: Model, recipe: Recipe, k: int, inputs: int) -> Settings:
    """Resolve a recipe for a model's encoder and k examples, of which it reads so many inputs.

    Raises:
        FewshotError: when the method is feature-based, or a pooling is given, and the model was not trained so (the
            encoder of a feature-based model can be fine-tuned); when the lowest of layers that share their weights are
            to be kept.
    """
    trained = source_options(recipe.method, recipe.pooling)
    if trained and model.readout.name != recipe.readout:
        raise FewshotError(
            f"{trained} continues source models that were trained with it, and this one was not; "
            f"train one with fewshot source {trained}, or leave it out"
        )
    resolved = recipe.resolve(k, inputs, len(freezing.stack(model.module)))
    if recipe.method.startswith("freeze-") and resolved.frozen:
        freezing.layers(model.module)  # refuses those that share their weights
    return resolved
