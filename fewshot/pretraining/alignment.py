"""Embeddings aligned across languages before any training, from translations.

They come from a lexicon (`fewshot.pretraining.lexicon`), or from sentence ids: pieces that occur in translations of the
same sentences get similar vectors (Levy, Søgaard & Goldberg 2017, "A strong baseline for learning cross-lingual word
embeddings from sentence alignments").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse
from transformers import PreTrainedTokenizerFast

from fewshot.pretraining import lexicon
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.factors import embed
from fewshot.pretraining.texts import Texts
from fewshot.pretraining.tokenizer import piece_ids


def aligned(config: PretrainConfig, pieces: PreTrainedTokenizerFast, texts: Texts) -> np.ndarray:
    """Return vectors of pieces, aligned by ``config.alignment``.

    Returns:
        ``[pieces, hidden]``, unit vectors; zeros for pieces that the translations lack.

    Raises:
        FewshotError: when there are too few pieces or sentences for vectors of that size.
    """
    if config.alignment == "sentences":
        flat = iter(_ids(pieces, [text for row in texts.rows for text in row.values()]))
        rows = [[next(flat) for _ in row] for row in texts.rows]
        return embed(_occurrences(rows, len(pieces)), config.hidden, config.svd_power, config.seed)
    own = _ids(pieces, texts.sentences[config.pivot])
    vectors = embed(lexicon.neighbours(own, len(pieces)), config.hidden, config.svd_power, config.seed)
    pivot_rows = [row for row in texts.rows if config.pivot in row]
    pivot = _ids(pieces, [row[config.pivot] for row in pivot_rows])
    lexicons, counts = {}, {}
    for lang in sorted({lang for row in pivot_rows for lang in row} - {config.pivot}):
        numbers = [number for number, row in enumerate(pivot_rows) if lang in row]
        theirs = _ids(pieces, [pivot_rows[number][lang] for number in numbers])
        pairs = zip(theirs, (pivot[number] for number in numbers), strict=True)
        lexicons[lang] = lexicon.translations(pairs, len(pieces))
        counts[lang] = _counts(theirs, len(pieces))
    return lexicon.inherit(vectors, _counts(own, len(pieces)), lexicons, counts)


def _occurrences(rows: Iterable[Sequence[np.ndarray]], vocabulary: int) -> sparse.csr_matrix:
    """Return how many translations of each sentence contain a piece, ``[pieces, sentence ids]``."""
    pieces = [np.concatenate([np.unique(text) for text in translations]) for translations in rows]
    ids = np.repeat(np.arange(len(pieces), dtype=np.int32), list(map(len, pieces)))
    ones = np.ones(len(ids), dtype=np.float32)
    return sparse.csr_matrix((ones, (np.concatenate(pieces), ids)), shape=(vocabulary, len(pieces)))


def _ids(pieces: PreTrainedTokenizerFast, sentences: Sequence[str]) -> list[np.ndarray]:
    return [np.array(ids, dtype=np.int32) for ids in piece_ids(pieces, sentences)]


def _counts(sentences: Sequence[np.ndarray], vocabulary: int) -> np.ndarray:
    return np.bincount(np.concatenate(sentences), minlength=vocabulary)
