"""What teacher and student read: the same sentences, each in its own pieces, and the spans that both cut alike."""

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
from fewshot.pretraining.corpus import Aligned, draw_pair
from fewshot.training.batching import by_size

if TYPE_CHECKING:
    from fewshot.shrinking.distill import Distillation

Tokenizers = tuple[PreTrainedTokenizerFast, PreTrainedTokenizerFast]
"""Of teacher and student."""


TOLD = {"return_offsets_mapping": True, "return_special_tokens_mask": True}
"""What the tokenizers say of pieces beside their ids: where in the sentence they stand, and which are none of it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Sentences as both encoders read them; units are the start of the sentence and the spans that both share.

    Args:
        teacher: for the large encoder.
        student: for the small one.
        pairs: rows of translations, ``[pairs, 2]``: a sentence, and the one that it translates.
    """

    teacher: Batch
    student: Batch
    pairs: tuple[tuple[int, int], ...] = ()


def readings(
    tokenizers: Tokenizers, sentences: Sequence[str], rows: Sequence[Aligned], how: Distillation, done: int
) -> Iterator[Reading]:
    """Return what the updates after those that are done read, see `in_blocks`.

    Args:
        sentences: drawn alone.
        rows: of which two languages are drawn as a pair.
    """

    def draw(rng: random.Random) -> list[Reading]:
        paired = round(how.pair_share * BUCKET) if rows else 0
        groups = [[rng.choice(sentences)] for _ in range((BUCKET - paired) * how.batch)]
        drawn = _batches(tokenizers, groups, how.batch, how.length)
        if paired:
            twos = [draw_pair(rng.choice(rows), rng) for _ in range(paired * (how.batch // 2))]
            drawn += _batches(tokenizers, twos, how.batch // 2, how.length)
        return drawn

    return in_blocks(draw, how.seed, done, how.updates)


def read(tokenizers: Tokenizers, sentences: Sequence[str], length: int) -> Reading:
    """Return one batch of sentences, no pairs among them."""
    (reading,) = _batches(tokenizers, [[sentence] for sentence in sentences], len(sentences), length)
    return reading


def _batches(
    tokenizers: Tokenizers,
    groups: Sequence[Sequence[str]],
    batch: int,
    length: int,
) -> list[Reading]:
    """Encode sentences, or pairs of them that stay together, and cut them into batches of similar lengths."""
    flat = [sentence for group in groups for sentence in group]
    both = [tokenizer(flat, truncation=True, max_length=length, **TOLD) for tokenizer in tokenizers]
    size = len(groups[0])
    encoded = [_aligned(*(_columns(each, row) for each in both)) for row in range(len(flat))]
    lengths = [max(p[1].size for p in encoded[row : row + size]) for row in range(0, len(flat), size)]
    paddings = [int(tokenizer.pad_token_id or 0) for tokenizer in tokenizers]
    made = []
    for rows in by_size(range(len(groups)), lengths, batch):
        chosen = [pieces for row in rows for pieces in encoded[row * size : (row + 1) * size]]
        teacher, student = (collate([p[side] for p in chosen], paddings[side]) for side in (0, 1))
        pairs = tuple((row, row + 1) for row in range(0, len(chosen), 2)) if size == 2 else ()
        made.append(Reading(teacher, student, pairs))
    return made


def _columns(encoded: Any, row: int) -> Mapping[str, Sequence[Any]]:
    return {name: encoded[name][row] for name in ("input_ids", "offset_mapping", "special_tokens_mask")}


def _aligned(teacher: Mapping[str, Sequence[Any]], student: Mapping[str, Sequence[Any]]) -> tuple[Pieces, Pieces]:
    """Return a sentence as both read it; spans end where a piece of both ends."""
    ends = [{end for _, end in _inside(columns)} for columns in (teacher, student)]
    shared = sorted(ends[0] & ends[1])
    return _pieces(teacher, shared), _pieces(student, shared)


def _inside(columns: Mapping[str, Sequence[Any]]) -> list[tuple[int, int]]:
    pairs = zip(columns["offset_mapping"], columns["special_tokens_mask"], strict=True)
    return [offsets for offsets, special in pairs if not special]


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
