"""Continue masked language modelling on text of one language (Gururangan et al. 2020).

The output layers are learned first, alone, since few encoders come with the ones of their pretraining; then the chosen
part of the encoder is trained with them. Only the pieces that occur in the text are predicted, and only their
embeddings are trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import takewhile
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from fewshot.checkpoint import Checkpointer
from fewshot.encoders import attention, lora, vocabulary
from fewshot.encoders.load import Encoder
from fewshot.encoders.vectors import takes_types
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.pretraining import heldout
from fewshot.pretraining.batches import batches
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.masking import MaskedBatch, masked
from fewshot.pretraining.mlm import OutputLayers, losses
from fewshot.progress import Progress, Report
from fewshot.training.loop import Group, Training
from fewshot.training.schedules import by_share

ADAPTERS, EMBEDDINGS, ALL = "adapters", "embeddings", "all"

RATES = {ADAPTERS: 1e-3, EMBEDDINGS: 5e-4, ALL: 1e-4}
"""The parts of an encoder that can be trained, and their peak learning rates."""

OUTPUT_RATE = 1e-3
"""Peak learning rate of the output layers."""

OUTPUT_SHARE = 0.2
"""Share of the training in which only the output layers are learned."""

RANK, ALPHA = 32, 64
"""Rank and scale of the adapters."""

UNLIMITED = 10**9
"""Updates of a training whose end is given in minutes."""

PROGRESS_NAME = "updates of language modelling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """The settings of a continued pretraining.

    Args:
        train: ``adapters``, of low rank, merged into the layers in the end; ``embeddings`` of the pieces that occur;
            ``all``: the embeddings and the layers. New pieces are always trained.
        minutes: of training; 0 counts updates instead.
        updates: optimizer steps; 0 counts minutes instead.
        batch: sentences of an update.
        length: maximum number of pieces of a sentence.
        lr: peak learning rate of the encoder; None for the rate of `RATES`.
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
            raise FewshotError("a training ends after minutes or after updates; set one above 0, and the other to 0")
        if not 0 < self.peak <= 1:
            raise FewshotError(f"invalid learning rate {self.lr}; give a rate above 0 and at most 1")

    @property
    def peak(self) -> float:
        """The peak learning rate of the encoder."""
        return RATES[self.train] if self.lr is None else self.lr

    def share(self, done: int, seconds: float) -> float:
        """Return the share of the training that is done, in updates or in seconds."""
        return done / self.updates if self.updates else seconds / 60 / self.minutes

    def progress(self, now: Progress, checkpointer: Checkpointer) -> Progress:
        """Return the progress of the training in updates, or in the minutes of its checkpointer."""
        if self.updates:
            return now
        done, kept = (min(self.minutes, seconds / 60) for seconds in (checkpointer.seconds, checkpointer.before))
        return Progress(done, self.minutes, "minutes of language modelling", now.loss, kept)


@dataclass(frozen=True, slots=True)
class AdaptResult:
    """The result of a continued pretraining.

    Args:
        pieces: number of pieces read, without padding.
        passes: mean number of times that a sentence was read.
        before: scores by text, with trained output layers and the untrained encoder.
        after: scores by text at the end.
    """

    updates: int
    pieces: int
    passes: float
    before: dict[str, heldout.HeldOutScore] = field(default_factory=dict)
    after: dict[str, heldout.HeldOutScore] = field(default_factory=dict)
    new_pieces: int = 0


class Learner(nn.Module):
    """An encoder restricted to the pieces of a text, and output layers that predict them.

    Args:
        encoder: trained in place; its embeddings are a plain table.
        counts: ``[vocabulary]``, of each piece in the text; pieces of count 0 cannot be read.
        old: number of the first new piece.
        train: the part that is trained, see `Continuation`.
    """

    def __init__(self, encoder: Encoder, counts: Tensor, old: int, train: str, device: torch.device) -> None:
        super().__init__()
        module: Any = encoder.module.to(device).requires_grad_(True)
        vocabulary.narrow(module, counts.nonzero().squeeze(1).tolist())
        embeddings: vocabulary.PartialEmbedding = module.get_input_embeddings()
        self.adapted = train == ADAPTERS
        adapted = lora.add(module, RANK, ALPHA, 0.0) if self.adapted else module.requires_grad_(train == ALL)
        occurring, size = embeddings.weight.shape
        new = embeddings.ids >= old
        embeddings.weight.requires_grad_(not self.adapted or bool(new.any()))
        if self.adapted and new.any():
            embeddings.weight.register_hook(lambda gradient: gradient * new.unsqueeze(1))
        self.output = OutputLayers(encoder.hidden, size, occurring)
        shares = counts[embeddings.ids.cpu()].float() / counts.sum()
        self.output.bias.data.copy_(shares.log())
        self.encoder, self.embeddings = adapted, embeddings
        self.to(device)

    def forward(self, inputs: MaskedBatch, fixed: bool = False) -> Tensor:
        """Return the mean cross-entropy over hidden pieces, in nats.

        Args:
            fixed: whether only the output layers get gradients.
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
        """Return the encoder with all its embeddings on the CPU; the learner cannot be used afterwards."""
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
    checkpointer: Checkpointer,
    device: torch.device,
    report: Report,
) -> AdaptResult:
    """Train a learner in place; a stopped training continues from its checkpoint.

    Args:
        held: held-out sentences by text.
        how: settings; the encoder can read their length.
        checkpointer: of checkpoints; its clock counts the minutes.
    """
    config = PretrainConfig(
        alignment="none", batch=how.batch, length=how.length, updates=how.updates or UNLIMITED, seed=how.seed
    )
    weights = torch.zeros(len(tokenizer))
    weights[learner.embeddings.ids.cpu()] = 1.0
    attention.choose(learner.encoder, device, how.length)
    learner.train()

    def score() -> dict[str, heldout.HeldOutScore]:
        report(Progress(0, 0, "scoring"))
        learner.eval()
        scores = heldout.score(learner, tokenizer, held, config, device, weights)
        learner.train()
        return {name: scores[name] for name in scores if name in held}

    def learn(end: float, fixed: bool) -> None:
        rest = batches(tokenizer, sentences, [], [], config, training.done)
        rest = takewhile(lambda _: how.share(training.done, checkpointer.seconds) < end, rest)
        hidden = masked(rest, (how.seed << 24) + training.done, weights, tokenizer, device)
        for progress in training.run(hidden, partial(losses, training, device, fixed=fixed)):
            report(how.progress(progress, checkpointer))

    with torch.random.fork_rng():
        groups = _groups(learner, how, checkpointer)
        training = Training(
            learner, groups, config.updates, betas=(0.9, 0.98), checkpointer=checkpointer, doing=PROGRESS_NAME
        )
        learn(OUTPUT_SHARE, fixed=True)
        stored = training.notes.get("before", {})
        before = {name: heldout.HeldOutScore(**values) for name, values in stored.items()} or score()
        training.notes["before"] = {name: asdict(result) for name, result in before.items()}
        learn(1.0, fixed=False)
        passes = round(training.done * how.batch / len(sentences), 2)
        return AdaptResult(training.done, training.notes["pieces"], passes, before, score())


def _groups(learner: Learner, how: Continuation, checkpointer: Checkpointer) -> list[Group]:
    """Return the output layers, and the encoder, whose rate rises when its training begins."""

    def output(step: int) -> float:
        return by_share(how.share(step, checkpointer.seconds))

    def encoder(step: int) -> float:
        return by_share((how.share(step, checkpointer.seconds) - OUTPUT_SHARE) / (1 - OUTPUT_SHARE))

    return [
        Group(learner.output.parameters(), OUTPUT_RATE, output),
        Group(learner.encoder.parameters(), how.peak, encoder),
    ]
