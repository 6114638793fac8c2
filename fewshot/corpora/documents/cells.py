"""Values of cells with several items: FEATS, MISC and DEPS. Each keeps the text of its cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

UNANNOTATED = "_"
"""The value of a column or label that nobody has annotated, as in CoNLL-U."""

BEGUN = "begun"
"""The mark in files of an example whose annotation is begun and not finished."""


class Arc(NamedTuple):
    """An enhanced dependency of a word: the id of its head (``4``, ``2.1`` or ``0``) and the relation."""

    head: str
    relation: str


@dataclass(frozen=True, slots=True)
class Items(Mapping[str, str]):
    """The ``key=value`` items of FEATS or MISC, in order.

    ``str()`` gives the cell, with items that have no value.
    """

    text: str = UNANNOTATED

    def __getitem__(self, key: str) -> str:
        return pairs(self.text)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(pairs(self.text))

    def __len__(self) -> int:
        return len(pairs(self.text))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Arcs:
    """The enhanced dependencies of a word, from DEPS; ``str()`` gives the cell."""

    text: str = UNANNOTATED

    def __iter__(self) -> Iterator[Arc]:
        arcs = (arc.partition(":") for arc in self.text.split("|") if arc != UNANNOTATED)
        return (Arc(head, relation) for head, _, relation in arcs)

    def __len__(self) -> int:
        return 0 if self.text == UNANNOTATED else self.text.count("|") + 1

    def __str__(self) -> str:
        return self.text


items = lru_cache(1 << 15)(Items)
"""Return the items of a cell; words with the same cell share them."""

arcs = lru_cache(1 << 15)(Arcs)
"""Return the arcs of a cell; words with the same cell share them."""


def pairs(column: str) -> dict[str, str]:
    """Return the ``key=value`` items of a MISC or FEATS column."""
    parts = (item.partition("=") for item in column.split("|"))
    return {key.strip(): value.strip() for key, equals, value in parts if equals}
