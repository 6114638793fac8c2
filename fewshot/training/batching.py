"""Batches of examples: encoded once, bucketed by length, limited by sentences or by pieces."""

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

BATCHES_PER_BUCKET = 50
"""Number of batches whose sentences are sorted by length together: a compromise of little padding and random order."""

MAX_CPU_PIECES = 2048
"""Most pieces of a training step on a CPU, padding included, since memory grows with them."""

MAX_PREDICTION_PIECES = 8192
"""Most pieces of a prediction batch, padding included."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Encoded examples with their targets, one entry per input.

    Args:
        corpora: number of inputs of each corpus, in order; see `mixture`.
    """

    pieces: tuple[Pieces, ...]
    targets: tuple[Any, ...]
    corpora: tuple[int, ...]


def prepare(model: Model, examples: Sequence[Example]) -> Prepared:
    """Encode annotated examples for training.

    Raises:
        CorpusError: when an example is not annotated, or its annotation is invalid.
    """
    tasks.check_gold(model.task, examples)
    return encode_examples(model, examples)


def encode_examples(model: Model, examples: Sequence[Example]) -> Prepared:
    """Encode examples whose annotation is known to be valid."""
    pieces = tuple(chain.from_iterable(model.encode(examples)))
    targets = [list(chain.from_iterable(map(model.task.targets, corpus))) for corpus in mixture.parts(examples)]
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
    """Yield batches without end, each pass over the data in a new order, see `mixture.passes`.

    On a CPU a large batch is split into parts, so that memory does not grow with the batch.

    Args:
        seed: of the orders.
        done: number of batches to skip.
        lower: outputs of the encoder's frozen lower part for each input, see `collate`.
    """
    padding = padding_id(model)
    sizes = [pieces.size for pieces in prepared.pieces]
    rng = random.Random(seed)
    batches = (bucket_batches(rows, sizes, batch, rng) for rows in mixture.passes(prepared.corpora, rng))
    for rows in islice(chain.from_iterable(batches), done, None):
        parts = []
        for part in _split(rows, sizes) if device.type == "cpu" else [rows]:
            known = [lower[row] for row in part] if lower else ()
            inputs = collate([prepared.pieces[row] for row in part], padding, known)
            targets = model.head.collate([prepared.targets[row] for row in part], inputs.counts.shape[1])
            parts.append((inputs.to(device), targets.to(device, non_blocking=True)))
        yield parts


def prediction_batches(sizes: Sequence[int], budget: int = MAX_PREDICTION_PIECES) -> Iterator[list[int]]:
    """Yield row numbers by falling size, as many at a time as the budget of padded pieces allows."""
    rows: list[int] = []
    for row in sorted(range(len(sizes)), key=lambda row: -sizes[row]):
        if rows and sizes[rows[0]] * (len(rows) + 1) > budget:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def bucket_batches(rows: Sequence[int], sizes: Sequence[int], batch: int, rng: random.Random) -> list[list[int]]:
    """Cut one random pass into batches of similar sizes, in random order."""
    batches: list[list[int]] = []
    for start in range(0, len(rows), batch * BATCHES_PER_BUCKET):
        batches += by_size(rows[start : start + batch * BATCHES_PER_BUCKET], sizes, batch)
    rng.shuffle(batches)
    return batches


def by_size(rows: Sequence[int], sizes: Sequence[int], batch: int) -> list[list[int]]:
    """Cut rows into batches of similar sizes, the shortest rows first."""
    ordered = sorted(rows, key=lambda row: sizes[row])
    return [ordered[start : start + batch] for start in range(0, len(ordered), batch)]


def _split(rows: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    for part in prediction_batches([sizes[row] for row in rows], MAX_CPU_PIECES):
        yield [rows[place] for place in part]


def padding_id(model: Model) -> int:
    """Return the id of the padding piece, 0 for tokenizers without one."""
    return int(getattr(model.encoder.tokenizer, "pad_token_id", None) or 0)
