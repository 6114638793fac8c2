"""Whether two texts of a language are written alike: both with vowel signs or both without, both in one script."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from fewshot.corpora.types import Example

SHARE = 0.2
"""Of the characters of one text that the other hardly has, from which on they are not written alike.

Arabic with all vowel signs against newspaper Arabic: 0.4; treebanks of one language and script: at most 0.05.
"""

RARER = 10
"""How many times rarer a character is in a text that hardly has it."""

EXPECTED = 10
"""How often it would stand there by its rate in the other text, at least; of rarer ones, chance decides."""

NAMED = 5


def difference(pool: Iterable[Example], test: Iterable[Example]) -> str:
    """Return a line that says how the writing of a pool differs from that of its test set; empty where it does not."""
    both = {"pool": _characters(pool), "test set": _characters(test)}
    for (name, counts), (other, others) in (both.items(), reversed(both.items())):
        missing = _missing(counts, others)
        share = sum(counts[char] for char in missing) / max(1, counts.total())
        if share >= SHARE:
            shown = " ".join(f"◌{char}" if unicodedata.combining(char) else char for char in missing[:NAMED])
            return (
                f"{share:.0%} of the {name} is of characters that the {other} hardly has ({shown}): shots may not "
                "help; give a pool and a test set that are written alike"
            )
    return ""


def _characters(examples: Iterable[Example]) -> Counter[str]:
    return Counter(char for example in examples for part in example.parts for char in "".join(part))


def _missing(counts: Mapping[str, int], others: Counter[str]) -> list[str]:
    """Return the characters of a text that another one hardly has, the commonest first."""
    scale = others.total() / max(1, sum(counts.values()))
    expected = {char: count * scale for char, count in counts.items()}
    found = [char for char, times in expected.items() if times >= max(EXPECTED, RARER * others[char])]
    return sorted(found, key=lambda char: (-counts[char], char))
