"""Find texts and regular expressions in whole letters, independent of Unicode composition.

A letter is a grapheme cluster (Unicode Standard Annex 29): a character with its marks, signs and joiners. No match
splits one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import regex

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.segmentation import compile_expression
from fewshot.corpora.spelling import composed, without_accents

LETTER = regex.compile(r"\X")
JOINED = regex.compile(r"[\p{GCB=CR}\p{GCB=EX}\p{GCB=SM}\p{GCB=PP}\p{GCB=ZWJ}\p{GCB=RI}\p{GCB=L}\p{GCB=V}\p{GCB=T}]")
"""A character that may be part of a letter of several characters."""


@dataclass(frozen=True)
class Literal:
    """A text that is found in any case, as whole letters: ``ni`` is no part of *ní*.

    Args:
        source: as typed.
        accents: whether accents count, see `without_accents`.
    """

    source: str
    accents: bool = True

    @cached_property
    def _compiled(self) -> regex.Pattern[str]:
        return regex.compile(regex.escape(self.fold(self.source)), regex.IGNORECASE)

    @property
    def fold(self) -> Callable[[str], str]:
        """The function that makes equal texts the same."""
        return composed if self.accents else without_accents

    def spans(self, text: str, deadline: Deadline) -> list[tuple[int, int]]:
        """Return start and end of each match, which do not overlap."""
        spans: list[tuple[int, int]] = []
        for start, end, is_whole in _matches(self._compiled, text, self.fold, deadline, overlapped=True):
            if is_whole and (not spans or start >= spans[-1][1]):
                spans.append((start, end))
        return spans


@dataclass(frozen=True)
class Expression:
    """A regular expression in Python's syntax; expression and searched text are both `composed`.

    Args:
        source: as typed.
        any_case: whether to ignore case.

    Raises:
        FewshotError: when the expression is invalid.
    """

    source: str
    any_case: bool = False

    def __post_init__(self) -> None:
        _ = self._compiled

    @cached_property
    def _compiled(self) -> regex.Pattern[str]:
        return compile_expression(composed(self.source), regex.IGNORECASE if self.any_case else 0)

    def spans(self, text: str, deadline: Deadline) -> list[tuple[int, int]]:
        """Return start and end of each non-empty match, extended to whole letters.

        Args:
            deadline: end of the search; ``(a+)+b`` takes twice as long for each letter.
        """
        return list(dict.fromkeys((start, end) for start, end, _ in _matches(self._compiled, text, composed, deadline)))

    def is_whole(self, text: str, deadline: Deadline) -> bool:
        """Return whether the expression matches a whole text; raise TimeoutError at the deadline."""
        return self._compiled.fullmatch(composed(text), timeout=deadline.left) is not None


def _matches(
    compiled: regex.Pattern[str], text: str, fold: Callable[[str], str], deadline: Deadline, overlapped: bool = False
) -> Iterator[tuple[int, int, bool]]:
    """Yield the span of the letters of each non-empty match, and whether it has all of them."""
    letters: list[tuple[int, int]] = []
    folded, is_simple = fold(text), False
    try:
        for match in compiled.finditer(folded, timeout=deadline.left, overlapped=overlapped):
            if not match.group():
                continue
            is_simple = is_simple or (not letters and len(folded) == len(text) and not JOINED.search(text))
            if is_simple:
                yield match.start(), match.end(), True
                continue
            letters = letters or _letters(text, fold)
            (start, before), (last, end) = letters[match.start()], letters[match.end() - 1]
            is_whole = letters[match.start() - 1 : match.start()] != [(start, before)]
            is_whole = is_whole and letters[match.end() : match.end() + 1] != [(last, end)]
            yield start, end, is_whole
    except TimeoutError:
        deadline.end()


def _letters(text: str, fold: Callable[[str], str]) -> list[tuple[int, int]]:
    """Return the span of the letter in a text that each character of the folded text belongs to."""
    return [letter.span() for letter in LETTER.finditer(text) for _ in fold(letter[0])]


def first_letters(text: str, count: int) -> str:
    """Return at most so many letters from the beginning of a text."""
    return "".join(LETTER.findall(text, endpos=4 * count)[:count])


def last_letters(text: str, count: int) -> str:
    """Return at most so many letters from the end of a text."""
    return "".join(LETTER.findall(text, max(0, len(text) - 4 * count))[-count:])
