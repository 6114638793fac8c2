"""DEPS of CoNLL-U, enhanced dependencies: arcs of a word beside that of the tree, some from nodes that are no words.

Most words have the arc of the tree among them, some with an addition: ``4:nmod:of`` where the tree has ``4:nmod``. It
is written here as ``=``, or ``=:of``, so that it follows the tree whoever changes that; the other arcs stay. See
https://universaldependencies.org/u/overview/enhanced-syntax.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from fewshot.corpora.types import UNANNOTATED

TREE = "="
"""The head of the arc of the tree, whatever that is."""

NODE = re.compile(r"(0|[1-9][0-9]{0,8})(\.[1-9][0-9]{0,8})?")
"""Id of a word, of an empty node, or of the root."""

ARC = re.compile(rf"(=(:[^|\s]+)?|{NODE.pattern}:[^|\s]+)")
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
    return ordered(arcs)


def ordered(arcs: Iterable[str]) -> str:
    """Return the DEPS column of some arcs, each once, in the order of their heads."""
    return "|".join(sorted(set(arcs), key=_order)) or UNANNOTATED


def moved(column: str, name: Callable[[str], str | None]) -> str:
    """Return a DEPS column whose heads have other ids; what is no arc stays as it is.

    Args:
        column: as CoNLL-U has it.
        name: gives the new id of a head other than 0, or None where its arcs go.
    """
    kept = []
    for arc in column.split("|"):
        head = arc.partition(":")[0]
        new = name(head) if ARC.fullmatch(arc) and head not in ("0", TREE) else head
        kept += [] if new is None else [new + arc.removeprefix(head)]
    return "|".join(kept) or UNANNOTATED


def fault(column: str, ids: Collection[str]) -> str:
    """Return why something cannot be the arcs of a word; empty where it can.

    Args:
        column: see `relative`.
        ids: of the words and empty nodes that may be heads, and 0.
    """
    for arc in column.split("|") if column != UNANNOTATED else ():
        head = arc.partition(":")[0]
        if not ARC.fullmatch(arc):
            return f"{arc[:40]!r} is no enhanced dependency; write head:relation, as in 4:nsubj"
        if head != TREE and head not in ids:
            return f"the head of {arc[:40]!r} is no word or empty node of the sentence"
    return ""


def place(id: str) -> tuple[int, int]:
    """Return where a word or an empty node stands, from its id."""
    word, _, node = id.partition(".")
    return int(word), int(node or 0)


def _order(arc: str) -> tuple[tuple[int, int], str]:
    head, _, relation = arc.partition(":")
    return (place(head) if NODE.fullmatch(head) else (0, 0)), relation
