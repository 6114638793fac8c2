"""Parse and check the rows of CoNLL-U: words, multiword tokens and empty nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value

from fewshot.corpora.documents.cells import UNANNOTATED

NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
COLUMNS = len(NAMES)
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(COLUMNS)

NUMBER = re.compile("[0-9]{1,9}")
"""A head as written in CoNLL-U."""

NODE_ID = re.compile("[0-9]{1,9}[.][0-9]{1,9}")

LONG_NUMBER = re.compile("[0-9]{10}")
"""A part of a number that is too long for an id."""

Row = tuple[int, list[str]]
"""Line number and columns."""


@dataclass(slots=True)
class Rows:
    """The rows of a sentence.

    Args:
        words: rows of words.
        ranges: rows of multiword tokens.
        nodes: rows of empty nodes.
        faults: line numbers with error messages.
    """

    words: list[Row] = field(default_factory=list)
    ranges: list[Row] = field(default_factory=list)
    nodes: list[Row] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)


def is_row(line: str) -> bool:
    """Return whether a line is a word, a multiword token or an empty node."""
    body = line.removeprefix("\ufeff")
    return bool(body.strip()) and not body.startswith("#")


def is_comment(line: str) -> bool:
    """Return whether a line is a comment."""
    return line.lstrip("\ufeff").startswith("#")


def is_word(line: str) -> bool:
    """Return whether a line is a word, not a multiword token or an empty node."""
    return line.lstrip("\ufeff").partition("\t")[0].isdecimal()


def cells(line: str) -> list[str]:
    """Return the columns of a line."""
    return line.rstrip("\r\n").split("\t")


def bounds(columns: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of the first and the last word of a range."""
    first, _, last = columns[ID].partition("-")
    return int(first), int(last)


def rows_of(first: int, lines: Sequence[str]) -> Rows:
    """Return the rows of a sentence, with the faults of their columns and ids in `Rows.faults`.

    Args:
        first: number of the first line in the file.
        lines: of the sentence, with comments and blank lines.
    """
    rows, expected, are_counted = Rows(), 1, True
    for number, line in enumerate(lines, start=first):
        if not is_row(line):
            continue
        columns = cells(line.removeprefix("\ufeff"))
        fault = _columns_fault(columns)
        if columns[ID].isdecimal() and len(columns[ID]) < 10:
            fault = fault or _order_fault(columns[ID], expected)
            rows.words.append((number, columns))
            expected = int(columns[ID]) + 1
        elif fault:
            are_counted = False
        elif "-" in columns[ID]:
            fault = _range_fault(columns, expected - 1, rows.ranges)
            rows.ranges.append((number, columns))
        else:
            fault = node_fault(columns, expected - 1, [before for _, before in rows.nodes[-1:]])
            rows.nodes.append((number, columns))
        rows.faults += [(number, fault)] * bool(fault)
    if not rows.words and not rows.faults:
        rows.faults.append((first, "a sentence without words; add word lines or remove its comments"))
    elif are_counted:
        rows.faults = sorted([*rows.faults, *_outside_faults(rows)])
    return rows


def node_fault(columns: Sequence[str], word: int, before: Sequence[Sequence[str]]) -> str:
    """Return what is wrong with the columns of an empty node; empty if nothing.

    Args:
        word: number of the word that it stands behind.
        before: the columns of the empty nodes before it.
    """
    if fault := _columns_fault(columns):
        return fault
    id = columns[ID]
    if not NODE_ID.fullmatch(id):
        return f"{id[:20]!r} is not the id of an empty node (1.1)"
    after, number = map(int, id.split("."))
    if after != word:
        return f"empty node {id} must stand behind word {after}"
    last = before[-1][ID] if before else ""
    is_next = not last.startswith(f"{after}.") or int(last.partition(".")[2]) < number
    return "" if is_next else f"empty node {id} behind {last}; ids must run {after}.1, {after}.2 ..."


def _outside_faults(rows: Rows) -> Iterator[tuple[int, str]]:
    words = len(rows.words)
    for number, columns in rows.words:
        head = columns[HEAD] if len(columns) == COLUMNS else UNANNOTATED
        if head != UNANNOTATED and not (NUMBER.fullmatch(head) and int(head) <= words):
            yield number, f"head {head!r} is not a word of this sentence (0-{words})"
    for number, columns in rows.ranges[-1:]:
        if (last := bounds(columns)[1]) > words:
            yield number, f"range {columns[ID]} has no word {last}; the sentence has {words} words"


def _columns_fault(columns: Sequence[str]) -> str:
    if len(columns) != COLUMNS:
        hint = "check for spaces instead of tabs and for missing '_'"
        if len(columns) > COLUMNS:
            hint = f"is this CoNLL-U Plus? keep the first {COLUMNS} columns"
        return f"{len(columns)} tab-separated columns where CoNLL-U has {COLUMNS}; {hint}"
    if not _is_id(columns[ID]):
        return f"{columns[ID][:20]!r} is not a word id (1), range (1-2) or empty node (1.1)"
    for name, cell in zip(NAMES[FORM:DEPS], columns[FORM:DEPS], strict=True):
        bare = cell.strip()
        if not bare:
            return f"the {name} column is empty; write '_' if it is unknown"
        if bare != cell:
            return f"the {name} {cell!r} begins or ends with a space; take it out"
    return ""


@lru_cache(maxsize=10_000)
def _is_id(cell: str) -> bool:
    try:
        return not LONG_NUMBER.search(cell) and parse_id_value(cell) is not None
    except ParseException:
        return False


def _order_fault(id: str, expected: int) -> str:
    if int(id) == expected:
        return ""
    hint = "a blank line is missing before it" if int(id) == 1 else "ids must run 1, 2, 3 ..."
    return f"word id {id} where {expected} was expected; {hint}"


def _range_fault(columns: Sequence[str], words: int, ranges: Sequence[Row]) -> str:
    """Return why a range is not directly before its words, is too short, or overlaps another one."""
    id, (first, last) = columns[ID], bounds(columns)
    if last <= first:
        return f"range {id} has fewer than two words"
    if ranges and first <= bounds(ranges[-1][1])[1]:
        return f"range {id} overlaps range {ranges[-1][1][ID]}; a word is in one multiword token at most"
    return "" if first == words + 1 else f"range {id} must stand directly before word {first}"
