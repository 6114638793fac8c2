"""DEPS of CoNLL-U: enhanced dependencies, the arcs of a word besides that of the tree.

Most words have the arc of the tree among them, some with an addition: ``4:nmod:of`` where the tree has ``4:nmod``.
Stored values write this arc as ``=`` or ``=:of``, so that it follows changes of the tree. See
https://universaldependencies.org/u/overview/enhanced-syntax.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from fewshot.corpora.documents.cells import UNANNOTATED

TREE = "="
"""Stands for the head and relation of the tree."""

NODE = re.compile(r"(0|[1-9][0-9]{0,8})(\.[1-9][0-9]{0,8})?")
"""Id of a word, an empty node, or the root."""

ARC = re.compile(rf"(=(:[^|\s]+)?|{NODE.pattern}:[^|\s]+)")
"""One arc; after `TREE` only the addition to the relation is written."""


def make_relative(column: str, head: str, relation: str) -> str:
    """Return a DEPS column with `TREE` in place of the arc of the tree.

    If several arcs may be that of the tree, the one without an addition is taken.
    """
    if UNANNOTATED in (column, head, relation):
        return column
    basic, arcs = f"{head}:{relation}", column.split("|")
    tree_arc = next((arc for arc in sorted(arcs, key=len) if arc == basic or arc.startswith(f"{basic}:")), None)
    return "|".join(TREE + arc.removeprefix(basic) if arc == tree_arc else arc for arc in arcs)


def with_tree(column: str, head: str, relation: str) -> str:
    """Return a DEPS column as `make_relative` does, with the arc of the tree even if the column lacks it."""
    relative = make_relative(column, head, relation)
    return relative if TREE in relative else f"{TREE}|{relative}"


def resolve(column: str, head: str, relation: str) -> str:
    """Return a sorted DEPS column with the arc of the tree filled in; without that arc when it is open.

    The root never has an addition.
    """
    if column == UNANNOTATED:
        return column
    is_open = UNANNOTATED in (head, relation)
    arcs = {
        arc if not arc.startswith(TREE) else f"{head}:{relation}{arc.removeprefix(TREE) if head != '0' else ''}"
        for arc in column.split("|")
        if not (is_open and arc.startswith(TREE))
    }
    return join_arcs(arcs)


def join_arcs(arcs: Iterable[str]) -> str:
    """Return the DEPS column of distinct arcs in the order of their heads."""
    return "|".join(sorted(set(arcs), key=_order)) or UNANNOTATED


def renumber(column: str, name: Callable[[str], str | None]) -> str:
    """Return a DEPS column with renumbered heads; invalid arcs stay unchanged.

    Args:
        name: returns the new id of a head other than 0, or None to remove its arcs.
    """
    kept = []
    for arc in column.split("|"):
        head = arc.partition(":")[0]
        new = name(head) if ARC.fullmatch(arc) and head not in ("0", TREE) else head
        kept += [] if new is None else [new + arc.removeprefix(head)]
    return "|".join(kept) or UNANNOTATED


def fault(column: str, ids: Collection[str]) -> str:
    """Return why a value is not a valid DEPS column; empty when valid.

    Args:
        column: see `make_relative`.
        ids: of words and empty nodes that may be heads, and 0.
    """
    for arc in column.split("|") if column != UNANNOTATED else ():
        head = arc.partition(":")[0]
        if not ARC.fullmatch(arc):
            return f"{arc[:40]!r} is not an enhanced dependency; write head:relation, as in 4:nsubj"
        if head != TREE and head not in ids:
            return f"the head of {arc[:40]!r} is not a word or empty node of the sentence"
    return ""


def place(id: str) -> tuple[int, int]:
    """Return the position of a word or an empty node from its id."""
    word, _, node = id.partition(".")
    return int(word), int(node or 0)


def _order(arc: str) -> tuple[tuple[int, int], str]:
    head, _, relation = arc.partition(":")
    return (place(head) if NODE.fullmatch(head) else (0, 0)), relation
