"""Regular expressions that somebody types, and texts: accents that are characters of their own make no difference."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

import regex

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.spelling import composed
from fewshot.errors import FewshotError

NO_MARK = r"(?!\p{M})"
"""Behind a text: its last letter has no further accent."""


def literal(text: str) -> str:
    """Return a regular expression that finds a text, and no part of a letter with its accents."""
    return regex.escape(composed(text), special_only=True, literal_spaces=True) + NO_MARK


@dataclass(frozen=True)
class Expression:
    """A regular expression, in Python's syntax; it and what it is looked for in count as `composed`.

    Args:
        source: as it was typed.
        any_case: whether the case of letters makes no difference.

    Raises:
        FewshotError: when it is none.
    """

    source: str
    any_case: bool = False

    def __post_init__(self) -> None:
        try:
            _ = self._compiled
        except regex.error as error:
            raise FewshotError(f"no regular expression ({error})") from None
        except RecursionError:
            raise FewshotError(
                "this regular expression has too many groups within groups; write a flatter one"
            ) from None

    @cached_property
    def _compiled(self) -> regex.Pattern[str]:
        return regex.compile(composed(self.source), regex.IGNORECASE if self.any_case else 0)

    def spans(self, text: str, deadline: Deadline) -> list[tuple[int, int]]:
        """Return where it matches something in a text: first character, and the one behind the last.

        Args:
            deadline: after which no more is looked for, ``(a+)+b`` takes twice as long for each letter more.
        """
        found = []
        text, letters = _with_letters(text)
        try:
            for one in self._compiled.finditer(text, timeout=deadline.left):
                if one.group():
                    start, end = one.span()
                    found.append((letters[start][0], letters[end - 1][1]) if letters else (start, end))
        except TimeoutError:
            deadline.end()
        return found

    def is_whole(self, text: str, deadline: Deadline) -> bool:
        """Return whether it matches a text from end to end.

        Raises:
            TimeoutError: when the deadline comes before that is known.
        """
        return self._compiled.fullmatch(composed(text), timeout=deadline.left) is not None


def _with_letters(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text as `composed`, and where the letter of each character stood; nothing where nothing has changed."""
    if unicodedata.is_normalized("NFC", text):
        return text, []
    made, letters = [], list[tuple[int, int]]()
    for letter in regex.finditer(r"\X", text):
        made.append(composed(letter[0]))
        letters += [letter.span()] * len(made[-1])
    return "".join(made), letters
