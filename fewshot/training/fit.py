"""One training, whose result depends on model, data, settings and seed alone, even after a restart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import torch
from torch import Tensor

from fewshot.checkpoint import Checkpointer
from fewshot.encoders import attention, freezing, lora, vocabulary
from fewshot.encoders.vectors import Batch
from fewshot.heads.classifier import IGNORE
from fewshot.progress import Progress, Report
from fewshot.training import schedules
from fewshot.training.batching import Prepared, padding_id, training_batches
from fewshot.training.loop import Group, Training
from fewshot.training.model import Model
from fewshot.training.recipe import FEATURE_BASED, Recipe, Settings
from fewshot.training.working_copy import WorkingCopy


def fit(  # noqa: PLR0913
    model: Model,
    target: Prepared,
    source: Prepared | None,
    settings: Settings,
    seed: int,
    device: torch.device,
    progress: Report | None = None,
    checkpointer: Checkpointer | None = None,
    silver: tuple[Prepared, float] | None = None,
) -> Model:
    """Train a copy of a model, and return it on the device, in evaluation mode.

    Args:
        target: the data to learn; at least one example.
        source: data that the ``joint`` regime mixes in; the loss is the mean of both losses.
        seed: of data order, dropout and adapters.
        progress: called after every update.
        checkpointer: of checkpoints; a stopped training continues from the last checkpoint, with the same result.
        silver: further data to learn, and the weight of its loss in the mean; the other weights are 1.
    """
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        model, recipe = model.copy().to(device), settings.recipe
        data = [(target, 1.0), *([(source, 1.0)] if source else []), *([silver] if silver else [])]
        windows = (window for prepared, _ in data for pieces in prepared.pieces for window in pieces.windows)
        vocabulary.narrow(model.module, {padding_id(model)}.union(*(window.ids for window in windows)))
        if recipe.method == "lora":
            model.module = lora.add(model.module, recipe.lora_rank, recipe.lora_alpha, recipe.lora_dropout)
        else:
            freezing.freeze(model.module, settings.frozen)
        model.train()
        for state in _train(model, data, settings, seed, device, checkpointer):
            if progress:
                progress(state)
        model.head.weights = None
    return _plain(model, settings).eval()


def _train(
    model: Model,
    data: Sequence[tuple[Prepared, float]],
    settings: Settings,
    seed: int,
    device: torch.device,
    checkpointer: Checkpointer | None,
) -> Iterator[Progress]:
    """Run the updates that the checkpoint does not have, and yield the progress after each."""
    recipe, updates = settings.recipe, settings.updates
    working = WorkingCopy(model.module, device, data[0][0].pieces[0], padding_id(model))
    if settings.frozen is not None and recipe.method not in ("lora", FEATURE_BASED):
        working.split_lower(settings.frozen, recipe.dropout)
    lower = [
        working.run_lower(prepared.pieces) if len(prepared.pieces) < updates * recipe.batch else None
        for prepared, _ in data  # caching gains nothing for data that is read at most once
    ]
    if recipe.method != FEATURE_BASED:  # whose vectors must be the same at every update
        working.train()
    training = Training(
        model, _groups(model, settings), updates, clip=recipe.clip, average=recipe.average, checkpointer=checkpointer
    )
    streams = [
        training_batches(model, prepared, recipe.batch, seed, device, training.done, outputs)
        for (prepared, _), outputs in zip(data, lower, strict=True)
    ]
    total = sum(weight for _, weight in data)
    parts = [(weight / total, _weights(model, prepared, recipe, device)) for prepared, weight in data]
    batches = islice(zip(*streams, strict=True), updates - training.done)
    return training.run(batches, partial(_losses, model, working, parts))


def _losses(
    model: Model,
    working: WorkingCopy,
    parts: Sequence[tuple[float, Tensor | None]],
    batches: Sequence[Sequence[tuple[Batch, Tensor]]],
) -> Iterator[Tensor]:
    """Yield the losses of one update; their sum is the weighted mean over the data sets.

    Args:
        parts: share of the loss and label weights (None: not balanced), by data set.
        batches: the parts of a batch, by data set.
    """
    working.refresh_weights()
    for (share, weights), batch in zip(parts, batches, strict=True):
        model.head.weights = weights
        annotated = torch.stack([model.head.count_annotated(targets) for _, targets in batch]).sum().clamp(min=1)
        for inputs, targets in batch:
            attention.choose(working.module, working.device, inputs.ids.shape[1])
            if working.lower:
                working.lower.output = inputs.lower
            yield model.head.loss(model(inputs, working.module), targets, inputs.mask) / annotated * share
            working.pass_gradients()


def _weights(model: Model, data: Prepared, recipe: Recipe, device: torch.device) -> Tensor | None:
    labels, background = model.task.labels, model.task.background
    if not (recipe.balanced and background):
        return None
    return label_weights(data.targets, len(labels), labels.index(background)).to(device)


def label_weights(targets: Sequence[Sequence[int]], labels: int, background: int) -> Tensor:
    """Return weights that limit the background label in the loss to the share of all others together.

    Ten sentences of running text contain few names: most targets are ``O``, and a model trained on them finds no names
    any more. Weighing examples by class is the common remedy (He & Garcia 2009, section 3.2, cost-sensitive learning).

    Args:
        targets: label ids of the units of each input, ``IGNORE`` for units without annotation.

    Returns:
        ``[labels]``, 1 on average over the targets, so that the size of the loss does not change. If all targets have
        the background label, its weight is 0: such examples change the model by weight decay alone.
    """
    known = np.array([label for row in targets for label in row if label != IGNORE], dtype=int)
    counts = np.bincount(known, minlength=labels)
    others = counts.sum() - counts[background]
    weights = np.ones(labels)
    weights[background] = min(1.0, others / max(counts[background], 1))
    mean = weights @ counts / max(counts.sum(), 1)
    return torch.tensor(weights / mean if mean else weights, dtype=torch.float32)


def _plain(model: Model, settings: Settings) -> Model:
    """Return the model with a plain encoder, and the names of all tensors and pieces changed so far."""
    adapter = None
    if settings.recipe.method == "lora":
        adapter = lora.take(model.module, "" if model.trained or len(model.pieces) else model.encoder.name)
        model.module = lora.merge(model.module)
    pieces = vocabulary.widen(model.module)
    if adapter:
        moved = {f"{name}.weight" for name in adapter.adapted}
    else:
        table = None if pieces is None else vocabulary.table(model.module)
        moved = {
            name for name, weight in model.module.named_parameters() if weight.requires_grad and weight is not table
        }
    model.module.requires_grad_(True)
    encoder = replace(model.encoder, module=model.module)
    rows: Tensor = model.pieces if pieces is None else torch.unique(torch.cat([model.pieces, pieces.cpu()]))
    return Model(model.task, encoder, model.readout, model.head, model.trained | moved, model.provenance, adapter, rows)


def _groups(model: Model, settings: Settings) -> list[Group]:
    recipe = settings.recipe
    schedule = partial(schedules.fine_tuning, updates=settings.updates, warmup=recipe.warmup)
    rates = ((model.module, recipe.encoder_lr), (model.readout, recipe.head_lr), (model.head, recipe.head_lr))
    return [
        Group([p for p in part.parameters() if (p.dim() > 1) == decays], rate, schedule, recipe.weight_decay * decays)
        for part, rate in rates
        for decays in (True, False)  # biases and normalisation weights do not decay
    ]
