"""What CoNLL-U needs to write a sentence byte for byte; other code only hands it on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a sentence were written.

    Args:
        newline: at the end of each line.
        mark: the byte order mark before the first line, or an empty string.
        behind: lines after the last row, usually a blank one.
        lines: all lines, if the sentence cannot be written alike without them: a head ``03``, a comment between rows.
    """

    newline: str = "\n"
    mark: str = ""
    behind: tuple[str, ...] = ("\n",)
    lines: tuple[str, ...] = ()

    @property
    def comments_behind(self) -> tuple[str, ...]:
        """The comments after the last row."""
        return tuple(line.rstrip("\r\n") for line in self.behind if line.startswith("#"))

    def rewritten(self) -> Layout:
        """Return the layout of a sentence whose rows are new."""
        return replace(self, lines=())

    def part(self, is_first: bool, is_last: bool) -> Layout:
        """Return the layout of a part of the sentence."""
        return layout(self.newline, self.mark * is_first, self.behind if is_last else (self.newline,))

    def before(self, last: Layout) -> Layout:
        """Return the layout of a sentence that begins like this one and ends like the last one."""
        return layout(self.newline, self.mark, last.behind)


layout = lru_cache(256)(Layout)
"""Return a layout; sentences of a file share theirs."""
