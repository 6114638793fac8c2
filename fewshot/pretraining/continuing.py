"""Masked language modelling continued on text of one language (Gururangan et al. 2020; Pfeiffer et al. 2020, *MAD-X*).

First the output layers alone are learned, since few encoders come with those that they were pretrained with; then, with
them, what is to be trained of the encoder. The output layers tell those pieces apart that the text has, and of the
embeddings no other rows are trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from fewshot.checkpoint import Keeper
from fewshot.encoders import attention, lora, vocabulary
from fewshot.encoders.load import Encoder
from fewshot.encoders.precision import autocast
from fewshot.encoders.vectors import takes_types
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.pretraining import heldout
from fewshot.pretraining.batches import batches
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.masking import MaskedBatch, mask_batch
from fewshot.pretraining.mlm import OutputLayers
from fewshot.progress import Progress, Report
from fewshot.training import memory

ADAPTERS, EMBEDDINGS, ALL = "adapters", "embeddings", "all"

RATES = {ADAPTERS: 1e-3, EMBEDDINGS: 5e-4, ALL: 1e-4}
"""What can be trained of an encoder, and the peak learning rate of each."""

OUTPUT_RATE = 1e-3
"""Peak learning rate of the output layers."""

OUTPUT_SHARE = 0.2
"""Of the training, in which the output layers alone are learned."""

WARM_UP = 0.1
"""Share of a training in which its learning rate rises; then it falls linearly to 0."""

RANK, ALPHA = 32, 64
"""Of adapters."""

BEFORE = "before "
"""What the names of scores begin with in a checkpoint."""

UNLIMITED = 10**9
"""Updates of a training that ends by the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """How an encoder is trained on.

    Args:
        train: ``adapters`` of low rank beside the layers, which are merged into them in the end; ``embeddings`` of the
            pieces that occur, and no layer; ``all``: both, and the layers themselves. New pieces are always trained.
        minutes: of training; 0: updates are counted instead.
        updates: optimizer steps; 0: minutes are counted instead.
        batch: sentences an update.
        length: most pieces of a sentence.
        lr: peak learning rate of the encoder; None: that of `RATES`.
        seed: of data, masks and adapters.

    Raises:
        FewshotError: when a value is out of its range.
    """

    train: str = ADAPTERS
    minutes: float = 30.0
    updates: int = 0
    batch: int = 32
    length: int = 128
    lr: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.train not in RATES:
            raise UnknownNameError("part of an encoder to train", self.train, RATES)
        if (self.minutes > 0) == (self.updates > 0):
            raise FewshotError("a training ends after minutes or after updates; give one of them, above 0")
        if not 0 < self.peak <= 1:
            raise FewshotError(f"no encoder learns at a rate of {self.lr}; give one above 0, at most 1")

    @property
    def peak(self) -> float:
        """The learning rate of the encoder at its highest."""
        return RATES[self.train] if self.lr is None else self.lr

    def share(self, done: int, seconds: float) -> float:
        """Return which share of the training is done, of updates or else of seconds."""
        return done / self.updates if self.updates else seconds / 60 / self.minutes

    def progress(self, done: int, seconds: float, kept: tuple[int, float], loss: Tensor) -> Progress:
        """Return how far the training is; ``kept`` are the updates and seconds of the sessions before."""
        if self.updates:
            return Progress(done, self.updates, "updates of language modelling", loss, kept[0])
        minutes, before = (min(self.minutes, each / 60) for each in (seconds, kept[1]))
        return Progress(minutes, self.minutes, "minutes of language modelling", loss, before)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a training came to.

    Args:
        updates: that were done.
        pieces: that were read, padding not counted.
        passes: how often each sentence was read, in the mean.
        before: scores by text, after the output layers were learned and before the encoder was trained.
        after: the same in the end.
        new_pieces: that the tokenizer got.
    """

    updates: int
    pieces: int
    passes: float
    before: dict[str, heldout.Score] = field(default_factory=dict)
    after: dict[str, heldout.Score] = field(default_factory=dict)
    new_pieces: int = 0


class Learner(nn.Module):
    """An encoder that can read the pieces of a text, and output layers that tell them apart.

    Args:
        encoder: trained in place; its embeddings are a plain table.
        counts: ``[vocabulary]``, of each piece in the text; those of 0 cannot be read.
        old: number of the first new piece.
        train: what of the encoder is trained, see `Continuation`.
        device: where all of it is computed.
    """

    def __init__(self, encoder: Encoder, counts: Tensor, old: int, train: str, device: torch.device) -> None:
        super().__init__()
        module: Any = encoder.module.to(device).requires_grad_(True)
        vocabulary.narrow(module, counts.nonzero().squeeze(1).tolist())
        self.embeddings: vocabulary.Occurring = module.get_input_embeddings()
        self.adapted = train == ADAPTERS
        self.encoder = lora.add(module, RANK, ALPHA, 0.0) if self.adapted else module.requires_grad_(train == ALL)
        occurring, size = self.embeddings.weight.shape
        new = self.embeddings.ids >= old
        self.embeddings.weight.requires_grad_(not self.adapted or bool(new.any()))
        if self.adapted and new.any():
            self.embeddings.weight.register_hook(lambda gradient: gradient * new.unsqueeze(1))
        self.output = OutputLayers(encoder.hidden, size, occurring)
        shares = counts[self.embeddings.ids.cpu()].float() / counts.sum()
        self.output.bias.data.copy_(shares.log())
        self.to(device)

    def forward(self, inputs: MaskedBatch, fixed: bool = False) -> Tensor:
        """Return the mean cross-entropy over hidden pieces, in nats.

        Args:
            fixed: whether the output layers alone get gradients.
        """
        given = {"input_ids": inputs.ids, "attention_mask": None}
        if inputs.attention is not None:
            given["attention_mask"] = inputs.attention[:, 0, 0]  # all kinds of encoders take two dimensions
        if takes_types(self.encoder):
            given["token_type_ids"] = inputs.types
        with torch.set_grad_enabled(torch.is_grad_enabled() and not fixed):
            states = self.encoder(**given).last_hidden_state
        rows = self.embeddings.weight.detach() if fixed else self.embeddings.weight
        return self.output(states, inputs.places, rows, self.embeddings.places[inputs.gold])

    def plain(self) -> nn.Module:
        """Return the encoder as it is now, with all of its embeddings, on the CPU; the learner is done with."""
        module = lora.merge(self.encoder) if self.adapted else self.encoder
        vocabulary.widen(module)
        attention.fuse(module)
        return module.requires_grad_(True).cpu().eval()


def train(
    learner: Learner,
    tokenizer: PreTrainedTokenizerFast,
    sentences: Sequence[str],
    held: Mapping[str, Sequence[str]],
    how: Continuation,
    keeper: Keeper,
    device: torch.device,
    report: Report,
) -> Outcome:
    """Train a learner in place; a training that was stopped goes on from its checkpoint.

    Args:
        tokenizer: of the encoder.
        sentences: raw text.
        held: by text, sentences that are scored.
        how: settings; the length must be one that the encoder can read.
        keeper: of checkpoints; its clock counts the minutes.
        report: told after every update.
    """
    config = PretrainConfig(
        alignment="none", batch=how.batch, length=how.length, updates=how.updates or UNLIMITED, seed=how.seed
    )
    weights = torch.zeros(len(tokenizer))
    weights[learner.embeddings.ids.cpu()] = 1.0

    def score() -> dict[str, heldout.Score]:
        report(Progress(0, 0, "scoring"))
        learner.eval()
        scores = heldout.score(learner, tokenizer, held, config, device, weights)
        learner.train()
        return {name: each for name, each in scores.items() if name in held}

    attention.suit(learner.encoder, device, how.length)
    learner.train()
    with torch.random.fork_rng():
        optimizer = _optimizer(learner)
        kept = keeper.load(learner, optimizer)
        done, seen = kept.update, int(kept.tensors.get("pieces", 0))
        before = _scores(kept.tensors)
        ceiling = memory.Ceiling()
        for batch in batches(tokenizer, sentences, [], [], config, done):
            share = how.share(done, keeper.seconds)
            if share >= 1:
                break
            fixed = share < OUTPUT_SHARE
            if not fixed and not before:
                before = score()
            torch.manual_seed((how.seed << 24) + done)  # dropout and masks follow from the update
            rates = (
                OUTPUT_RATE * _rate(share),
                how.peak * _rate((share - OUTPUT_SHARE) / (1 - OUTPUT_SHARE)),
            )
            loss = _step(learner, optimizer, rates, mask_batch(batch, weights, tokenizer, device), fixed, device)
            done, seen = done + 1, seen + int(batch.attention.sum())
            ceiling()
            keeper.offer(done, learner, optimizer, {"pieces": torch.tensor(seen), **_tensors(before)})
            report(how.progress(done, keeper.seconds, (kept.update, kept.numbers.get("seconds", 0.0)), loss))
        return Outcome(done, seen, round(done * how.batch / len(sentences), 2), before or score(), score())


def _optimizer(learner: Learner) -> torch.optim.AdamW:
    """Return the optimizer of the output layers and, in a group behind them, of the encoder."""
    groups = [
        {"params": [weight for weight in part.parameters() if weight.requires_grad]}
        for part in (learner.output, learner.encoder)
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0, fused=True)


def _step(
    learner: Learner,
    optimizer: torch.optim.Optimizer,
    rates: tuple[float, float],
    inputs: MaskedBatch,
    fixed: bool,
    device: torch.device,
) -> Tensor:
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate
    with autocast(device, learner):
        loss = learner(inputs, fixed)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_([weight for group in optimizer.param_groups for weight in group["params"]], 1.0)
    optimizer.step()
    return loss.detach()


def _rate(share: float) -> float:
    return max(0.0, min(share / WARM_UP, (1 - share) / (1 - WARM_UP)))


def _tensors(scores: Mapping[str, heldout.Score]) -> dict[str, Tensor]:
    """Return scores as a checkpoint keeps them."""
    return {f"{BEFORE}{name}": torch.tensor(astuple(score), dtype=torch.float64) for name, score in scores.items()}


def _scores(tensors: Mapping[str, Tensor]) -> dict[str, heldout.Score]:
    rows = {name.removeprefix(BEFORE): row.tolist() for name, row in tensors.items() if name.startswith(BEFORE)}
    return {name: heldout.Score(int(row[0]), int(row[1]), row[2]) for name, row in sorted(rows.items())}
