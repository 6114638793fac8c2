"""Compare the writing of a pool and a test set: vowel signs and scripts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

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


def describe_difference(pool: Iterable[Example], test: Iterable[Example]) -> str:
    """Return a warning when pool and test set are written differently; else an empty string."""
    both = {"pool": _characters(pool), "test set": _characters(test)}
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


def _characters(examples: Iterable[Example]) -> Counter[str]:
    return Counter(char for example in examples for part in example.parts for char in "".join(part))


def _missing(counts: Mapping[str, int], others: Counter[str]) -> list[str]:
    """Return the characters that are rare in the other text, most frequent first."""
    scale = others.total() / max(1, sum(counts.values()))
    expected = {char: count * scale for char, count in counts.items()}
    missing = [char for char, times in expected.items() if times >= max(MIN_EXPECTED, MIN_RATIO * others[char])]
    return sorted(missing, key=lambda char: (-counts[char], char))
