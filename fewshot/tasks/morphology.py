"""Morphological features as Universal Dependencies writes them: ``Case=Nom|Number=Sing``."""

from __future__ import annotations

import re
from collections.abc import Sequence

FEATURE = re.compile(r"[^\s=|;]+=[^\s=|;]+")
"""One feature of a word."""

SETTING = re.compile(r"[^\s=|]+=[^\s|]*(\|[^\s=|]+=[^\s|]*)*")
"""Features to set; one without a value is taken away."""

UNIVERSAL = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})  # fmt: skip
"""The features that count in the score UFeats (Zeman et al. 2018, and its ``conll18_ud_eval.py``)."""


def is_written(feats: str) -> bool:
    """Return whether these are the features of a word as UD writes them: each name once; empty for none."""
    found = feats.split("|") if feats else []
    names = {one.partition("=")[0] for one in found}
    return len(names) == len(found) and all(map(FEATURE.fullmatch, found))


def features(feats: str) -> frozenset[str]:
    """Return the features of a word, such as ``Case=Nom``."""
    return frozenset(filter(None, feats.split("|")))


def changed(feats: str, setting: str) -> str:
    """Return the features of a word with others set, in the order of UD: `SETTING`."""
    given = dict(one.split("=", 1) for one in setting.split("|"))
    kept = dict(one.split("=", 1) for one in features(feats))
    found = {key: value for key, value in (kept | given).items() if value}
    return "|".join(f"{key}={found[key]}" for key in sorted(found, key=str.lower))


def universal(feats: str) -> frozenset[str]:
    """Return the features that count in UFeats."""
    return frozenset(feature for feature in features(feats) if feature.partition("=")[0] in UNIVERSAL)


def nearest(feats: str, others: Sequence[str]) -> list[int]:
    """Return the places of those that share most features with one, of as few others as may be; all if none do."""
    own = features(feats)
    alike = [len(own & each) / max(len(own | each), 1) for each in map(features, others)]
    return [place for place, share in enumerate(alike) if share == max(alike)]
