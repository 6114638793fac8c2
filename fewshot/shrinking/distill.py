"""Distill a large encoder into a small one (Sanh et al. 2019; Jiao et al. 2020, equation 8).

The student begins as the teacher's lowest layers. Linear maps of its vectors learn to predict the vectors of upper
layers of the teacher for each span of text, and the mean vector of the last layer for a translation (Reimers & Gurevych
2020, equation 1). The maps are dropped afterwards: the student learns what they need, and stays near the teacher's
layers. Its embeddings stay those of the teacher.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from fewshot.checkpoint import Checkpointer
from fewshot.encoders import attention
from fewshot.encoders.freezing import depth, freeze
from fewshot.encoders.load import Encoder
from fewshot.encoders.precision import autocast, has_bf16
from fewshot.encoders.vectors import all_layers, pool_pieces, unit_vectors
from fewshot.encoders.vocabulary import copy_encoder, table, unpack
from fewshot.pretraining.corpus import Translation
from fewshot.progress import Report
from fewshot.shrinking.reading import SharedBatch, Tokenizers, shared_batch, shared_batches
from fewshot.training.loop import Group, Training
from fewshot.training.schedules import linear

BATCH_SENTENCES = 50
"""Sentences of a batch outside of training."""

START_BATCHES = 60
"""Batches of `BATCH_SENTENCES` that the initial maps are computed from."""

MIN_VARIATION = 1e-3
"""Smallest variation of a direction that the initial maps use, as a share of the greatest. Layer normalisation removes
one direction, and rounding to bf16 is of this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distillation:
    """The settings of a distillation.

    Args:
        updates: optimizer steps.
        batch: sentences of an update.
        length: maximum number of pieces of a sentence.
        lr: peak learning rate; it rises during a tenth of the updates, then falls linearly to 0.
        pair_share: share of batches that are translations.
        frozen: number of the student's lowest layers that stay as they are, with its embeddings; 0 trains all layers.
        checkpoint: updates between two checkpoints.
        seed: of the data.
    """

    updates: int = 10_000
    batch: int = 64
    length: int = 96
    lr: float = 5e-4
    pair_share: float = 0.5
    frozen: int = 0
    checkpoint: int = 500
    seed: int = 0


def distill(
    lesson: Lesson,
    sentences: Sequence[str],
    translations: Sequence[Translation],
    how: Distillation,
    checkpointer: Checkpointer,
    report: Report,
) -> int:
    """Train the student of a lesson in place, and return the number of pieces that it has read.

    A stopped training continues from its checkpoint.

    Args:
        sentences: a balanced draw.
        translations: a balanced draw; may be empty.
    """
    with torch.random.fork_rng():  # checkpoints restore random states
        groups = [Group(lesson.parameters(), how.lr, partial(linear, updates=how.updates), decay=0.01)]
        training = Training(
            lesson, groups, how.updates, betas=(0.9, 0.98), checkpointer=checkpointer, doing="distilling"
        )

        def losses(batch: SharedBatch) -> list[Tensor]:
            training.notes["pieces"] += int(batch.student.attention.sum())
            return [lesson(batch)]

        for progress in training.run(
            shared_batches(lesson.tokenizers, sentences, translations, how, training.done), losses
        ):
            report(progress)
    lesson.student.requires_grad_(True)
    attention.fuse(lesson.student)
    return int(training.notes["pieces"])


class Lesson(nn.Module):
    """A student, linear maps from its last layer to layers of its teacher, and their loss.

    The maps begin as the least-squares solution.

    Args:
        teacher: not changed.
        student: its layers are trained in place.
        how: settings, of which ``length`` and ``frozen`` are used.
        sentences: the initial maps are computed from the first of them.
    """

    spreads: Tensor

    def __init__(
        self, teacher: Encoder, student: Encoder, how: Distillation, sentences: Sequence[str], device: torch.device
    ) -> None:
        super().__init__()
        self.student = student.module.eval()
        freeze(self.student, how.frozen or None)
        table(self.student).requires_grad_(False)
        self.teacher: list[Any] = [copy_encoder(teacher.module).eval()]  # a list hides its weights from torch
        unpack(self.teacher[0])  # only a plain table can be rounded to bf16
        self.tokenizers: Tokenizers = (teacher.tokenizer, student.tokenizer)
        self.length = how.length
        self.layers = taught(depth(teacher.module), depth(student.module))
        self.maps = nn.ModuleList(nn.Linear(student.hidden, teacher.hidden) for _ in self.layers)
        self.register_buffer("spreads", torch.ones(len(self.layers)), persistent=False)
        self.to(device)
        self.teacher[0].to(device, torch.bfloat16 if has_bf16(device) else None)  # it is not trained
        self._begin(sentences[: BATCH_SENTENCES * START_BATCHES], device)

    @torch.no_grad()
    def _begin(self, sentences: Sequence[str], device: torch.device) -> None:
        attention.choose(self.student, device, self.length)
        rows = [(ours[mask], [layer[mask] for layer in gold]) for gold, ours, mask in self._all_vectors(sentences)]
        given = nn.functional.pad(torch.cat([ours for ours, _ in rows]), (0, 1), value=1.0)
        given = given.cpu().double()  # GPU solvers assume full rank
        for number, linear_map in enumerate(self.maps):
            wanted = torch.cat([gold[number] for _, gold in rows])
            solution = torch.linalg.lstsq(given, wanted.cpu().double(), rcond=MIN_VARIATION, driver="gelsy").solution
            linear_map.load_state_dict({"weight": solution[:-1].T, "bias": solution[-1]})
            self.spreads[number] = wanted.var(0).mean()

    def forward(self, batch: SharedBatch) -> Tensor:
        """Return the mean squared errors of spans and pairs, as shares of the teacher's variance."""
        gold, ours, mask = self._vectors(batch)
        mapped = [linear_map(ours) for linear_map in self.maps]
        wrong = [(a - b)[mask].square().mean() / c for a, b, c in zip(mapped, gold, self.spreads, strict=True)]
        loss = torch.stack(wrong).mean()
        if batch.pairs:
            sentence, original = torch.tensor(batch.pairs, device=mask.device).T
            wanted, given = _mean(gold[-1], mask), _mean(mapped[-1], mask)
            loss = loss + (given[sentence] - wanted[original]).square().mean() / self.spreads[-1]
        return loss

    @torch.no_grad()
    def unexplained(self, held: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return by language the share of the last layer's variance that the student does not explain.

        It is 0 for equal vectors, and 1 for vectors no better than the mean vector of the held-out sentences.
        """
        shares = {}
        for lang, sentences in held.items():
            wrong, spread = 0.0, 0.0
            for gold, ours, mask in self._all_vectors(sentences):
                last = gold[-1][mask]
                wrong += float((self.maps[-1](ours[mask]) - last).square().sum())
                spread += float((last - last.mean(0)).square().sum())
            if spread:
                shares[lang] = wrong / spread
        return shares

    def _all_vectors(self, sentences: Sequence[str]) -> Iterator[tuple[list[Tensor], Tensor, Tensor]]:
        for start in range(0, len(sentences), BATCH_SENTENCES):
            yield self._vectors(shared_batch(self.tokenizers, sentences[start : start + BATCH_SENTENCES], self.length))

    def _vectors(self, batch: SharedBatch) -> tuple[list[Tensor], Tensor, Tensor]:
        """Return vectors ``[sentences, units, size]`` of the teacher's layers and the student, and the mask."""
        device = self.spreads.device
        theirs, ours = batch.teacher.to(device), batch.student.to(device)
        with autocast(device, self.student):
            with torch.no_grad():
                hidden = all_layers(self.teacher[0], theirs)
            return (
                [pool_pieces(hidden[layer], theirs) for layer in self.layers],
                unit_vectors(self.student, ours),
                ours.mask,
            )


def taught(depth: int, kept: int) -> list[int]:
    """Return the teacher's layers that are taught: the last, and the middle one above the student's depth."""
    return sorted({kept + (depth - kept) // 2, depth})


def _mean(vectors: Tensor, mask: Tensor) -> Tensor:
    return (vectors * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
