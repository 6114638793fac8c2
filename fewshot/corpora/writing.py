"""Compare the writing of a pool and a test set: vowel signs and scripts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fewshot.corpora.types import Example

MIN_SHARE = 0.2
"""Share of a text's characters that are rare in the other text, from which on the writing differs.

Arabic with all vowel signs against newspaper Arabic: 0.4; treebanks of one language and script: at most 0.05.
"""

MIN_RATIO = 10
"""A character is rare in the other text when it is at least this many times less frequent there."""

MIN_EXPECTED = 10
"""Characters with a lower expected count in the other text are ignored: chance decides about them."""

MAX_NAMED = 5

OPTIONAL_SIGNS = (
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a]"
)
"""Pattern of Hebrew, Arabic and Syriac vowel signs and accents and of the lengthening stroke, which most texts lack."""


def describe_difference(pool: Sequence[Example], test: Sequence[Example], strips: bool = False) -> str:
    """Return a warning when pool and test set are written differently; else an empty string.

    Args:
        strips: whether the encoder reads no `OPTIONAL_SIGNS`; the text then says so in place of the warning.
    """
    both = {"pool": _characters(pool), "test set": _characters(test)}
    if strips and any(shares := [sign_share(pool), sign_share(test)]):
        return (
            f"{shares[0]:.0%} of the pool and {shares[1]:.0%} of the test set are optional vowel signs, which the "
            "encoder does not read (--vowel-signs keep: it reads them)"
        )
    for (name, counts), (reference, reference_counts) in (both.items(), reversed(both.items())):
        missing = _missing(counts, reference_counts)
        share = sum(counts[char] for char in missing) / max(1, counts.total())
        if share >= MIN_SHARE:
            shown = " ".join(f"◌{char}" if unicodedata.combining(char) else char for char in missing[:MAX_NAMED])
            return (
                f"{share:.0%} of the {name} consists of characters that the {reference} rarely has ({shown}): shots "
                "may not help; give a pool and a test set in the same writing"
            )
    return ""


def sign_share(examples: Iterable[Example]) -> float:
    """Return the share of `OPTIONAL_SIGNS` among the characters of some examples."""
    counts = _characters(examples)
    return sum(counts[char] for char in counts if re.match(OPTIONAL_SIGNS, char)) / max(1, counts.total())


def _characters(examples: Iterable[Example]) -> Counter[str]:
    return Counter(char for example in examples for part in example.parts for char in "".join(part))


def _missing(counts: Mapping[str, int], others: Counter[str]) -> list[str]:
    """Return the characters that are rare in the other text, most frequent first."""
    scale = others.total() / max(1, sum(counts.values()))
    expected = {char: count * scale for char, count in counts.items()}
    missing = [char for char, times in expected.items() if times >= max(MIN_EXPECTED, MIN_RATIO * others[char])]
    return sorted(missing, key=lambda char: (-counts[char], char))
