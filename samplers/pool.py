"""A sampler's view of a pool: sizes, and a model's signals of each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

SIGNALS = {
    "units": "the number of decisions that a model makes in an item",
    "entropy": "the mean entropy of the decisions, in nats",
    "log_probability": "the mean log-probability of the likeliest outcome",
    "margin": "the mean difference between the two likeliest outcomes' probabilities",
    "mutual_information": "the mean mutual information of outcome and weights, in nats, by dropout before the head",
    "minutes": "the predicted minutes of annotating an item",
    "embeddings": "the mean vector of an item's words, [items, size]",
    "confused_pairs": "the numbers of an item's most confused pairs of labels, [items, pairs]; -1 for none",
    "expected_errors": "how many errors are expected of each of these pairs, [items, pairs]",
}
"""Signals that samplers may need: arrays or memory maps of any float type, whose first dimension is the pool."""

CHUNK = 65_536
"""Items that are processed together, so that the arrays of a large pool may stay on disk."""


class SamplerError(ValueError):
    """An unknown sampler, or a draw that is not possible; the message says what to do."""


@dataclass(frozen=True)
class Pool:
    """Unlabelled items, without their texts: sizes in tokens, and a model's signals by name."""

    lengths: Sequence[int]
    signals: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lengths)

    def signal(self, name: str) -> np.ndarray:
        """Return the array of a signal of `SIGNALS`, checked.

        Raises:
            SamplerError: when the signal is missing, of another pool, or not finite.
        """
        title = name.replace("_", " ")
        if name not in self.signals:
            raise SamplerError(
                f"the {title} of the pool ({SIGNALS[name]}) is not known; "
                "let a model read the pool first, or choose a sampler that needs no model, such as random"
            )
        values = self.signals[name]
        if len(values) != len(self):
            raise SamplerError(f"{title} of {len(values)} items for a pool of {len(self)}; read this pool again")
        for start in range(0, len(values), CHUNK):
            finite = np.isfinite(values[start : start + CHUNK]).reshape(len(values[start : start + CHUNK]), -1).all(1)
            if not finite.all():
                item = start + int(finite.argmin())
                raise SamplerError(f"{title} of item {item} of the pool is not a finite number; check the model")
        return values

    def vectors(self, items: np.ndarray) -> np.ndarray:
        """Return the embeddings of some items as unit vectors, ``[items, size]``; zero vectors stay zero."""
        return unit(self.signal("embeddings")[items])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors ``[items, size]`` to length 1, in single precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = np.asarray(vectors, dtype=np.float32)
        norms = np.linalg.norm(single, axis=1, keepdims=True)
        scaled: np.ndarray = single / np.maximum(norms, 1e-12)
    for row in np.flatnonzero(~np.isfinite(norms)):  # too long for single precision
        longest = np.asarray(vectors[row], dtype=np.float64) / np.abs(vectors[row]).max()
        scaled[row] = longest / np.linalg.norm(longest)
    return scaled


def generator(seed: int) -> np.random.Generator:
    """Return NumPy's generator of a seed; NumPy itself takes no negative ones."""
    return np.random.default_rng(seed if seed >= 0 else [-seed, 1])


def by_score(scores: np.ndarray, seed: int) -> Iterator[int]:
    """Yield every index once, highest score first, ties in an order drawn from the seed."""
    ties = generator(seed).random(len(scores))
    yield from np.lexsort((ties, -np.asarray(scores, dtype=np.float64))).tolist()
