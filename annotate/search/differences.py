"""What a change makes different in an example, by column and word, as shown in its preview."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from annotate.search.settings import COLUMNS
from fewshot.corpora.types import UNANNOTATED
from fewshot.tasks.dep import ROOT

Differences: TypeAlias = Mapping[str, tuple[int, ...]]
"""Numbers of the words that differ, by column; none for a label."""


def find(columns: Collection[str], before: Any, after: Any) -> Differences:
    """Return the differences in some columns."""
    differing: dict[str, tuple[int, ...]] = {}
    for column in (name for name in COLUMNS if name in columns):
        old, new = getattr(before, column), getattr(after, column)
        if column == "label" and old != new:
            differing[column] = ()
        elif old != new:
            rows = zip(old or (UNANNOTATED,) * len(new), new, strict=True)
            differing[column] = tuple(word for word, (was, now) in enumerate(rows, start=1) if was != now)
    return {column: words for column, words in differing.items() if words or column == "label"}


def with_whole_entity(differing: Differences, span: tuple[int, int] | None) -> Differences:
    """Return the differences with all words of a hit whose entity changes."""
    return {"entities": tuple(range(span[0], span[1] + 1))} if span and "entities" in differing else differing


def words(differing: Differences) -> tuple[int, ...]:
    """Return the words that differ in some column, in order."""
    return tuple(sorted({word for numbers in differing.values() for word in numbers}))


def describe(example: Any, differing: Differences) -> str:
    """Return the values of an example that differ."""
    return " · ".join(
        example.label if column == "label" else " ".join(_value(example, column, word) for word in numbers)
        for column, numbers in differing.items()
    )


def _value(example: Any, column: str, word: int) -> str:
    values = getattr(example, column) or (UNANNOTATED,) * len(example.words)
    value: Any = values[word - 1]
    if column != "heads":
        return str(value)
    return ROOT if value == 0 else "_" if value < 0 else f"{value} {example.words[value - 1]}"
