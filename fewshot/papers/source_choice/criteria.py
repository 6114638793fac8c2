"""What a language may be worth as a source for another one, told without training on it.

Neighbours: of a few raw sentences of the target, the nearest ones in the encoder's space are looked for among those of
all sources, and a source is the better the more of them are its own (NN-Rank, Ebrahimi et al. 2025). Pieces: how much
of the target's text is made of word pieces that the source's data have (p_token of Wu & Dredze 2019, section 5.4).
Similarity: the mean of the cosines of lang2vec, and the score that a regression on them expects (Lauscher et al. 2020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder
from fewshot.papers.measuring.sentence_vectors import vectors
from fewshot.papers.overlap import observed, subwords
from fewshot.tasks import Task

NEAREST = 5
"""Neighbours of a sentence that are counted."""

DEPTH = 2 / 3
"""Of the layer whose vectors are compared: the last ones of many encoders are of their pretraining's task."""


@dataclass(frozen=True, slots=True)
class Text:
    """What an encoder makes of some sentences of a language.

    Args:
        vectors: ``[sentences, hidden]``, the mean over the pieces of each.
        pieces: how often each word piece occurs.
    """

    vectors: Tensor
    pieces: Counter[int]


def read(encoder: Encoder, task: Task[Any], examples: Sequence[Example], device: torch.device) -> Text:
    """Read examples as the encoder does; what is annotated is not looked at.

    Args:
        task: decides which texts of an example are read; each counts as a sentence.
        examples: at least one that has a word.
    """
    texts = [text for example in examples for text in _texts(task, example) if text]
    layers = vectors(encoder, texts, device)
    return Text(layers[round(DEPTH * (len(layers) - 1))], subwords(encoder, task, examples))


def neighbours(target: Text, sources: Mapping[str, Text]) -> dict[str, float]:
    """Return the share of each source in the nearest neighbours of the target's sentences, in percent.

    What all sources have in common is taken off first: near are vectors of a small angle, seen from their mean. A
    neighbour weighs the less the more sentences its source has, so that a large corpus has no more of them than a small
    one of the same language.

    Args:
        sources: at least one.
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


def _texts(task: Task[Any], example: Example) -> list[Sequence[str]]:
    """Return the texts that a task reads of an example; one that its inputs share is there once."""
    return list({id(text): text for read in task.inputs(example) for text in read.segments}.values())
