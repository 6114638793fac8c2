"""One training run: a pure function of model, data, settings and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn

from fewshot.encoders import freezing, lora, vocabulary
from fewshot.encoders.vectors import Batch
from fewshot.progress import Progress, Report
from fewshot.training import memory
from fewshot.training.balance import label_weights
from fewshot.training.batching import Prepared, padding_id, training_batches
from fewshot.training.model import Model
from fewshot.training.recipe import FEATURE_BASED, Recipe, Settings


def fit(
    model: Model,
    target: Prepared,
    source: Prepared | None,
    settings: Settings,
    seed: int,
    device: torch.device,
    progress: Report | None = None,
) -> Model:
    """Train a copy of a model.

    Args:
        model: left as it is.
        target: what to learn; at least one example.
        source: mixed in under the ``joint`` regime: the loss is the mean of both losses.
        settings: a resolved recipe.
        seed: of data order, dropout and adapters.
        progress: called after every update.

    Returns:
        The trained model, on the device, in evaluation mode.
    """
    recipe = settings.recipe
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        model = _trainable(model.copy(), settings).to(device)
        data = [target, source] if source else [target]
        vocabulary.narrow(model.module, _occurring(model, data))
        streams = [
            (training_batches(model, each, recipe.batch, seed, device), _weights(model, each, recipe, device))
            for each in data
        ]
        optimizer = _optimizer(model, settings)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, settings.updates, recipe))
        average = _Average(model, settings.updates, recipe.average)
        model.train()
        if recipe.method == FEATURE_BASED:
            model.module.eval()  # its vectors are features: the same at every update
        for update in range(1, settings.updates + 1):
            loss = _train_step(model, streams, optimizer, recipe.clip, device)
            schedule.step()
            average.add(update)
            if device.type == "cpu" and update % memory.EVERY == 0:
                memory.give_back()
            if progress:
                progress(Progress(update, settings.updates, loss=loss))
        average.store()
        model.head.weights = None
        pieces = vocabulary.widen(model.module)
    return _plain(model, settings, pieces).eval()


def _train_step(
    model: Model,
    streams: list[tuple[Iterator[list[tuple[Batch, Tensor]]], Tensor | None]],
    optimizer: torch.optim.Optimizer,
    clip: float,
    device: torch.device,
) -> Tensor:
    optimizer.zero_grad(set_to_none=True)
    total = torch.zeros((), device=device)
    for stream, weights in streams:
        model.head.weights = weights
        losses = [model.head.loss(model(batch), targets, batch.mask) for batch, targets in next(stream)]
        totals, counts = (torch.stack(values).sum() for values in zip(*losses, strict=True))
        loss = totals / counts.clamp(min=1) / len(streams)
        loss.backward()
        total += loss.detach()
    nn.utils.clip_grad_norm_([p for p in model.parameters() if p.grad is not None], clip)
    optimizer.step()
    return total


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
    encoder = type(model.encoder)(model.encoder.name, model.module, model.encoder.tokenizer, model.encoder.fingerprint)
    ever = model.pieces if pieces is None else torch.cat([model.pieces, pieces.cpu()]).unique()
    return Model(model.task, encoder, model.readout, model.head, model.trained | moved, model.provenance, adapter, ever)


def _optimizer(model: Model, settings: Settings) -> torch.optim.AdamW:
    recipe = settings.recipe
    groups = []
    rates = ((model.module, recipe.encoder_lr), (model.readout, recipe.head_lr), (model.head, recipe.head_lr))
    for part, rate in rates:
        trained = [p for p in part.parameters() if p.requires_grad]
        for decays in (True, False):  # biases and normalisation weights do not decay
            chosen = [p for p in trained if (p.dim() > 1) == decays]
            groups.append({"params": chosen, "lr": rate, "weight_decay": recipe.weight_decay if decays else 0.0})
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=True)


def _rate(step: int, updates: int, recipe: Recipe) -> float:
    warmup = round(recipe.warmup * updates)
    if step < warmup:
        return (step + 1) / (warmup + 1)
    return (updates - step) / max(1, updates - warmup)


class _Average:
    """The running mean of evenly spaced checkpoints of what is trained."""

    def __init__(self, model: Model, updates: int, checkpoints: int) -> None:
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.at = {round(updates * (n + 1) / checkpoints) for n in range(checkpoints)} if checkpoints > 1 else set()
        self.mean: list[Tensor] = []
        self.seen = 0

    @torch.no_grad()
    def add(self, update: int) -> None:
        if update not in self.at:
            return
        self.seen += 1
        if not self.mean:
            self.mean = [p.detach().clone() for p in self.parameters]
        else:
            torch._foreach_lerp_(self.mean, [p.detach() for p in self.parameters], 1 / self.seen)

    @torch.no_grad()
    def store(self) -> None:
        for parameter, mean in zip(self.parameters, self.mean, strict=False):
            parameter.copy_(mean)
