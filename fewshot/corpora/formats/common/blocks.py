"""Split files with one word per line into sentences, and join the sentences again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

IsRow = Callable[[str], bool]
"""Returns whether a line belongs to a sentence: not blank, a comment or the beginning of a document."""


def is_blank(line: str) -> bool:
    """Return whether a line is blank."""
    return not line.strip()


def split_blocks(
    lines: Sequence[str], is_row: IsRow, is_end: Callable[[str], bool] = is_blank
) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of the first line, lines) per sentence; every line is in a block, if there is one.

    Blank lines, and the end of the file, belong to the sentence before; other lines between sentences to the next one.
    ``is_end`` returns whether a line that is not a row ends a sentence; blank lines do in every format.
    """
    start, rows = 0, [place for place, line in enumerate(lines) if is_row(line)]
    for before, place in pairwise(rows):
        if place > before + 1 and (ends := [row for row in range(before + 1, place) if is_end(lines[row])]):
            end = next(row for row in range(ends[0], place + 1) if lines[row].strip())
            yield start + 1, list(lines[start:end])
            start = end
    if rows:
        yield start + 1, list(lines[start:])


def join_blocks(texts: Iterable[str], is_row: IsRow, is_end: Callable[[str], bool] = is_blank) -> Iterator[str]:
    """Yield the text of each block; only the last block of a file may lack its line ends."""
    last = ""
    for text in texts:
        if last:
            yield _closed(last, is_row, is_end(text.partition("\n")[0]))
        last = text
    yield last


def _closed(block: str, is_row: IsRow, ended: bool) -> str:
    """Return a block with the line ends that it needs before a block whose first line ends it or not."""
    end = "\r\n" if "\r\n" in block else "\n"
    closed = block if block.endswith("\n") else block + end
    if ended:
        return closed
    lines = closed.split("\n")
    last = max(place for place, line in enumerate(lines) if is_row(line))
    return closed if any(not line.strip() for line in lines[last:-1]) else closed + end
