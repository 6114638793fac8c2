"""Encode once, bucket by length, batch by number of sentences (training) or of pieces (prediction)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import torch
from torch import Tensor

from fewshot import tasks
from fewshot.corpora.types import Example
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vectors import Batch, collate
from fewshot.training import mixture
from fewshot.training.model import Model

BUCKET = 50
"""Batches whose sentences are sorted together: enough to pad little, few enough to stay random."""

PART = 2048
"""Pieces that are trained on at once on a CPU, padding included: memory grows with it."""

PIECES = 8192
"""Pieces in a batch of prediction, padding included."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The inputs of some examples, encoded once, with their targets.

    Args:
        pieces: of each input.
        targets: of each input.
        corpora: inputs of each corpus that they are of, one after the other; see `mixture`.
    """

    pieces: tuple[Pieces, ...]
    targets: tuple[Any, ...]
    corpora: tuple[int, ...]


def prepare(model: Model, examples: Sequence[Example]) -> Prepared:
    """Encode what people annotated for training.

    Raises:
        CorpusError: when one is not annotated, or wrongly.
    """
    tasks.check_gold(model.task, examples)
    return encoded(model, examples)


def encoded(model: Model, examples: Sequence[Example]) -> Prepared:
    """Encode examples whose annotation is known to be sound."""
    pieces = tuple(one for each in model.encode(examples) for one in each)
    targets = [[one for each in part for one in model.task.targets(each)] for part in mixture.parts(examples)]
    return Prepared(pieces, tuple(chain.from_iterable(targets)), tuple(map(len, targets)))


def training_batches(
    model: Model,
    prepared: Prepared,
    batch: int,
    seed: int,
    device: torch.device,
    done: int = 0,
    lower: Sequence[Tensor] | None = None,
) -> Iterator[list[tuple[Batch, Tensor]]]:
    """Yield batches for ever, each pass over the data in a new order, see `mixture.passes`.

    On a CPU a large batch comes in parts, so that memory does not grow with the batch.

    Args:
        model: whose head collates the targets.
        seed: of the orders.
        done: batches that need not be made.
        lower: what the frozen lower part of the encoder makes of each input, where that is known, see `collate`.
    """
    padding = padding_id(model)
    sizes = [pieces.size for pieces in prepared.pieces]
    rng = random.Random(seed)
    batches = (bucketed(rows, sizes, batch, rng) for rows in mixture.passes(prepared.corpora, rng))
    for rows in islice(chain.from_iterable(batches), done, None):
        parts = []
        for part in _parts(rows, sizes) if device.type == "cpu" else [rows]:
            known = [lower[row] for row in part] if lower else ()
            inputs = collate([prepared.pieces[row] for row in part], padding, known)
            targets = model.head.collate([prepared.targets[row] for row in part], inputs.counts.shape[1])
            parts.append((inputs.to(device), targets.to(device, non_blocking=True)))
        yield parts


def prediction_batches(sizes: Sequence[int], budget: int = PIECES) -> Iterator[list[int]]:
    """Yield rows by falling size, as many at a time as the budget of padded pieces allows."""
    rows: list[int] = []
    for row in sorted(range(len(sizes)), key=lambda row: -sizes[row]):
        if rows and sizes[rows[0]] * (len(rows) + 1) > budget:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def bucketed(rows: Sequence[int], sizes: Sequence[int], batch: int, rng: random.Random) -> list[list[int]]:
    """Cut one random pass into batches of similar sizes, in random order."""
    batches: list[list[int]] = []
    for start in range(0, len(rows), batch * BUCKET):
        batches += by_size(rows[start : start + batch * BUCKET], sizes, batch)
    rng.shuffle(batches)
    return batches


def by_size(rows: Sequence[int], sizes: Sequence[int], batch: int) -> list[list[int]]:
    """Cut rows into batches of similar sizes, by rising size."""
    ordered = sorted(rows, key=lambda row: sizes[row])
    return [ordered[start : start + batch] for start in range(0, len(ordered), batch)]


def _parts(rows: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    for part in prediction_batches([sizes[row] for row in rows], PART):
        yield [rows[place] for place in part]


def padding_id(model: Model) -> int:
    """Return the id of the padding piece, 0 for tokenizers without one."""
    return int(getattr(model.encoder.tokenizer, "pad_token_id", None) or 0)
