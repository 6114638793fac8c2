"""Criteria of how useful a language is as a source for another one, computed without training.

Neighbours: the nearest sentences, in the encoder's space, to a few raw sentences of the target are searched among those
of all sources; a source with more of them is better (NN-Rank, Ebrahimi et al. 2025). Pieces: how much of the target's
text consists of word pieces in the source's data (p_token of Wu & Dredze 2019, section 5.4). Similarity: the mean
cosine of lang2vec, and the score predicted from lang2vec by regression (Lauscher et al. 2020).
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

NEIGHBOURS = 5
"""Nearest neighbours per sentence."""

WORDS = View("words")

LAYER_DEPTH = 2 / 3
"""Relative depth of the compared layer, since the last layers of many encoders are specific to pretraining."""


@dataclass(frozen=True, slots=True)
class Text:
    """Sentences of a language: mean vectors ``[sentences, hidden]``, and the frequency of each piece."""

    vectors: Tensor
    pieces: Counter[int]


def read(encoder: Encoder, task: Task[Any], examples: Sequence[Example], device: torch.device) -> Text:
    """Return the sentence vectors and word pieces of examples; their annotation is ignored.

    Each text that the task reads of an example counts as a sentence.

    Args:
        examples: at least one.
    """
    texts = [text for example in examples for text in _texts(task, example) if text]
    layers = vectors(encoder, texts, device)
    return Text(layers[round(LAYER_DEPTH * (len(layers) - 1))], subwords(encoder, task, examples))


def neighbours(target: Text, sources: Mapping[str, Text]) -> dict[str, float]:
    """Return the share of each source in the nearest neighbours of the target's sentences, in percent.

    Vectors are centred by the mean of the sources and compared by angle. A neighbour is weighted by the inverse of its
    source's number of sentences, so that large corpora have no advantage.
    """
    names = list(sources)
    sizes = torch.tensor([len(sources[name].vectors) for name in names])
    owner = torch.arange(len(names)).repeat_interleave(sizes)
    every = torch.cat([sources[name].vectors for name in names])
    mean = torch.stack([sources[name].vectors.mean(0) for name in names]).mean(0)
    alike = normalize(target.vectors - mean, dim=-1) @ normalize(every - mean, dim=-1).T
    nearest = alike.topk(min(NEIGHBOURS, alike.shape[1])).indices.flatten()
    weights = torch.bincount(owner[nearest], minlength=len(names)) / sizes
    return dict(zip(names, (100 * weights / weights.sum()).tolist(), strict=True))


def pieces(target: Text, sources: Mapping[str, Text]) -> dict[str, float]:
    """Return how much of the target's text is covered by each source's word pieces, in percent."""
    return {name: observed(source.pieces.keys(), target.pieces)[1] for name, source in sources.items()}


@torch.inference_mode()
def vectors(encoder: Encoder, sentences: Sequence[Sequence[str]], device: torch.device) -> Tensor:
    """Average the vectors of each sentence's pieces, except special ones, in every layer.

    The encoder is moved to the device, where it computes in single precision (Muller et al. 2021).

    Returns:
        ``[layers + 1, sentences, hidden]``, on the CPU; the first are the embeddings.
    """
    module = encoder.module.to(device).eval()
    padding = int(getattr(encoder.tokenizer, "pad_token_id", None) or 0)
    pieces = [_whole(encode(encoder.tokenizer, Input((words,)), WORDS, encoder.limit)) for words in sentences]
    order: list[int] = []
    batches: list[Tensor] = []
    for rows in prediction_batches([encoded.size for encoded in pieces]):
        batch = collate([pieces[row] for row in rows], padding).to(device)
        batches.append(torch.stack([pool_pieces(layer, batch)[:, 0] for layer in all_layers(module, batch)]).cpu())
        order += rows
    return torch.cat(batches, 1)[:, torch.tensor(order).argsort()]


def subwords(encoder: Encoder, task: Task[Any], examples: Sequence[Example]) -> Counter[int]:
    """Count the word pieces of all texts that a task reads, except special ones; shared texts once."""
    counts: Counter[int] = Counter()
    for example in examples:
        reads = [Input((text,)) for text in _texts(task, example)]
        for pieces in encode_all(encoder.tokenizer, reads, WORDS, limit=sys.maxsize):
            (window,) = pieces.windows
            counts.update(piece for piece, unit in zip(window.ids, window.units, strict=True) if unit != NO_UNIT)
    return counts


def observed(train: Set[int], test: Counter[int]) -> tuple[float, float]:
    """Return the percentages of test subwords, types and tokens, in training (Wu & Dredze 2019, 5.4)."""
    both = train & test.keys()
    return 100 * len(both) / len(test), 100 * sum(test[piece] for piece in both) / test.total()


def _texts(task: Task[Any], example: Example) -> list[Sequence[str]]:
    """Return the texts that a task reads of an example; a text that inputs share is returned once."""
    return list({id(text): text for read in task.inputs(example) for text in read.segments}.values())


def _whole(pieces: Pieces) -> Pieces:
    """Return the windows of a sentence with all of its words as one unit."""
    windows = (
        replace(window, units=tuple(NO_UNIT if unit == NO_UNIT else 0 for unit in window.units))
        for window in pieces.windows
    )
    return Pieces(tuple(windows), 1)
