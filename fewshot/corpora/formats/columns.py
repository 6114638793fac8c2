"""Lines in columns, as Toolbox has them: what stands below which word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WORD = re.compile(r"\S(?:[^ \t\r\n]*\S)?")
"""A word may hold a space that does not break, but neither begin nor end with one."""

AFFIX = "-="
"""How morphs begin or end that hang on others."""

MAX_SHIFT = 2
"""Columns that an entry may stand before its word."""

Column = tuple[int, str]
"""Where a word begins in its line, and the word."""


@dataclass(frozen=True, slots=True)
class Line:
    """A field: a marker with its text, which may go on in the lines below.

    Args:
        number: of its line, among those of the sentence.
        marker: without the backslash.
        space: between marker and text.
        text: without the end of the last line.
        indent: before the backslash.
        stop: number of the line behind the last one of the field.
    """

    number: int
    marker: str
    space: str
    text: str
    indent: str = ""
    stop: int = 0


def below(words: Line, line: Line) -> list[list[str]]:
    """Return what of a line stands below each word; nothing where columns do not tell.

    Columns are counted in bytes or in characters, whichever puts something below the beginning of most words. Where
    neither does of all, one entry a word is taken in order.

    Args:
        words: the line of words.
        line: one below it.
    """
    count = len(WORD.findall(words.text))
    options = []
    for in_bytes in (True, False):
        starts, entries = (_columns(each, in_bytes) for each in (words, line))
        groups = _grouped([start for start, _ in starts], entries)
        options.append((len({start for start, _ in starts} & {start for start, _ in entries}), groups))
    hits, best = max(options, key=lambda option: option[0])
    alone = WORD.findall(line.text)
    if hits < count and len(alone) == count:
        return [[entry] for entry in alone]
    return best if 2 * hits > count else []


def _columns(line: Line, in_bytes: bool) -> list[Column]:
    """Return where each word of a line begins, counted from the backslash."""
    before, place, found = f"{line.indent}\\{line.marker}{line.space}", 0, []
    offset = len(before.encode()) if in_bytes else len(before)
    for word in WORD.finditer(line.text):
        gap = line.text[place : word.end()]
        offset += len(gap.encode()) if in_bytes else len(gap)
        found.append((offset - (len(word[0].encode()) if in_bytes else len(word[0])), word[0]))
        place = word.end()
    return found


def _grouped(starts: Sequence[int], entries: Sequence[Column]) -> list[list[str]]:
    """Return the entries from each start up to the next one.

    An entry that stands a little before a word, which has none below it, is that word's: people align by sight.
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


def joined(entries: Sequence[str]) -> str:
    """Return the morphs of a word, or their glosses, as one."""
    text = ""
    for entry in entries:
        seam = not text or text[-1] in AFFIX or entry[0] in AFFIX
        text += entry if seam else f" {entry}"
    return text
