"""Masked language modelling on sentences, translation language modelling on pairs (Conneau & Lample 2019)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel, PreTrainedTokenizerFast

from fewshot.checkpoint import Checkpointer
from fewshot.encoders.precision import autocast
from fewshot.pretraining.batches import batches
from fewshot.pretraining.config import DECAYS, PretrainConfig
from fewshot.pretraining.corpus import Aligned
from fewshot.pretraining.masking import MASKED, MaskedBatch, masked, rarity
from fewshot.pretraining.tensorboard_log import tensorboard_log
from fewshot.pretraining.texts import UNKNOWN, Input
from fewshot.pretraining.tokenizer import count_pieces
from fewshot.progress import Progress
from fewshot.training.loop import Group, Training

COUNTED = 100_000
"""Sentences in which pieces are counted."""

EVERY = 50
"""Updates between two reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Progress):
    """How far language modelling is, in updates.

    Args:
        loss: mean over the last updates, in nats a hidden piece; with next-sentence prediction, nats a pair are added.
        lr: learning rate of the last update.
        pieces: real pieces seen since the first update, padding not counted.
        pieces_per_second: of these, at the speed of the last updates.
    """

    loss: Tensor
    lr: float
    pieces: int
    pieces_per_second: float


class OutputLayers(nn.Module):
    """What a hidden piece was, by the weights of the embeddings (Devlin et al. 2019, as their code has it).

    Args:
        hidden: size of the encoder's vectors.
        size: of an embedding.
        pieces: that are told apart.
    """

    def __init__(self, hidden: int, size: int, pieces: int) -> None:
        super().__init__()
        self.transform = nn.Sequential(nn.Linear(hidden, size), nn.GELU(), nn.LayerNorm(size))
        self.bias = nn.Parameter(torch.zeros(pieces))

    def forward(self, states: Tensor, places: Tensor, embeddings: Tensor, gold: Tensor) -> Tensor:
        """Return the mean cross-entropy over hidden pieces, in nats.

        Args:
            states: ``[batch, pieces, hidden]``, of the encoder.
            places: ``[hidden pieces]``, see `MaskedBatch`.
            embeddings: ``[vocabulary, size]``.
            gold: ``[hidden pieces]``, rows of the embeddings.
        """
        vectors = self.transform(states.flatten(0, 1).index_select(0, places))
        scores = vectors @ embeddings.T + self.bias
        return functional.cross_entropy(scores.float(), gold, reduction="sum") / max(1, len(gold))


class MaskedLM(nn.Module):
    """An encoder and the output layers: hidden pieces, and whether a sentence follows."""

    def __init__(self, encoder: BertModel, nsp: bool = False) -> None:
        super().__init__()
        self.encoder = encoder
        hidden, vocabulary = encoder.config.hidden_size, encoder.config.vocab_size
        self.output = OutputLayers(hidden, hidden, vocabulary)
        self.follows = nn.Linear(hidden, 2) if nsp else None

    def forward(self, inputs: MaskedBatch) -> Tensor:
        """Return the loss: mean cross-entropies, in nats, over hidden pieces and, if they are learned, over pairs."""
        states = self.encoder(
            input_ids=inputs.ids, attention_mask=inputs.attention, token_type_ids=inputs.types
        ).last_hidden_state
        loss = self.output(states, inputs.places, self.encoder.embeddings.word_embeddings.weight, inputs.gold)
        if self.follows is None:
            return loss
        scores = self.follows(states[:, 0]).float()
        pairs = functional.cross_entropy(scores, inputs.follows, reduction="sum", ignore_index=UNKNOWN)
        return loss + pairs / (inputs.follows != UNKNOWN).sum().clamp(min=1)

    def flops(self, train_embeddings: bool) -> float:
        """Return the floating-point operations of training on a piece, attention between pieces not counted.

        Six for each weight of the layers (Kaplan et al. 2020, section 2.1), and of the output layers for the share of
        pieces that are predicted; four for each weight that gets no gradient.

        Args:
            train_embeddings: whether the embeddings get one.
        """
        layers = sum(weight.numel() for weight in self.encoder.encoder.parameters())
        transform = sum(weight.numel() for weight in self.output.transform.parameters())
        embeddings = self.encoder.embeddings.word_embeddings.weight.numel()
        return 6 * (layers + MASKED * transform) + (6 if train_embeddings else 4) * MASKED * embeddings


def train(  # noqa: PLR0913
    encoder: BertModel,
    tokenizer: PreTrainedTokenizerFast,
    sentences: Sequence[str],
    pairs: Sequence[Aligned],
    following: Sequence[Input],
    *,
    config: PretrainConfig,
    device: torch.device,
    checkpointer: Checkpointer,
    report: Callable[[Step], None],
    warn: Callable[[str], None],
) -> tuple[MaskedLM, int]:
    """Train an encoder in place; a training that was stopped goes on from its last checkpoint with the same data.

    Args:
        encoder: its word embeddings are also the output layer's.
        sentences: for masked language modelling, in a balanced draw.
        pairs: aligned sentences; two languages of a row are drawn for translation language modelling.
        following: for next-sentence prediction, if there is any, in a balanced draw.
        config: updates, batch, learning rate, share of pairs and the rest of the settings.
        checkpointer: of checkpoints; its folder takes a log that TensorBoard reads, too.
        report: told every 50 updates and after the last one, when the log is written too.
        warn: called with a line where no log can be written.

    Returns:
        The encoder with its output layers, and how many pieces it has seen.
    """
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = MaskedLM(encoder, config.nsp).to(device).train()
        encoder.embeddings.word_embeddings.weight.requires_grad_(config.train_embeddings)
        schedule = partial(DECAYS[config.decay], updates=config.updates)
        groups = [Group(model.parameters(), config.lr, schedule, decay=0.01)]
        training = Training(
            model, groups, config.updates, betas=(0.9, 0.98), checkpointer=checkpointer, doing="language modelling"
        )
        weights = rarity(count_pieces(tokenizer, sentences[:COUNTED]), config.rare_exponent)
        rest = batches(tokenizer, sentences, pairs, following, config, training.done)
        seed = config.seed * config.updates + training.done + 1
        with tensorboard_log(checkpointer.folder, training.done + 1, warn) as add_scalars:
            for step in _steps(training, masked(rest, seed, weights, tokenizer, device), device):
                loss, speed = float(step.loss), step.pieces_per_second
                add_scalars(training.done, {"loss": loss, "learning rate": step.lr, "pieces per second": speed})
                report(step)
    encoder.requires_grad_(True)
    return model.eval(), training.notes["pieces"]


def losses(training: Training, device: torch.device, batch: MaskedBatch, **given: Any) -> list[Tensor]:
    """Return the loss of a batch, of which the training counts the pieces; ``given`` goes to the model, too."""
    training.notes["pieces"] += batch.pieces
    with autocast(device, training.model):
        return [training.model(batch, **given)]


def _steps(training: Training, hidden: Iterable[MaskedBatch], device: torch.device) -> Iterator[Step]:
    """Train; yield how far the training is every `EVERY` updates and after the last one."""
    total, last, seen = torch.zeros((), device=device), training.done, training.notes["pieces"]
    since = time.perf_counter()
    for now in training.run(hidden, partial(losses, training, device)):
        total += training.loss
        if training.done % EVERY == 0 or training.done == training.updates:
            before, seen = seen, training.notes["pieces"]
            mean = total / (training.done - last)
            float(mean)  # waits for the device, so that its time is counted
            yield Step(
                now.done,
                now.total,
                now.doing,
                kept=now.kept,
                loss=mean,
                lr=training.optimizer.param_groups[0]["lr"],
                pieces=seen,
                pieces_per_second=(seen - before) / (time.perf_counter() - since),
            )
            total, last, since = torch.zeros_like(total), training.done, time.perf_counter()
