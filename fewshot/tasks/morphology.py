"""Morphological features in the notation of Universal Dependencies: ``Case=Nom|Number=Sing``."""

from __future__ import annotations

import re
from collections.abc import Sequence

FEATURE = re.compile(r"[^\s=|;]+=[^\s=|;]+")
"""One feature of a word."""

SETTING = re.compile(r"[^\s=|]+=[^\s|]*(\|[^\s=|]+=[^\s|]*)*")
"""Features to set; a feature without a value is removed."""

UNIVERSAL = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})  # fmt: skip
"""Features that count in the score UFeats (Zeman et al. 2018, and its ``conll18_ud_eval.py``)."""


def is_written(feats: str) -> bool:
    """Return whether a word's features, which may be empty, follow UD's notation, each name once."""
    pairs = feats.split("|") if feats else []
    names = {pair.partition("=")[0] for pair in pairs}
    return len(names) == len(pairs) and all(map(FEATURE.fullmatch, pairs))


def features(feats: str) -> frozenset[str]:
    """Return the features of a word, such as ``Case=Nom``."""
    return frozenset(filter(None, feats.split("|")))


def universal(feats: str) -> frozenset[str]:
    """Return the features that count in UFeats."""
    return frozenset(feature for feature in features(feats) if feature.partition("=")[0] in UNIVERSAL)


def most_similar(feats: str, others: Sequence[str]) -> list[int]:
    """Return the places of the most similar features (highest Jaccard index); all if none are shared."""
    own = features(feats)
    shared = [len(own & known) / max(len(own | known), 1) for known in map(features, others)]
    return [place for place, share in enumerate(shared) if share == max(shared)]
