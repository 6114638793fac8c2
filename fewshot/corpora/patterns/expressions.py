"""Regular expressions that somebody types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import regex

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.errors import FewshotError


@dataclass(frozen=True)
class Expression:
    """A regular expression, in Python's syntax.

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
        return regex.compile(self.source, regex.IGNORECASE if self.any_case else 0)

    def spans(self, text: str, deadline: Deadline) -> list[tuple[int, int]]:
        """Return where it matches something in a text: first character, and the one behind the last.

        Args:
            deadline: after which no more is looked for, ``(a+)+b`` takes twice as long for each letter more.
        """
        found = []
        try:
            for one in self._compiled.finditer(text, timeout=deadline.left):
                if one.group():
                    found.append(one.span())
        except TimeoutError:
            deadline.end()
        return found

    def is_whole(self, text: str, deadline: Deadline) -> bool:
        """Return whether it matches a text from end to end.

        Raises:
            TimeoutError: when the deadline comes before that is known.
        """
        return self._compiled.fullmatch(text, timeout=deadline.left) is not None
