"""Batches for teacher and student: sentences in the pieces of each, and the spans that both share."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transformers import PreTrainedTokenizerFast

from fewshot.encoders.pieces import NO_UNIT, Pieces, Window
from fewshot.encoders.vectors import Batch, collate
from fewshot.pretraining.batches import BUCKET, in_blocks
from fewshot.pretraining.corpus import Translation
from fewshot.training.batching import by_size

if TYPE_CHECKING:
    from fewshot.shrinking.distill import Distillation

Tokenizers = tuple[PreTrainedTokenizerFast, PreTrainedTokenizerFast]
"""The tokenizers of teacher and student."""


TOKENIZER_OPTIONS = {"return_offsets_mapping": True, "return_special_tokens_mask": True}


@dataclass(frozen=True, slots=True)
class SharedBatch:
    """Sentences for both encoders; units are the start of the sentence and the shared spans.

    Args:
        pairs: rows of translations, ``[pairs, 2]``: a sentence, and its original.
    """

    teacher: Batch
    student: Batch
    pairs: tuple[tuple[int, int], ...] = ()


def shared_batches(
    tokenizers: Tokenizers,
    sentences: Sequence[str],
    translations: Sequence[Translation],
    how: Distillation,
    done: int,
) -> Iterator[SharedBatch]:
    """Return the batches after the first ``done`` updates, see `in_blocks`."""

    def draw(rng: random.Random) -> list[SharedBatch]:
        paired = round(how.pair_share * BUCKET) if translations else 0
        singles = [[rng.choice(sentences)] for _ in range((BUCKET - paired) * how.batch)]
        drawn = _batches(tokenizers, singles, how.batch, how.length)
        if paired:
            doubles = [rng.choice(translations) for _ in range(paired * (how.batch // 2))]
            drawn += _batches(tokenizers, doubles, how.batch // 2, how.length)
        return drawn

    return in_blocks(draw, how.seed, done, how.updates)


def shared_batch(tokenizers: Tokenizers, sentences: Sequence[str], length: int) -> SharedBatch:
    """Return one batch of sentences without pairs."""
    (batch,) = _batches(tokenizers, [[sentence] for sentence in sentences], len(sentences), length)
    return batch


def _batches(tokenizers: Tokenizers, groups: Sequence[Sequence[str]], batch: int, length: int) -> list[SharedBatch]:
    """Encode sentences, or pairs, which stay together, and cut them into batches of similar lengths."""
    flat = [sentence for group in groups for sentence in group]
    both = [tokenizer(flat, truncation=True, max_length=length, **TOKENIZER_OPTIONS) for tokenizer in tokenizers]
    size = len(groups[0])
    encoded = [_aligned(*(_columns(side, row) for side in both)) for row in range(len(flat))]
    lengths = [max(p[1].size for p in encoded[row : row + size]) for row in range(0, len(flat), size)]
    paddings = [int(tokenizer.pad_token_id or 0) for tokenizer in tokenizers]
    result = []
    for rows in by_size(range(len(groups)), lengths, batch):
        chosen = [pieces for row in rows for pieces in encoded[row * size : (row + 1) * size]]
        teacher, student = (collate([p[side] for p in chosen], paddings[side]) for side in (0, 1))
        pairs = tuple((row, row + 1) for row in range(0, len(chosen), 2)) if size == 2 else ()
        result.append(SharedBatch(teacher, student, pairs))
    return result


def _columns(encoded: Any, row: int) -> Mapping[str, Sequence[Any]]:
    return {name: encoded[name][row] for name in ("input_ids", "offset_mapping", "special_tokens_mask")}


def _aligned(teacher: Mapping[str, Sequence[Any]], student: Mapping[str, Sequence[Any]]) -> tuple[Pieces, Pieces]:
    """Return the pieces of a sentence for both encoders; spans end where pieces of both end."""
    ends = []
    for side in (teacher, student):
        pieces = zip(side["offset_mapping"], side["special_tokens_mask"], strict=True)
        ends.append({end for (_, end), special in pieces if not special})
    shared = sorted(ends[0] & ends[1])
    return _pieces(teacher, shared), _pieces(student, shared)


def _pieces(columns: Mapping[str, Sequence[Any]], shared: Sequence[int]) -> Pieces:
    ids = tuple(columns["input_ids"])
    units = [NO_UNIT] * len(ids)
    for place, ((_, end), special) in enumerate(
        zip(columns["offset_mapping"], columns["special_tokens_mask"], strict=True)
    ):
        if not special and (unit := bisect_left(shared, end)) < len(shared):
            units[place] = unit + 1
    if columns["special_tokens_mask"][0]:
        units[0] = 0  # where the sentence starts
    return Pieces((Window(ids, (0,) * len(ids), tuple(units)),), len(shared) + 1)
