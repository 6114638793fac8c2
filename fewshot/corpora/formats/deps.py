"""DEPS of CoNLL-U, enhanced dependencies: arcs of a word beside that of the tree, some from nodes that are no words.

Most words have the arc of the tree among them, some with an addition: ``4:nmod:of`` where the tree has ``4:nmod``. It
is written here as ``=``, or ``=:of``, so that it follows the tree whoever changes that; the other arcs stay. See
https://universaldependencies.org/u/overview/enhanced-syntax.html.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from fewshot.corpora.types import UNANNOTATED

TREE = "="
"""The head of the arc of the tree, whatever that is."""

ARC = re.compile(r"(=(:[^|\s]+)?|(0|[1-9]\d*)(\.[1-9]\d*)?:[^|\s]+)")
"""One arc; the relation of `TREE` is only what it has beside that of the tree."""


def relative(column: str, head: str, relation: str) -> str:
    """Return a DEPS column with `TREE` in place of the arc of the tree, which is given as CoNLL-U has it.

    Where several arcs may be that of the tree, the one without an addition is.
    """
    if UNANNOTATED in (column, head, relation):
        return column
    basic, arcs = f"{head}:{relation}", column.split("|")
    found = next((arc for arc in sorted(arcs, key=len) if arc == basic or arc.startswith(f"{basic}:")), None)
    return "|".join(TREE + arc.removeprefix(basic) if arc == found else arc for arc in arcs)


def resolved(column: str, head: str, relation: str) -> str:
    """Return a DEPS column for a tree in which a word has this arc, in order; without it where that is open.

    The root has nothing beside it.
    """
    if column == UNANNOTATED:
        return column
    is_open = UNANNOTATED in (head, relation)
    arcs = {
        arc if not arc.startswith(TREE) else f"{head}:{relation}{arc.removeprefix(TREE) if head != '0' else ''}"
        for arc in column.split("|")
        if not (is_open and arc.startswith(TREE))
    }
    return "|".join(sorted(arcs, key=_order)) or UNANNOTATED


def fault(column: str, ids: Collection[str]) -> str:
    """Return why something cannot be the arcs of a word; empty where it can.

    Args:
        column: see `relative`.
        ids: of the words and empty nodes that may be heads, and 0.
    """
    for arc in column.split("|") if column != UNANNOTATED else ():
        head = arc.partition(":")[0]
        if not ARC.fullmatch(arc):
            return f"{arc!r} is no enhanced dependency; write head:relation, as in 4:nsubj"
        if head != TREE and head not in ids:
            return f"the head of {arc!r} is no word or empty node of the sentence"
    return ""


def place(id: str) -> tuple[int, int]:
    """Return where a word or an empty node stands, from its id."""
    word, _, node = id.partition(".")
    return int(word), int(node or 0)


def _order(arc: str) -> tuple[tuple[int, int], str]:
    head, _, relation = arc.partition(":")
    return (place(head) if re.fullmatch(r"\d+(\.\d+)?", head) else (0, 0)), relation
