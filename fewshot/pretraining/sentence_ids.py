"""Counts of pieces by the aligned sentences that they occur in, in any language.

Pieces that occur in translations of the same sentences get similar vectors (Levy, Søgaard & Goldberg 2017, "A strong
baseline for learning cross-lingual word embeddings from sentence alignments").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse


def occurrences(rows: Iterable[Iterable[Sequence[int] | np.ndarray]], vocabulary: int) -> sparse.csr_matrix:
    """Return how many translations of a sentence contain a piece, ``[pieces, sentence ids]``.

    ``rows`` are the piece ids of each translation, by sentence.
    """
    pieces: list[np.ndarray] = []
    ids: list[np.ndarray] = []
    for column, translations in enumerate(rows):
        pieces.append(np.concatenate([np.unique(np.asarray(text, dtype=np.int32)) for text in translations]))
        ids.append(np.full(len(pieces[-1]), column, dtype=np.int32))
    places = (np.concatenate(pieces), np.concatenate(ids))
    ones = np.ones(len(places[0]), dtype=np.float32)
    return sparse.csr_matrix((ones, places), shape=(vocabulary, len(pieces)))
