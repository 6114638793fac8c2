"""Find the values of words that an imported CoNLL-U file changes, see `changed_values`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from annotate.editing.changed_values import CHANGEABLE_COLUMNS, CORRECTABLE_COLUMNS, fault
from annotate.editing.permitted_corrections import permitted_columns
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.formats.conllu_columns import with_asked
from fewshot.corpora.tokenization.edited import editable
from fewshot.corpora.tokenization.repair import retokenized
from fewshot.corpora.types import UNANNOTATED, Sentence, ranges_of


def importable_columns(store: Store, project: Project, task: str) -> tuple[str, ...]:
    """Return the columns that a file can change in words of a task.

    Columns of other tasks of the project are imported as annotation of those tasks.
    """
    of_tasks = {column for name in project.tasks for column in tasks.get(name).columns}
    corrected = (column for column in permitted_columns(store, project, task) if column not in of_tasks)
    return (*CHANGEABLE_COLUMNS, *corrected)


def filled_columns(examples: Sequence[Any], columns: Iterable[str]) -> list[str]:
    """Return which columns CoNLL-U examples have: some word has a value, which is not a model's."""
    read = [(example, _cells(example)) for example in examples if isinstance(example, Sentence) and example.lines]
    return [
        column
        for column in columns
        if any({*cells[column]} - {UNANNOTATED, ""} for example, cells in read if column not in example.predicted)
    ]


def find_changes(own: Any, example: Any, given: Collection[str]) -> tuple[dict[str, list[str | None]], list[str]]:
    """Return the values of words that a sentence of a CoNLL-U file changes; other examples change nothing.

    Args:
        own: the example of the project.
        given: the columns to compare.

    Returns:
        The changed values by column, and messages about values that are left out because they are invalid in the
        project, such as an arc from an empty node that the project does not have.
    """
    if not isinstance(example, Sentence) or not example.lines:
        return {}, []
    own = retokenized(own, example.words, ranges_of(example), example.ends, own.joined)
    before, now = _cells(own), _cells(example)
    values_of: dict[str, list[str | None]] = {}
    messages: list[str] = []
    for column in given:
        pairs = zip(before[column], now[column], strict=True)
        values_now = [old if _is_missing(column, new) else new for old, new in pairs]
        rows = list(zip(before[column], values_now, example.words, strict=True))
        faults = ["" if old == new else fault(own, column, new, form) for old, new, form in rows]
        messages += filter(None, faults)
        values = [None if old == new or wrong else new for (old, new, _), wrong in zip(rows, faults, strict=True)]
        if any(value is not None for value in values):
            values_of[column] = values
    return values_of, messages


def _is_missing(column: str, value: str) -> bool:
    """Return whether a file has no value of a word; blank features, MISC and DEPS are values."""
    return column in CORRECTABLE_COLUMNS and value == UNANNOTATED


def _cells(sentence: Sentence) -> dict[str, tuple[str, ...]]:
    """Return the columns of a sentence in which annotations have changed values."""
    filled = with_asked(sentence, Sentence.asked)
    cells = dict(zip(CHANGEABLE_COLUMNS, zip(*map(editable, to_model(sentence).words), strict=True), strict=True))
    return cells | {column: getattr(filled, column) for column in CORRECTABLE_COLUMNS}
