"""One training run: a pure function of model, data, settings and seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from fewshot.checkpoint import Keeper, Kept
from fewshot.encoders import attention, freezing, lora, vocabulary
from fewshot.encoders.vectors import Batch
from fewshot.progress import Progress, Report
from fewshot.training import memory
from fewshot.training.balance import label_weights
from fewshot.training.batching import Prepared, padding_id, training_batches
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
        _train(model, data, settings, seed, device, progress or (lambda now: None), keeper)
        model.head.weights = None
        pieces = vocabulary.widen(model.module)
    return _plain(model, settings, pieces).eval()


def _train(
    model: Model,
    data: Sequence[tuple[Prepared, float]],
    settings: Settings,
    seed: int,
    device: torch.device,
    progress: Report,
    keeper: Keeper | None,
) -> None:
    """Do the updates that a checkpoint has not."""
    recipe, updates = settings.recipe, settings.updates
    working = WorkingCopy(model.module, device, data[0][0].pieces[0], padding_id(model))
    if settings.frozen is not None and recipe.method not in ("lora", FEATURE_BASED):
        working.separate(settings.frozen, recipe.dropout)
    lower = [
        working.run_lower(each.pieces) if len(each.pieces) < updates * recipe.batch else None
        for each, _ in data  # what is read once at most gains nothing
    ]
    if settings.recipe.method != FEATURE_BASED:  # its vectors are features: the same at every update
        working.train()
    optimizer = _optimizer(model, settings)
    average = _Average(model, updates, recipe.average)
    kept = keeper.load(model, optimizer) if keeper else Kept()
    average.restore(kept.update, kept.tensors)
    streams = [
        _Stream(
            training_batches(model, each, recipe.batch, seed, device, kept.update, known),
            weight / sum(weight for _, weight in data),
            _weights(model, each, recipe, device),
        )
        for (each, weight), known in zip(data, lower, strict=True)
    ]
    working.take_weights()
    trained = [p for p in model.parameters() if p.requires_grad]
    ceiling = memory.Ceiling()
    for update in range(kept.update + 1, updates + 1):
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * _rate(update - 1, updates, recipe)
        loss = _train_step(model, working, trained, streams, optimizer, recipe.clip, device, ceiling)
        average.add(update)
        if keeper:
            keeper.offer(update, model, optimizer, average.tensors)
        progress(Progress(update, updates, loss=loss, kept=kept.update))
    average.store()


class _Stream(NamedTuple):
    """Batches of one kind of data, its share of the loss, and the weights of its labels where these are balanced."""

    batches: Iterator[list[tuple[Batch, Tensor]]]
    share: float
    weights: Tensor | None


def _train_step(
    model: Model,
    working: WorkingCopy,
    trained: Sequence[nn.Parameter],
    streams: Sequence[_Stream],
    optimizer: torch.optim.Optimizer,
    clip: float,
    device: torch.device,
    ceiling: memory.Ceiling,
) -> Tensor:
    optimizer.zero_grad(set_to_none=True)
    total = torch.zeros((), device=device)
    for stream in streams:
        model.head.weights, parts = stream.weights, next(stream.batches)
        annotated = torch.stack([model.head.annotated(targets) for _, targets in parts]).sum().clamp(min=1)
        for batch, targets in parts:  # each by itself, so that no two are in memory at once
            attention.suit(working.module, device, batch.ids.shape[1])
            if working.lower:
                working.lower.output = batch.lower
            loss = model.head.loss(model(batch, working.module), targets, batch.mask) / annotated * stream.share
            torch.autograd.backward(loss)
            working.give_gradients()
            total += loss.detach()
            ceiling()
    _clip([p for p in trained if p.grad is not None], clip, device)
    optimizer.step()
    working.take_weights()
    return total


def _clip(parameters: Sequence[nn.Parameter], largest: float, device: torch.device) -> None:
    """Scale gradients whose norm is too large; the others are left alone, but on GPUs, which would wait to be asked."""
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    if device.type != "cpu" or not norm <= 0.99 * largest:  # close to it torch decides
        nn.utils.clip_grads_with_norm_(parameters, largest, norm)


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
    ever: Tensor = model.pieces if pieces is None else torch.unique(torch.cat([model.pieces, pieces.cpu()]))
    return Model(model.task, encoder, model.readout, model.head, model.trained | moved, model.provenance, adapter, ever)


def _optimizer(model: Model, settings: Settings) -> torch.optim.AdamW:
    recipe = settings.recipe
    groups = []
    rates = ((model.module, recipe.encoder_lr), (model.readout, recipe.head_lr), (model.head, recipe.head_lr))
    for part, rate in rates:
        trained = [p for p in part.parameters() if p.requires_grad]
        for decays in (True, False):  # biases and normalisation weights do not decay
            chosen = [p for p in trained if (p.dim() > 1) == decays]
            decay = recipe.weight_decay if decays else 0.0
            groups.append({"params": chosen, "lr": rate, "peak": rate, "weight_decay": decay})
    return torch.optim.AdamW([group for group in groups if group["params"]], fused=True)


def _rate(step: int, updates: int, recipe: Recipe) -> float:
    warmup = round(recipe.warmup * updates)
    if step < warmup:
        return (step + 1) / (warmup + 1)
    return (updates - step) / max(1, updates - warmup)


class _Average:
    """The running mean of evenly spaced checkpoints of what is trained."""

    def __init__(self, model: nn.Module, updates: int, checkpoints: int) -> None:
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.at = {round(updates * (n + 1) / checkpoints) for n in range(checkpoints)} if checkpoints > 1 else set()
        self.mean: list[Tensor] = []
        self.seen = 0

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The mean, for a checkpoint of the training."""
        return {str(number): mean for number, mean in enumerate(self.mean)}

    def restore(self, update: int, tensors: Mapping[str, Tensor]) -> None:
        """Go on from what it was after an update."""
        self.seen = sum(0 < at <= update for at in self.at)
        self.mean = [tensors[str(n)].to(p.device) for n, p in enumerate(self.parameters)] if self.seen else []

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
