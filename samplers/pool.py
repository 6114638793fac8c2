"""What a sampler sees of a pool: sizes, and what a model says of each item."""

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
"""What samplers may need: an array each, whose first dimension is the pool, in any float type, or a memory map."""

CHUNK = 65_536
"""Items that are looked at together, so that the arrays of a large pool may stay on disk."""


class SamplerError(ValueError):
    """A sampler that does not exist or a draw that is not possible; the message says what to do."""


@dataclass(frozen=True)
class Pool:
    """Unlabelled items, without their texts.

    Args:
        lengths: size of each item in tokens.
        signals: of a model, by names of `SIGNALS`; none by default.
    """

    lengths: Sequence[int]
    signals: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lengths)

    def signal(self, name: str) -> np.ndarray:
        """Return the array of a signal, checked.

        Args:
            name: one of `SIGNALS`.

        Raises:
            SamplerError: when it is missing, of another pool, or holds what is not a finite number.
        """
        title = name.replace("_", " ")
        if name not in self.signals:
            raise SamplerError(
                f"the {title} of the pool ({SIGNALS[name]}) is not known; "
                "let a model read the pool first, or take a sampler that needs none, such as random"
            )
        values = self.signals[name]
        if len(values) != len(self):
            raise SamplerError(f"{title} of {len(values)} items for a pool of {len(self)}; read this pool again")
        for start in range(0, len(values), CHUNK):
            whole = np.isfinite(values[start : start + CHUNK]).reshape(len(values[start : start + CHUNK]), -1).all(1)
            if not whole.all():
                item = start + int(whole.argmin())
                raise SamplerError(f"{title} of item {item} of the pool is no finite number; check the model")
        return values

    def vectors(self, items: np.ndarray) -> np.ndarray:
        """Return the embeddings of some items as unit vectors, ``[items, size]`` in single precision.

        Equal distances between them are equal cosines; a zero vector stays one.
        """
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


def by_score(scores: np.ndarray, seed: int) -> Iterator[int]:
    """Yield every index once, highest score first, ties in an order drawn from the seed."""
    ties = np.random.default_rng(seed).random(len(scores))
    yield from np.lexsort((ties, -np.asarray(scores, dtype=np.float64))).tolist()
