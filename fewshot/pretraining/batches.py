"""Batches of pretraining: which sentences an update sees, as tensors with little padding."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.corpus import Aligned
from fewshot.pretraining.texts import UNKNOWN, Input

BUCKET = 64
"""Batches that are drawn together and sorted by length."""


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """Sequences of similar length.

    Args:
        ids: pieces, ``[batch, pieces]``.
        attention: 1 where there is a piece, 0 for padding, ``[batch, pieces]``.
        types: segment numbers, ``[batch, pieces]``.
        maskable: true for pieces that are neither special nor padding, ``[batch, pieces]``.
        follows: see `fewshot.pretraining.texts.Input`, ``[batch]``.
    """

    ids: Tensor
    attention: Tensor
    types: Tensor
    maskable: Tensor
    follows: Tensor


def batches(
    tokenizer: PreTrainedTokenizerFast,
    sentences: Sequence[str],
    pairs: Sequence[Aligned],
    following: Sequence[Input],
    config: PretrainConfig,
    done: int,
) -> Iterator[PieceBatch]:
    """Yield the batches of the updates after those that are done: each block of them follows from its number alone.

    Args:
        tokenizer: of the encoder.
        sentences: seen alone, unless there is next-sentence prediction.
        pairs: aligned sentences; two languages of a row are drawn.
        following: seen in place of the sentences when there is next-sentence prediction.
        config: batch, length, share of aligned pairs, updates, seed.
        done: updates that need no batch.
    """
    for block in range(done // BUCKET, -(-config.updates // BUCKET)):
        rng = random.Random(f"{config.seed} {block}")
        doubles = round(config.pair_share * BUCKET) if pairs else 0
        drawn = encode(tokenizer, [_two(rng.choice(pairs), rng) for _ in range(doubles * config.batch)], config)
        rest = range((BUCKET - doubles) * config.batch)
        others = [rng.choice(following) if config.nsp else (rng.choice(sentences), None, UNKNOWN) for _ in rest]
        drawn += encode(tokenizer, others, config)
        rng.shuffle(drawn)
        first = block * BUCKET
        yield from drawn[max(0, done - first) : config.updates - first]


def encode(tokenizer: PreTrainedTokenizerFast, inputs: Sequence[Input], config: PretrainConfig) -> list[PieceBatch]:
    """Encode sentences, or else pairs of them, and cut them into batches of similar lengths."""
    if not inputs:
        return []
    firsts, seconds, follows = zip(*inputs, strict=True)
    encoded = tokenizer(
        firsts,
        None if seconds[0] is None else seconds,
        truncation=True,
        max_length=config.length,
        return_token_type_ids=True,
        return_special_tokens_mask=True,
    )
    rows = sorted(range(len(inputs)), key=lambda row: len(encoded["input_ids"][row]))
    made = []
    for start in range(0, len(rows), config.batch):
        chosen = rows[start : start + config.batch]
        ids, attention, types, special = (
            _padded([encoded[name][row] for row in chosen], blank)
            for name, blank in (
                ("input_ids", tokenizer.pad_token_id),
                ("attention_mask", 0),
                ("token_type_ids", 0),
                ("special_tokens_mask", 1),
            )
        )
        made.append(PieceBatch(ids, attention, types, special == 0, torch.tensor([follows[row] for row in chosen])))
    return made


def _two(row: Aligned, rng: random.Random) -> Input:
    first, second = rng.sample(sorted(row), 2)
    return row[first], row[second], UNKNOWN


def _padded(rows: Sequence[Sequence[int]], blank: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[blank] * (width - len(row))] for row in rows])
