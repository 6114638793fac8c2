"""Regular expressions that somebody types: one that would keep everybody waiting is stopped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import regex

from fewshot.errors import FewshotError

SECONDS = 1.0
"""Most time on one text: ``(a+)+b`` takes twice as long for each letter more."""


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

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where it matches something in a text: first character, and the one behind the last.

        Raises:
            FewshotError: when that takes too long.
        """
        try:
            return [found.span() for found in self._compiled.finditer(text, timeout=SECONDS) if found.group()]
        except TimeoutError:
            raise _too_slow(self.source) from None

    def is_whole(self, text: str) -> bool:
        """Return whether it matches a text from end to end.

        Raises:
            FewshotError: when that takes too long.
        """
        try:
            return self._compiled.fullmatch(text, timeout=SECONDS) is not None
        except TimeoutError:
            raise _too_slow(self.source) from None


def _too_slow(source: str) -> FewshotError:
    return FewshotError(
        f"the regular expression {source!r} takes over a second on one text; "
        "write one that repeats nothing that is repeated itself, as (a+)+ does"
    )
