"""The two kinds of training: of a source model, and of its adaptation to k target sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from fewshot.checkpoint import Checkpointer
from fewshot.corpora.types import Example
from fewshot.encoders import freezing
from fewshot.encoders.load import Encoder
from fewshot.errors import FewshotError, first_line
from fewshot.progress import Report
from fewshot.tasks import Task
from fewshot.training import presets
from fewshot.training.batching import Prepared, encode_examples, prepare
from fewshot.training.fit import fit
from fewshot.training.model import Model, build_model
from fewshot.training.recipe import Recipe, Settings, source_options

DEVICES = ("cpu", "cuda", "mps")

MAX_RECOMBINED = 10_000
"""Most examples that are recombined from the shots; a longer training reads them again."""


def resolve_device(name: str | torch.device = "auto") -> torch.device:
    """Return the device of a name; ``auto`` is CUDA, else Apple's MPS, else the CPU.

    Raises:
        FewshotError: when this machine does not have the device.
    """
    name = str(name)
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        if name.partition(":")[0] not in DEVICES:
            raise RuntimeError("no such device")
        chosen = torch.device(name)
        torch.zeros(1, device=chosen)
    except (RuntimeError, AssertionError) as error:
        raise FewshotError(
            f"device {name!r} cannot be used ({first_line(error)}); choose auto, cpu, cuda or mps"
        ) from None
    return chosen


def trainable_device(device: torch.device) -> torch.device:
    """Return the device, or the CPU when this machine has no CUDA device."""
    return device if device.type != "cuda" or torch.cuda.is_available() else torch.device("cpu")


def train_source(
    task: Task[Any],
    encoder: Encoder,
    examples: Sequence[Example],
    recipe: Recipe,
    seed: int,
    on: torch.device,
    progress: Report | None = None,
    checkpointer: Checkpointer | None = None,
) -> Model:
    """Train a source model from a pretrained encoder, which does not change.

    Args:
        recipe: usually `presets.source`.
        seed: of the head's weights, data order and dropout.
        progress: called after every update.

    Raises:
        FewshotError: when the examples have only one label, lack what the task needs or are not annotated, or a
            checkpoint belongs to another training.
    """
    task = task.with_training_labels(examples)
    if problem := task.find_missing(examples):
        raise FewshotError(problem)
    if len(task.labels) == 1:
        raise FewshotError(f"every example has the label {task.labels[0]!r}; add examples with another label")
    model = build_model(task, encoder, seed, recipe.dropout, recipe.readout)
    prepared = prepare(model, examples)
    resolved = settings(model, recipe, len(examples), len(prepared.targets))
    model = fit(model, prepared, None, resolved, seed, on, progress, checkpointer)
    model.provenance = {"recipe": resolved.described(), "seed": seed}
    return model


def adapt(  # noqa: PLR0913
    source: Model,
    shots: Sequence[Example],
    recipe: Recipe,
    seed: int,
    on: torch.device,
    source_data: Prepared | None = None,
    progress: Report | None = None,
    silver: Sequence[Example] = (),
    kept: float = 0.0,
) -> Model:
    """Continue the fine-tuning of a source model on k target examples (Lauscher et al. 2020, section 4).

    Args:
        source: not changed.
        shots: annotated target examples; without shots, a copy of the source model is returned.
        recipe: usually `presets.adaptation`.
        seed: of data order and dropout.
        source_data: source examples, which the ``joint`` regime mixes in.
        progress: called after every update.
        silver: examples annotated by a language model, learned with the weight `presets.SILVER_WEIGHT`; not counted in
            k.
        kept: weight of the source model in the mean of its weights and the adapted ones (Wortsman et al. 2022), usually
            `fewshot.evaluation.source_share`. Embeddings of pieces are not averaged.

    Raises:
        FewshotError: when the joint regime gets no source examples, shots are not annotated, or the source model was
            trained with another method or pooling than the recipe needs.
    """
    source = source.with_labels_of(source.task.with_training_labels([*shots, *silver] if shots else ()))
    described: Mapping[str, Any] = {"method": recipe.method, "regime": recipe.regime}  # of a copy without updates
    if not shots:
        model = source.copy().to(on).eval()
    elif recipe.regime == "joint" and source_data is None:
        raise FewshotError("the joint regime needs source-language examples; give some, or use the sequential regime")
    else:
        mixed = source_data if recipe.regime == "joint" else None
        prepared = prepare(source, shots)
        resolved = settings(source, recipe, len(shots), len(prepared.targets))
        if recipe.swaps:
            count = min(resolved.updates * recipe.batch, MAX_RECOMBINED)
            prepared = encode_examples(source, source.task.recombine(shots, count, recipe.swaps, seed))
        labelled = (encode_examples(source, silver), presets.SILVER_WEIGHT) if silver else None
        model = fit(source, prepared, mixed, resolved, seed, on, progress, silver=labelled)
        described = resolved.described()
        if kept:
            _average(model, source, kept)
            described["kept"] = round(kept, 3)
        if silver:
            described |= {"silver": {"labels": len(silver), "weight": presets.SILVER_WEIGHT}}
    if shots and model.has_lemmas:
        model.known_lemmas = source.known_lemmas.learned_from(shots)
    ids = [shot.id for shot in shots]
    model.provenance = {"k": len(ids), "shots": ids, "seed": seed, "recipe": described, "source": source.provenance}
    return model


@torch.no_grad()
def _average(model: Model, source: Model, weight: float) -> None:
    """Move the trained weights of a model, embeddings of pieces aside, towards those of its source model."""
    for name in model.trained:
        parameter = model.module.get_parameter(name)
        parameter.lerp_(source.module.get_parameter(name).to(parameter.device), weight)
    for part, before in ((model.readout, source.readout), (model.head, source.head)):
        for parameter, old in zip(part.parameters(), before.parameters(), strict=True):
            parameter.lerp_(old.to(parameter.device), weight)


def settings(model: Model, recipe: Recipe, k: int, inputs: int) -> Settings:
    """Resolve a recipe for a model's encoder and k examples with so many inputs.

    Raises:
        FewshotError: when the recipe needs another readout than the model's (the encoder of a feature-based model can
            be fine-tuned), or would freeze some of the layers that share their weights.
    """
    trained = source_options(recipe.method, recipe.pooling)
    if trained and model.readout.name != recipe.readout:
        raise FewshotError(
            f"{trained} needs a source model that was trained with {trained}, and this one was not; "
            f"train one with fewshot source {trained}, or leave the option out"
        )
    resolved = recipe.resolve(k, inputs, len(freezing.stack(model.module)))
    if recipe.method.startswith("freeze-") and resolved.frozen:
        freezing.layers(model.module)  # raises when layers share their weights
    return resolved
