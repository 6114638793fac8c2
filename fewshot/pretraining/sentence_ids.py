"""In which aligned sentences a piece occurs, whatever the language.

Pieces that occur in translations of one sentence get similar vectors (Levy, Søgaard & Goldberg 2017, "A strong baseline
for learning cross-lingual word embeddings from sentence alignments").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse


def occurrences(rows: Iterable[Iterable[Sequence[int] | np.ndarray]], vocabulary: int) -> sparse.csr_matrix:
    """Count in which aligned sentences each piece occurs.

    Args:
        rows: for each sentence id, the piece ids of each of its translations.

    Returns:
        ``[pieces, sentence ids]``, in how many translations of the sentence a piece occurs.
    """
    pieces: list[np.ndarray] = []
    ids: list[np.ndarray] = []
    columns = 0
    for column, translations in enumerate(rows):
        here = np.concatenate([np.unique(np.asarray(text, dtype=np.int32)) for text in translations])
        pieces.append(here)
        ids.append(np.full(len(here), column, dtype=np.int32))
        columns = column + 1
    where = (np.concatenate(pieces), np.concatenate(ids))
    return sparse.csr_matrix((np.ones(len(where[0]), dtype=np.float32), where), shape=(vocabulary, columns))
