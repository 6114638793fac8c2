"""One text in two spellings: letters with their marks as one character, or as several."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from unicodedata import normalize


def composed(text: str) -> str:
    """Return a text with letters and their marks as one character where Unicode has one (NFC).

    A text typed with separate accents (NFD) and the same text with composed letters are one text to people.
    """
    return normalize("NFC", text)


class Respelling:
    """Places of a text in another spelling of it.

    Args:
        text: whose places are asked for.
        other: with the same letters and marks, of which other ones are one character.
    """

    def __init__(self, text: str, other: str) -> None:
        self._before, self._other_before = _signs_before(text), _signs_before(other)

    @staticmethod
    def fits(text: str, other: str) -> bool:
        """Return whether two texts are spellings of one."""
        return composed(text) == composed(other)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return start and end, in characters, of a stretch of the text in the other one; it splits no character."""
        return (
            bisect_right(self._other_before, self._before[start]) - 1,
            bisect_left(self._other_before, self._before[end]),
        )


def _signs_before(text: str) -> list[int]:
    """Return how many letters and marks stand before each character of a text, and how many there are."""
    return list(accumulate((len(normalize("NFD", character)) for character in text), initial=0))
