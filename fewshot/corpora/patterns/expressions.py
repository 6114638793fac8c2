"""Match literal texts and regular expressions of users, independent of Unicode composition."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

import regex

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.segmentation import compile_expression
from fewshot.corpora.spelling import composed

NO_MARK = r"(?!\p{M})"
"""Ends a literal: its last letter has no further accent."""


def literal(text: str) -> str:
    """Return a regular expression that matches a text, but no part of an accented letter."""
    return regex.escape(composed(text), special_only=True, literal_spaces=True) + NO_MARK


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
        """Return start and end of each non-empty match.

        Args:
            deadline: end of the search; ``(a+)+b`` takes twice as long for each letter.
        """
        spans = []
        text, letters = _with_letters(text)
        try:
            for match in self._compiled.finditer(text, timeout=deadline.left):
                if match.group():
                    start, end = match.span()
                    spans.append((letters[start][0], letters[end - 1][1]) if letters else (start, end))
        except TimeoutError:
            deadline.end()
        return spans

    def is_whole(self, text: str, deadline: Deadline) -> bool:
        """Return whether the expression matches a whole text; raise TimeoutError at the deadline."""
        return self._compiled.fullmatch(composed(text), timeout=deadline.left) is not None


def _with_letters(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the `composed` text and the original span of each of its characters; no spans when equal."""
    if unicodedata.is_normalized("NFC", text):
        return text, []
    made, letters = [], list[tuple[int, int]]()
    for letter in regex.finditer(r"\X", text):
        made.append(composed(letter[0]))
        letters += [letter.span()] * len(made[-1])
    return "".join(made), letters
