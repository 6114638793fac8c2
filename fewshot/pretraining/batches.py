"""Batches of pretraining: the sentences of each update, as tensors with little padding."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.corpus import Aligned, draw_pair
from fewshot.pretraining.texts import UNKNOWN, SentencePair
from fewshot.training.batching import by_size

BUCKET = 64
"""Batches that are drawn together and sorted by length."""

B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """Sequences of similar length.

    Args:
        ids: pieces, ``[batch, pieces]``.
        attention: 1 for a piece, 0 for padding, ``[batch, pieces]``.
        types: segment numbers, ``[batch, pieces]``.
        maskable: true for pieces that are neither special nor padding, ``[batch, pieces]``.
        follows: see `fewshot.pretraining.texts.SentencePair`, ``[batch]``.
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
    following: Sequence[SentencePair],
    config: PretrainConfig,
    done: int,
) -> Iterator[PieceBatch]:
    """Return the batches of the updates after the first ``done``, see `in_blocks`.

    Args:
        sentences: single sentences, unless there is next-sentence prediction.
        pairs: aligned sentences; two languages of a row are drawn.
        following: replace the sentences when there is next-sentence prediction.
    """

    def draw(rng: random.Random) -> list[PieceBatch]:
        doubles = round(config.pair_share * BUCKET) if pairs else 0
        translations = [(*draw_pair(rng.choice(pairs), rng), UNKNOWN) for _ in range(doubles * config.batch)]
        drawn = encode(tokenizer, translations, config)
        rest = range((BUCKET - doubles) * config.batch)
        others = [rng.choice(following) if config.nsp else (rng.choice(sentences), None, UNKNOWN) for _ in rest]
        return drawn + encode(tokenizer, others, config)

    return in_blocks(draw, config.seed, done, config.updates)


def in_blocks(draw: Callable[[random.Random], list[B]], seed: int, done: int, updates: int) -> Iterator[B]:
    """Yield the batches of the updates after the first ``done``; the number of a block seeds its draw.

    ``draw`` returns the `BUCKET` batches of a block, in any order.
    """
    for block in range(done // BUCKET, -(-updates // BUCKET)):
        rng = random.Random(f"{seed} {block}")
        drawn = draw(rng)
        rng.shuffle(drawn)
        first = block * BUCKET
        yield from drawn[max(0, done - first) : updates - first]


def encode(
    tokenizer: PreTrainedTokenizerFast, inputs: Sequence[SentencePair], config: PretrainConfig
) -> list[PieceBatch]:
    """Encode sentences or pairs of sentences, and cut them into batches of similar lengths."""
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
    result = []
    for chosen in by_size(range(len(inputs)), list(map(len, encoded["input_ids"])), config.batch):
        ids, attention, types, special = (
            _padded([encoded[name][row] for row in chosen], blank)
            for name, blank in (
                ("input_ids", tokenizer.pad_token_id),
                ("attention_mask", 0),
                ("token_type_ids", 0),
                ("special_tokens_mask", 1),
            )
        )
        result.append(PieceBatch(ids, attention, types, special == 0, torch.tensor([follows[row] for row in chosen])))
    return result


def _padded(rows: Sequence[Sequence[int]], blank: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[blank] * (width - len(row))] for row in rows])
