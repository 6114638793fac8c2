"""One training: its model depends on nothing but model, data, settings and seed, whether it was stopped or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import torch
from torch import Tensor

from fewshot.checkpoint import Keeper
from fewshot.encoders import attention, freezing, lora, vocabulary
from fewshot.encoders.vectors import Batch
from fewshot.progress import Progress, Report
from fewshot.training import schedules
from fewshot.training.balance import label_weights
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
    keeper: Keeper | None = None,
    silver: tuple[Prepared, float] | None = None,
) -> Model:
    """Train a copy of a model.

    Args:
        model: left as it is.
        target: what to learn; at least one example.
        source: mixed in under the ``joint`` regime: the loss is the mean of both losses.
        settings: a resolved recipe.
        seed: of data order, dropout and adapters.
        progress: called after every update.
        keeper: of checkpoints; a training that was stopped goes on from the last one, to the same model.
        silver: what to learn as well, and how much its loss weighs in the mean, where the others weigh 1.

    Returns:
        The trained model, on the device, in evaluation mode.
    """
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        model = _trainable(model.copy(), settings).to(device)
        data = [(target, 1.0), *([(source, 1.0)] if source else []), *([silver] if silver else [])]
        vocabulary.narrow(model.module, _occurring(model, [each for each, _ in data]))
        model.train()
        for now in _train(model, data, settings, seed, device, keeper):
            if progress:
                progress(now)
        model.head.weights = None
        pieces = vocabulary.widen(model.module)
    return _plain(model, settings, pieces).eval()


def _train(
    model: Model,
    data: Sequence[tuple[Prepared, float]],
    settings: Settings,
    seed: int,
    device: torch.device,
    keeper: Keeper | None,
) -> Iterator[Progress]:
    """Do the updates that a checkpoint has not, and yield the progress after each."""
    recipe, updates = settings.recipe, settings.updates
    working = WorkingCopy(model.module, device, data[0][0].pieces[0], padding_id(model))
    if settings.frozen is not None and recipe.method not in ("lora", FEATURE_BASED):
        working.separate(settings.frozen, recipe.dropout)
    lower = [
        working.run_lower(each.pieces) if len(each.pieces) < updates * recipe.batch else None
        for each, _ in data  # what is read once at most gains nothing
    ]
    if recipe.method != FEATURE_BASED:  # its vectors are features: the same at every update
        working.train()
    training = Training(
        model, _groups(model, settings), updates, clip=recipe.clip, average=recipe.average, keeper=keeper
    )
    streams = [
        training_batches(model, each, recipe.batch, seed, device, training.done, known)
        for (each, _), known in zip(data, lower, strict=True)
    ]
    total = sum(weight for _, weight in data)
    parts = [(weight / total, _weights(model, each, recipe, device)) for each, weight in data]
    batches = islice(zip(*streams, strict=True), updates - training.done)
    return training.run(batches, partial(_losses, model, working, parts))


def _losses(
    model: Model,
    working: WorkingCopy,
    parts: Sequence[tuple[float, Tensor | None]],
    batches: Sequence[Sequence[tuple[Batch, Tensor]]],
) -> Iterator[Tensor]:
    """Yield the losses of an update; their sum is the mean over the kinds of data.

    Args:
        parts: of each kind of data its share of the loss, and the weights of its labels where these are balanced.
        batches: of each kind of data the parts of a batch.
    """
    working.take_weights()
    for (share, weights), batch in zip(parts, batches, strict=True):
        model.head.weights = weights
        annotated = torch.stack([model.head.annotated(targets) for _, targets in batch]).sum().clamp(min=1)
        for inputs, targets in batch:
            attention.suit(working.module, working.device, inputs.ids.shape[1])
            if working.lower:
                working.lower.output = inputs.lower
            yield model.head.loss(model(inputs, working.module), targets, inputs.mask) / annotated * share
            working.give_gradients()


def _weights(model: Model, data: Prepared, recipe: Recipe, device: torch.device) -> Tensor | None:
    labels, background = model.task.labels, model.task.background
    if not (recipe.balanced and background):
        return None
    return label_weights(data.targets, len(labels), labels.index(background)).to(device)


def _trainable(model: Model, settings: Settings) -> Model:
    recipe = settings.recipe
    if recipe.method == "lora":
        model.module = lora.add(model.module, recipe.lora_rank, recipe.lora_alpha, recipe.lora_dropout)
    else:
        freezing.freeze(model.module, settings.frozen)
    return model


def _occurring(model: Model, data: Iterable[Prepared]) -> set[int]:
    """Return the ids of all pieces that a training meets."""
    windows = (window for prepared in data for pieces in prepared.pieces for window in pieces.windows)
    return {padding_id(model)}.union(*(window.ids for window in windows))


def _plain(model: Model, settings: Settings, pieces: Tensor | None) -> Model:
    """Give back a model whose encoder is a plain one, with the names of all tensors and pieces that ever moved."""
    adapter = None
    if settings.recipe.method == "lora":
        adapter = lora.take(model.module, "" if model.trained or len(model.pieces) else model.encoder.name)
        model.module = lora.merge(model.module)
        moved = {f"{name}.weight" for name in adapter.adapted}
    else:
        table = None if pieces is None else vocabulary.table(model.module)
        moved = {name for name, each in model.module.named_parameters() if each.requires_grad and each is not table}
    model.module.requires_grad_(True)
    encoder = replace(model.encoder, module=model.module)
    ever: Tensor = model.pieces if pieces is None else torch.unique(torch.cat([model.pieces, pieces.cpu()]))
    return Model(model.task, encoder, model.readout, model.head, model.trained | moved, model.provenance, adapter, ever)


def _groups(model: Model, settings: Settings) -> list[Group]:
    recipe = settings.recipe
    schedule = partial(schedules.fine_tuning, updates=settings.updates, warmup=recipe.warmup)
    rates = ((model.module, recipe.encoder_lr), (model.readout, recipe.head_lr), (model.head, recipe.head_lr))
    return [
        Group([p for p in part.parameters() if (p.dim() > 1) == decays], rate, schedule, recipe.weight_decay * decays)
        for part, rate in rates
        for decays in (True, False)  # biases and normalisation weights do not decay
    ]
