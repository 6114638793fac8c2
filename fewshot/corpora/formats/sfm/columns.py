"""Interlinear lines of Toolbox: align entries with the words above them by their columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WORD = re.compile(r"\S(?:[^ \t\r\n]*\S)?")
"""A word; it may contain a no-break space, but neither begin nor end with one."""

AFFIX = "-="
"""Characters at the edge of bound morphs."""

MAX_SHIFT = 2
"""Most columns that an entry may begin before its word."""

Column = tuple[int, str]
"""Start column and text of a word."""


@dataclass(frozen=True, slots=True)
class Line:
    """A field: a marker with its text, which may continue on the next lines.

    Args:
        number: of its line in the sentence.
        marker: without the backslash.
        space: between marker and text.
        text: without the end of the last line.
        indent: before the backslash.
        stop: number of the line after the field.
    """

    number: int
    marker: str
    space: str
    text: str
    indent: str = ""
    stop: int = 0


def align_below(words: Line, line: Line) -> list[list[str]]:
    """Return the entries of a line below each word; empty when columns do not match.

    Columns are counted in bytes, characters or places on the screen, whichever aligns more words. If none aligns all
    words and there is one entry per word, entries are taken in order.
    """
    count = len(WORD.findall(words.text))
    options = []
    for width in (_bytes, len, _places):
        starts, entries = (_columns(row, width) for row in (words, line))
        groups = _grouped([start for start, _ in starts], entries)
        options.append((len({start for start, _ in starts} & {start for start, _ in entries}), groups))
    hits, best = max(options, key=lambda option: option[0])
    alone = WORD.findall(line.text)
    if hits < count and len(alone) == count:
        return [[entry] for entry in alone]
    return best if 2 * hits > count else []


def _bytes(text: str) -> int:
    return len(text.encode())


def _places(text: str) -> int:
    """Return the width of a text on a screen: combining accents take no place, wide characters two."""
    seen = (char for char in text if unicodedata.category(char) not in ("Mn", "Me", "Cf"))
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in seen)


def _columns(line: Line, width: Callable[[str], int]) -> list[Column]:
    """Return start column, counted from the backslash, and text of each word."""
    place, columns = 0, []
    offset = width(f"{line.indent}\\{line.marker}{line.space}")
    for word in WORD.finditer(line.text):
        offset += width(line.text[place : word.start()])
        columns.append((offset, word[0]))
        offset += width(word[0])
        place = word.end()
    return columns


def _grouped(starts: Sequence[int], entries: Sequence[Column]) -> list[list[str]]:
    """Return the entries from each start up to the next.

    A word without an entry gets one that begins slightly before it: people align by sight.
    """
    groups: list[list[Column]] = [[] for _ in starts]
    word = 0
    for entry in entries:
        while word + 1 < len(starts) and starts[word + 1] <= entry[0]:
            word += 1
        groups[word].append(entry)
    for word, start in enumerate(starts[1:], start=1):
        before = groups[word - 1]
        if not groups[word] and len(before) > 1 and start - before[-1][0] <= MAX_SHIFT:
            groups[word].append(before.pop())
    return [[entry for _, entry in group] for group in groups]


def join_morphs(entries: Sequence[str]) -> str:
    """Return the morphs of a word, or their glosses, as one string.

    A space separates two entries, unless a mark of `AFFIX` stands between them: ``a- b c`` becomes ``a-b c``.
    """
    text = ""
    for entry in entries:
        seam = not text or text[-1] in AFFIX or entry[0] in AFFIX
        text += entry if seam else f" {entry}"
    return text
