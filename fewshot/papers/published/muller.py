"""The figures of Muller et al. 2021: mBERT, pairs of layers re-initialised (tables 1, 2, 6 to 8), and all (table 5).

``muller.csv`` holds, a line for each task, source language and what is scored, the reference's score and the
differences to it: LAS of dep, accuracy of pos, F1 of ner. What is scored is a language, the mean of the others as the
paper prints it, or another domain; lines that its text has lost are missing.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("muller.csv")

LAYERS = 12

PAIRS = tuple((low, low + 1) for low in range(1, LAYERS, 2))
"""Layers that are re-initialised together."""


@cache
def _lines() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def matching(layers: Sequence[int], depth: int) -> list[tuple[int, int]]:
    """Return the pairs whose middle is among the layers of an encoder, by their share of its depth.

    Args:
        layers: consecutive ones, from 1.
        depth: of the encoder.

    Returns:
        At least one: where no middle is among them, the pair that holds theirs.
    """
    low, high = (layers[0] - 1) * LAYERS / depth, layers[-1] * LAYERS / depth
    found = [(first, last) for first, last in PAIRS if low < first <= high]
    return found or [next(pair for pair in PAIRS if (low + high) / 2 <= pair[1])]


def span(layers: Sequence[int], depth: int) -> str:
    """Return the name of the paper's layers that stand beside some of an encoder: ``1-2``, ``1-6``."""
    pairs = matching(layers, depth)
    return f"{pairs[0][0]}-{pairs[-1][1]}"


def deltas(task: str, source: str, test: str, layers: Sequence[int], depth: int) -> list[float]:
    """Return the paper's differences.

    Args:
        task: its name without options.
        source: language of the training data.
        test: ``same language``, ``another language``, ``another domain`` or the code of a language.
        layers: of an encoder that are re-initialised together.
        depth: of the encoder.

    Returns:
        Points, one for each pair of layers and domain; none where the paper has no figure.
    """
    pairs = ["all"] if len(layers) == depth else [f"{low}-{high}" for low, high in matching(layers, depth)]
    found = [line for line in _lines() if (line["task"], line["source"], line["test"]) == (task, source, test)]
    return [float(line[pair]) for line in found for pair in pairs if line[pair]]
