"""What a language may be worth as a source for another one, told without training on it.

Neighbours: of a few raw sentences of the target, the nearest ones in the encoder's space are looked for among those of
all sources, and a source is the better the more of them are its own (NN-Rank, Ebrahimi et al. 2025). Pieces: how much
of the target's text is made of word pieces that the source's data have (p_token of Wu & Dredze 2019, section 5.4).
Similarity: the mean of the cosines of lang2vec, and the score that a regression on them expects (Lauscher et al. 2020).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import NO_UNIT, Input, Pieces, View, encode, encode_all
from fewshot.encoders.vectors import all_layers, collate, pool_pieces
from fewshot.tasks import Task
from fewshot.training.batching import prediction_batches

NEAREST = 5
"""Neighbours of a sentence that are counted."""

WORDS = View("words")

DEPTH = 2 / 3
"""Of the layer whose vectors are compared: the last ones of many encoders are of their pretraining's task."""


@dataclass(frozen=True, slots=True)
class Text:
    """Sentences of a language: vectors ``[sentences, hidden]``, means over pieces, and how often each piece occurs."""

    vectors: Tensor
    pieces: Counter[int]


def read(encoder: Encoder, task: Task[Any], examples: Sequence[Example], device: torch.device) -> Text:
    """Read at least one example as the encoder does; what is annotated is not looked at.

    Each text that the task reads of an example counts as a sentence.
    """
    texts = [text for example in examples for text in _texts(task, example) if text]
    layers = vectors(encoder, texts, device)
    return Text(layers[round(DEPTH * (len(layers) - 1))], subwords(encoder, task, examples))


def neighbours(target: Text, sources: Mapping[str, Text]) -> dict[str, float]:
    """Return the share of each source in the nearest neighbours of the target's sentences, in percent.

    What all sources have in common is taken off first: near are vectors of a small angle, seen from their mean. A
    neighbour weighs the less the more sentences its source has, so that a large corpus has no more of them than a small
    one of the same language.
    """
    names = list(sources)
    sizes = torch.tensor([len(sources[name].vectors) for name in names])
    owner = torch.arange(len(names)).repeat_interleave(sizes)
    every = torch.cat([sources[name].vectors for name in names])
    mean = torch.stack([sources[name].vectors.mean(0) for name in names]).mean(0)
    alike = normalize(target.vectors - mean, dim=-1) @ normalize(every - mean, dim=-1).T
    nearest = alike.topk(min(NEAREST, alike.shape[1])).indices.flatten()
    found = torch.bincount(owner[nearest], minlength=len(names)) / sizes
    return dict(zip(names, (100 * found / found.sum()).tolist(), strict=True))


def pieces(target: Text, sources: Mapping[str, Text]) -> dict[str, float]:
    """Return how much of the target's text each source has the word pieces of, in percent."""
    return {name: observed(source.pieces.keys(), target.pieces)[1] for name, source in sources.items()}


@torch.inference_mode()
def vectors(encoder: Encoder, sentences: Sequence[Sequence[str]], device: torch.device) -> Tensor:
    """Average the vectors of all pieces of each sentence but the special ones in every layer (Muller et al. 2021).

    Args:
        encoder: pretrained, fine-tuned or untrained; moved to the device.
        sentences: the words of each; however long.
        device: where the encoder computes, in single precision.

    Returns:
        ``[layers + 1, sentences, hidden]``, on the CPU; the first are the embeddings.
    """
    module = encoder.module.to(device).eval()
    padding = int(getattr(encoder.tokenizer, "pad_token_id", None) or 0)
    pieces = [_whole(encode(encoder.tokenizer, Input((words,)), WORDS, encoder.limit)) for words in sentences]
    order: list[int] = []
    found: list[Tensor] = []
    for rows in prediction_batches([one.size for one in pieces]):
        batch = collate([pieces[row] for row in rows], padding).to(device)
        found.append(torch.stack([pool_pieces(layer, batch)[:, 0] for layer in all_layers(module, batch)]).cpu())
        order += rows
    return torch.cat(found, 1)[:, torch.tensor(order).argsort()]


def subwords(encoder: Encoder, task: Task[Any], examples: Sequence[Example]) -> Counter[int]:
    """Count the word pieces of all that a task reads of examples, without special ones; a shared text counts once."""
    found: Counter[int] = Counter()
    for example in examples:
        reads = [Input((text,)) for text in _texts(task, example)]
        for pieces in encode_all(encoder.tokenizer, reads, WORDS, limit=sys.maxsize):
            (window,) = pieces.windows
            found.update(piece for piece, unit in zip(window.ids, window.units, strict=True) if unit != NO_UNIT)
    return found


def observed(train: Set[int], test: Counter[int]) -> tuple[float, float]:
    """Return how many types and tokens of test subwords training has, in percent (Wu & Dredze 2019, section 5.4)."""
    both = train & test.keys()
    return 100 * len(both) / len(test), 100 * sum(test[piece] for piece in both) / test.total()


def _texts(task: Task[Any], example: Example) -> list[Sequence[str]]:
    """Return the texts that a task reads of an example; one that its inputs share is there once."""
    return list({id(text): text for read in task.inputs(example) for text in read.segments}.values())


def _whole(pieces: Pieces) -> Pieces:
    """Return the windows of a sentence with all of its words as one unit."""
    windows = (
        replace(window, units=tuple(NO_UNIT if unit == NO_UNIT else 0 for unit in window.units))
        for window in pieces.windows
    )
    return Pieces(tuple(windows), 1)
