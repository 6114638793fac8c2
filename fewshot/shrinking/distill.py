"""Teach a small encoder the vectors of a large one (Sanh et al. 2019; Jiao et al. 2020, equation 8).

The student begins as the teacher's lowest layers. Linear maps of its vectors learn to be what upper layers of the
teacher make of each span of text, and of a translation what the last layer makes of the whole other side (Reimers &
Gurevych 2020, equation 1). The maps are thrown away: the student comes to know what they read off it, and stays near
the teacher's own layers. Its embeddings stay the teacher's.
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
from fewshot.encoders.freezing import depth
from fewshot.encoders.load import Encoder
from fewshot.encoders.precision import autocast, has_bf16
from fewshot.encoders.vectors import all_layers, pool_pieces, unit_vectors
from fewshot.encoders.vocabulary import copy_encoder, table
from fewshot.pretraining.corpus import Aligned
from fewshot.progress import Report
from fewshot.shrinking.reading import Reading, Tokenizers, read, readings
from fewshot.training.loop import Group, Training
from fewshot.training.schedules import linear

AT_ONCE = 50
"""Sentences that are read at once where nothing is trained."""

STARTING = 60
"""Batches of so many that the maps begin with."""

DEPENDENT = 1e-3
"""Directions in which vectors vary by less, as a share of the most, say nothing: there is one after any layer
normalisation, and what bf16 rounds away is of this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distillation:
    """How a student is taught.

    Args:
        updates: optimizer steps.
        batch: sentences an update.
        length: most pieces of a sentence.
        lr: peak learning rate; a tenth of the updates warms up, then it falls linearly to 0.
        pair_share: share of batches that are translations.
        checkpoint: updates between two checkpoints.
        seed: of the data.
    """

    updates: int = 10_000
    batch: int = 64
    length: int = 96
    lr: float = 5e-4
    pair_share: float = 0.25
    checkpoint: int = 500
    seed: int = 0


def distill(
    lesson: Lesson,
    sentences: Sequence[str],
    rows: Sequence[Aligned],
    how: Distillation,
    checkpointer: Checkpointer,
    report: Report,
) -> int:
    """Train the student of a lesson in place; a training that was stopped goes on from its checkpoint.

    Args:
        sentences: raw text, in a balanced draw.
        rows: translations; may be empty.

    Returns:
        How many pieces the student has read.
    """
    with torch.random.fork_rng():  # checkpoints put random numbers in place, of which none are drawn here
        groups = [Group(lesson.parameters(), how.lr, partial(linear, updates=how.updates), decay=0.01)]
        training = Training(
            lesson, groups, how.updates, betas=(0.9, 0.98), checkpointer=checkpointer, doing="distilling"
        )

        def losses(reading: Reading) -> list[Tensor]:
            training.notes["pieces"] += int(reading.student.attention.sum())
            return [lesson(reading)]

        for now in training.run(readings(lesson.tokenizers, sentences, rows, how, training.done), losses):
            report(now)
    lesson.student.requires_grad_(True)
    attention.fuse(lesson.student)
    return int(training.notes["pieces"])


class Lesson(nn.Module):
    """A student, the maps from its last layer to layers of its teacher, and the loss of both.

    The maps begin as the best linear ones, by least squares.

    Args:
        teacher: stays as it is.
        student: its layers are trained in place.
        length: most pieces of a sentence.
        sentences: the first of them are what the maps begin with.
    """

    spreads: Tensor

    def __init__(
        self, teacher: Encoder, student: Encoder, length: int, sentences: Sequence[str], device: torch.device
    ) -> None:
        super().__init__()
        self.student = student.module.eval().requires_grad_(True)
        table(self.student).requires_grad_(False)
        self.teacher: list[Any] = [copy_encoder(teacher.module).eval()]  # in a list: its weights are none of this
        self.tokenizers: Tokenizers = (teacher.tokenizer, student.tokenizer)
        self.length = length
        self.layers = taught(depth(teacher.module), depth(student.module))
        self.maps = nn.ModuleList(nn.Linear(student.hidden, teacher.hidden) for _ in self.layers)
        self.register_buffer("spreads", torch.ones(len(self.layers)), persistent=False)
        self.to(device)
        self.teacher[0].to(device, torch.bfloat16 if has_bf16(device) else None)  # it is only read
        self._begin(sentences[: AT_ONCE * STARTING], device)

    @torch.no_grad()
    def _begin(self, sentences: Sequence[str], device: torch.device) -> None:
        attention.choose(self.student, device, self.length)
        rows = [(ours[mask], [layer[mask] for layer in gold]) for gold, ours, mask in self._all_vectors(sentences)]
        given = nn.functional.pad(torch.cat([ours for ours, _ in rows]), (0, 1), value=1.0)
        given = given.cpu().double()  # the solvers of GPUs take all directions for independent
        for number, each in enumerate(self.maps):
            wanted = torch.cat([gold[number] for _, gold in rows])
            solution = torch.linalg.lstsq(given, wanted.cpu().double(), rcond=DEPENDENT, driver="gelsy").solution
            each.load_state_dict({"weight": solution[:-1].T, "bias": solution[-1]})
            self.spreads[number] = wanted.var(0).mean()

    def forward(self, reading: Reading) -> Tensor:
        """Return the loss: mean squares of what is wrong, by the variance of what is taught, of spans and of pairs."""
        gold, ours, mask = self._vectors(reading)
        mapped = [each(ours) for each in self.maps]
        wrong = [(a - b)[mask].square().mean() / c for a, b, c in zip(mapped, gold, self.spreads, strict=True)]
        loss = torch.stack(wrong).mean()
        if reading.pairs:
            sentence, original = torch.tensor(reading.pairs, device=mask.device).T
            wanted, given = _mean(gold[-1], mask), _mean(mapped[-1], mask)
            apart = (given[sentence] - wanted[original]).square() + (given[original] - wanted[sentence]).square()
            loss = loss + apart.mean() / 2 / self.spreads[-1]
        return loss

    @torch.no_grad()
    def unexplained(self, held: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return by language which share of the variance of the teacher's last layer the student leaves unexplained.

        Args:
            held: by language, sentences that no training read.

        Returns:
            0 for vectors that are the same; 1 for such as are no better than the mean vector.
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
        for start in range(0, len(sentences), AT_ONCE):
            yield self._vectors(read(self.tokenizers, sentences[start : start + AT_ONCE], self.length))

    def _vectors(self, reading: Reading) -> tuple[list[Tensor], Tensor, Tensor]:
        """Return the vectors ``[sentences, units, size]`` of the teacher's layers and the student, and the units."""
        device = self.spreads.device
        theirs, ours = reading.teacher.to(device), reading.student.to(device)
        with autocast(device, self.student):
            with torch.no_grad():
                hidden = all_layers(self.teacher[0], theirs)
            return (
                [pool_pieces(hidden[layer], theirs) for layer in self.layers],
                unit_vectors(self.student, ours),
                ours.mask,
            )


def taught(depth: int, kept: int) -> list[int]:
    """Return which layers of a teacher are taught: the last, and the one half way to it from the student's depth."""
    return sorted({kept + (depth - kept) // 2, depth})


def _mean(vectors: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over units, ``[sentences, size]``."""
    return (vectors * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
