"""Masked language modelling on sentences and on pairs of translations (Conneau & Lample 2019)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
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
from fewshot.pretraining.texts import UNKNOWN, SentencePair
from fewshot.pretraining.tokenizer import count_pieces
from fewshot.progress import Progress
from fewshot.training.loop import Group, Training

MAX_COUNTED_SENTENCES = 100_000
"""Number of sentences in which pieces are counted."""

REPORT_UPDATES = 50
"""Updates between two reports."""

LOG = "log"
"""Folder of the event files of TensorBoard."""

AddScalars = Callable[[int, Mapping[str, float]], None]
"""Takes the number of an update, and values by the name of their curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MLMStep(Progress):
    """The progress of language modelling, in updates.

    Args:
        loss: mean since the last report, in nats per hidden piece; next-sentence prediction adds nats per pair.
        lr: learning rate of the last update.
        pieces: number of pieces read since the first update, without padding.
        pieces_per_second: since the last report.
    """

    loss: Tensor
    lr: float
    pieces: int
    pieces_per_second: float


class OutputLayers(nn.Module):
    """Predicts hidden pieces with the weights of the embeddings (Devlin et al. 2019, as in their code)."""

    def __init__(self, hidden: int, embedding_size: int, vocabulary: int) -> None:
        super().__init__()
        layers = nn.Linear(hidden, embedding_size), nn.GELU(), nn.LayerNorm(embedding_size)
        self.transform = nn.Sequential(*layers)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

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
    """An encoder with output layers for hidden pieces and, optionally, next sentences."""

    def __init__(self, encoder: BertModel, nsp: bool = False) -> None:
        super().__init__()
        self.encoder = encoder
        hidden, vocabulary = encoder.config.hidden_size, encoder.config.vocab_size
        self.output = OutputLayers(hidden, hidden, vocabulary)
        self.follows = nn.Linear(hidden, 2) if nsp else None

    def forward(self, inputs: MaskedBatch) -> Tensor:
        """Return the sum of the mean cross-entropies over hidden pieces and over pairs, in nats."""
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
        """Return the floating-point operations of training on a piece, without attention between pieces.

        These are six for each weight of the layers (Kaplan et al. 2020, section 2.1), and of the output layers for the
        share of predicted pieces; four for each weight without a gradient.
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
    following: Sequence[SentencePair],
    *,
    config: PretrainConfig,
    device: torch.device,
    checkpointer: Checkpointer,
    report: Callable[[MLMStep], None],
    warn: Callable[[str], None],
) -> tuple[MaskedLM, int]:
    """Train an encoder in place; a stopped training continues from its last checkpoint with the same data.

    Args:
        encoder: its word embeddings are the weights of the output layer too.
        sentences: a balanced draw for masked language modelling.
        pairs: aligned sentences; two languages of a row are drawn for translation language modelling.
        following: a balanced draw for next-sentence prediction, or empty.
        checkpointer: of checkpoints; its folder receives the TensorBoard log too.
        report: called every 50 updates and after the last one, when the log is written too.
        warn: called with a line when no log can be written.

    Returns:
        The encoder with its output layers, and the number of pieces it has read.
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
        weights = rarity(count_pieces(tokenizer, sentences[:MAX_COUNTED_SENTENCES]), config.rare_exponent)
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
    """Return the loss of a batch, and count its pieces; ``given`` is passed to the model."""
    training.notes["pieces"] += batch.pieces
    with autocast(device, training.model):
        return [training.model(batch, **given)]


def _steps(training: Training, hidden: Iterable[MaskedBatch], device: torch.device) -> Iterator[MLMStep]:
    """Train; yield the progress every `REPORT_UPDATES` updates and after the last one."""
    total, last, seen = torch.zeros((), device=device), training.done, training.notes["pieces"]
    since = time.perf_counter()
    for now in training.run(hidden, partial(losses, training, device)):
        total += training.loss
        if training.done % REPORT_UPDATES == 0 or training.done == training.updates:
            before, seen = seen, training.notes["pieces"]
            mean = total / (training.done - last)
            float(mean)  # waits for the device, so that its time is counted
            yield MLMStep(
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


@contextmanager
def tensorboard_log(folder: Path, first: int, warn: Callable[[str], None]) -> Iterator[AddScalars]:
    """Open a log for TensorBoard, from the update ``first`` on in place of that of an earlier run.

    ``warn`` is called with a line when TensorBoard is missing and nothing is written.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        warn("no TensorBoard log is written; for one: pip install 'fewshot[tensorboard]'")
        yield lambda update, values: None
        return
    with SummaryWriter(str(folder / LOG), purge_step=first) as writer:

        def add(update: int, values: Mapping[str, float]) -> None:
            for name, value in values.items():
                writer.add_scalar(name, value, update)

        yield add
