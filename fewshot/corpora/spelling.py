"""Compare spellings of one text: letters with their marks as one character (NFC), or as several (NFD)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from unicodedata import normalize

import regex

ACCENTS = regex.compile(r"[[\p{Mn}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Syriac}]]--[\u3099\u309a]]+", regex.VERSION1)
"""Marks that `without_accents` leaves out."""


def composed(text: str) -> str:
    """Return a text in NFC: accents typed as separate characters make no difference to people."""
    return normalize("NFC", text)


def without_accents(text: str) -> str:
    """Return a text in NFC without the accents and optional points of its letters.

    Marks of several scripts, such as those of Latin, Greek and Cyrillic and the vowel points of Arabic, and the points
    of Hebrew and Syriac are left out. Marks that are vowels or letters of one script stay: those of Thai and of the
    scripts of India, and the voicing marks of kana.
    """
    return composed(ACCENTS.sub("", normalize("NFD", text)))


class SpellingMap:
    """Map positions of a text to another spelling of it; both have the same letters and marks."""

    def __init__(self, text: str, other: str) -> None:
        self._before, self._other_before = _signs_before(text), _signs_before(other)

    @staticmethod
    def fits(text: str, other: str) -> bool:
        """Return whether two texts are spellings of the same text."""
        return composed(text) == composed(other)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return start and end, in characters, of a span in the other spelling; no character is split."""
        return (
            bisect_right(self._other_before, self._before[start]) - 1,
            bisect_left(self._other_before, self._before[end]),
        )


def _signs_before(text: str) -> list[int]:
    """Return the number of letters and marks before each character, and their total."""
    return list(accumulate((len(normalize("NFD", character)) for character in text), initial=0))
