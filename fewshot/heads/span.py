"""A span of units: its start and its end (Devlin et al. 2019, section 4.2).

The scores are normalised over all units of the input, whatever windows their vectors come from, so that the scores of
different windows can be compared (Clark & Gardner 2018, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from fewshot.heads.base import Head, TransformersHead, by_example

IGNORE = -100
"""Padding of inputs with fewer right spans than others."""

MAX_SPAN_UNITS = 60
"""Most units of a predicted span. The usual 30 is enough for words, but not for the characters that are the units of
scripts without spaces: 30 would exclude 9% of the answers of Thai XQuAD, 60 excludes 2%."""


READING = f"""\
starts, ends = torch.stack([output.start_logits[0], output.end_logits[0]])
starts = torch.stack([starts[unit].mean() for unit in units]).log_softmax(0)
ends = torch.stack([ends[unit].mean() for unit in units]).log_softmax(0)
spans = (starts[:, None] + ends).exp().triu().tril({MAX_SPAN_UNITS - 1})  # of at most {MAX_SPAN_UNITS} words
start, end = divmod(int(spans.argmax()), len(units))
print(start, end)  # the first and the last word of the answer"""
"""See `TransformersHead.reading`."""


class ScoredSpan(NamedTuple):
    """A predicted span: its first and last unit, and the logarithm of its probability."""

    start: int
    end: int
    score: float


class Span(Head):
    """Dropout and one linear layer with two outputs, the scores of a start and of an end."""

    def __init__(self, hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, 2)

    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Tensor:
        """Return log-probabilities of start and end over the units of each input, ``[examples, units, 2]``."""
        scores: Tensor = self.output(self.dropout(vectors))
        lowest = torch.finfo(scores.dtype).min  # -inf would have NaN gradients
        return scores.masked_fill(~mask.unsqueeze(-1), lowest).log_softmax(1)

    def collate(self, targets: Sequence[Sequence[tuple[int, int]]], units: int) -> Tensor:
        """Return the right spans as ``[examples, spans, 2]``, ``IGNORE`` where an input has fewer."""
        most = max(1, *map(len, targets))
        return torch.tensor([[*spans, *[(IGNORE, IGNORE)] * (most - len(spans))] for spans in targets])

    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of inputs with a right span."""
        return (targets[..., 0] != IGNORE).any(-1).sum()

    def loss(self, scores: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
        """Return minus the summed log-probability of drawing one of the right spans.

        The probability of a span is that of its start times that of its end; the probabilities of right spans are added
        (Clark & Gardner 2018, section 2.2), so that the model may prefer one of them.
        """
        right = targets[..., 0] != IGNORE
        both = scores.gather(1, targets.clamp(min=0)).sum(-1).masked_fill(~right, torch.finfo(scores.dtype).min)
        return -both[right.any(-1)].logsumexp(-1).sum()

    def decode(self, scores: Tensor, mask: Tensor) -> list[list[ScoredSpan]]:
        """Return the best span of at most `MAX_SPAN_UNITS` of each input, none for an input without units."""
        starts, ends = scores.unbind(-1)
        padded = nn.functional.pad(ends.masked_fill(~mask, -torch.inf), (0, MAX_SPAN_UNITS - 1), value=-torch.inf)
        together = starts.unsqueeze(-1) + padded.unfold(1, MAX_SPAN_UNITS, 1)  # [examples, start, length - 1]
        best = together.flatten(1).max(1)
        first, more = best.indices // MAX_SPAN_UNITS, best.indices % MAX_SPAN_UNITS
        rows = zip(first.tolist(), (first + more).tolist(), best.values.tolist(), strict=True)
        return [[ScoredSpan(*row)] if row[2] > -torch.inf else [] for row in rows]

    def probabilities(
        self, scores: Tensor, mask: Tensor, predictions: Sequence[Sequence[ScoredSpan]]
    ) -> list[np.ndarray]:
        """Return the probability of each predicted span, ``[spans]`` per input, best first."""
        return [np.exp([span.score for span in spans]) for spans in predictions]

    def distributions(
        self, scores: Tensor, mask: Tensor, predictions: Sequence[Sequence[ScoredSpan]]
    ) -> list[list[np.ndarray]]:
        """Return the distributions of start and end as one array ``[2, units]``, none for an empty input."""
        return [[row.T] if len(row) else [] for row in by_example(scores.exp(), mask)]

    def as_transformers(self) -> TransformersHead:
        """Return this head as a model of transformers for question answering, whose scores are not normalised."""
        return TransformersHead("AutoModelForQuestionAnswering", "question-answering", self.output, READING)
