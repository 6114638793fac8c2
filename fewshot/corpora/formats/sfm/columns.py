"""Interlinear lines of Toolbox: align entries with the words above them by their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
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

    Columns are counted in bytes or characters, whichever aligns more words. If neither aligns all words and there is
    one entry per word, entries are taken in order.
    """
    count = len(WORD.findall(words.text))
    options = []
    for in_bytes in (True, False):
        starts, entries = (_columns(row, in_bytes) for row in (words, line))
        groups = _grouped([start for start, _ in starts], entries)
        options.append((len({start for start, _ in starts} & {start for start, _ in entries}), groups))
    hits, best = max(options, key=lambda option: option[0])
    alone = WORD.findall(line.text)
    if hits < count and len(alone) == count:
        return [[entry] for entry in alone]
    return best if 2 * hits > count else []


def _columns(line: Line, in_bytes: bool) -> list[Column]:
    """Return start column, counted from the backslash, and text of each word."""
    before, place, columns = f"{line.indent}\\{line.marker}{line.space}", 0, []
    offset = len(before.encode()) if in_bytes else len(before)
    for word in WORD.finditer(line.text):
        gap = line.text[place : word.end()]
        offset += len(gap.encode()) if in_bytes else len(gap)
        columns.append((offset - (len(word[0].encode()) if in_bytes else len(word[0])), word[0]))
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
