"""Find the words that an imported file changes, and the values of words, see `changed_values`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from annotate.editing.changed_values import CHANGEABLE_COLUMNS, CORRECTABLE_COLUMNS, fault
from annotate.editing.permitted_corrections import permitted_columns
from annotate.editing.state import WORDS
from annotate.exchange import fitting
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.formats.conllu_columns import with_asked
from fewshot.corpora.tokenization.edited import editable
from fewshot.corpora.tokenization.repair import named, retokenized
from fewshot.corpora.types import UNANNOTATED, Sentence, ranges_of


def importable_columns(store: Store, project: Project, task: str) -> tuple[str, ...]:
    """Return the columns that a file can change in words of a task.

    Columns of other tasks of the project are imported as annotation of those tasks.
    """
    of_tasks = {column for name in project.tasks for column in tasks.get(name).columns}
    corrected = (column for column in permitted_columns(store, project, task) if column not in of_tasks)
    return (*CHANGEABLE_COLUMNS, *corrected)


def filled_columns(examples: Sequence[Any], columns: Iterable[str]) -> list[str]:
    """Return which columns CoNLL-U examples have: some word has a value, which is not a model's.

    A file with enhanced dependencies has empty nodes too, and may have none.
    """
    read = [(example, _cells(example)) for example in examples if isinstance(example, Sentence) and example.lines]
    filled = {
        column
        for column in columns
        if any({*cells[column]} - {UNANNOTATED, ""} for example, cells in read if column not in example.predicted)
    }
    return [column for column in columns if column in filled or (column == "nodes" and "deps" in filled)]


def find_changes(own: Any, example: Any, given: Collection[str]) -> tuple[dict[str, list[str | None]], list[str]]:
    """Return the values of words that a sentence of a CoNLL-U file changes; other examples change nothing.

    Args:
        own: the example of the project.
        given: the columns to compare.

    Returns:
        The changed values by column, and messages about values that are left out because they are invalid in the
        project, such as an unknown tag.
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
        rows = list(zip(before[column], values_now, strict=True))
        own = replace(own, nodes=values_now) if column == "nodes" else own  # arcs may begin at each other's nodes
        faults = ["" if old == new else fault(own, column, new, word) for word, (old, new) in enumerate(rows, start=1)]
        messages += filter(None, faults)
        values = [None if old == new or wrong else new for (old, new), wrong in zip(rows, faults, strict=True)]
        own = replace(own, nodes=values) if column == "nodes" else own
        if any(value is not None for value in values):
            values_of[column] = values
    return values_of, messages


def find_words(own: Any, example: Any, joined: int, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words if they differ from the project's; multiword tokens that the format lacks stay."""
    if not isinstance(example, Sentence):
        return {}
    if not example.lines and before.get("words") == list(example.words) and not example.ends:
        return {name: before[name] for name in WORDS if name in before}
    if example.key == own.key and not example.ends:
        return named(own) if joined else {}
    names, spelled = named(replace(example, joined=joined)), fitting.like(own.text)
    ranges = names["ranges"] if example.lines else _carried_ranges(own, example.words)
    return names | {"ranges": [[first, last, spelled(form)] for first, last, form in ranges]}


def _carried_ranges(own: Sentence, words: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return the multiword tokens of a sentence whose words occur unchanged among other words."""
    blocks = SequenceMatcher(None, own.words, words, autojunk=False).get_matching_blocks()
    place = {block.a + n: block.b + n for block in blocks for n in range(block.size)}
    ranges = []
    for first, last, form in ranges_of(own):
        start, end = place.get(first - 1, -1), place.get(last - 1, -1)
        if start >= 0 and end - start == last - first:
            ranges.append((start + 1, end + 1, form))
    return ranges


def _is_missing(column: str, value: str) -> bool:
    """Return whether a file has no value of a word; blank features, MISC and DEPS are values."""
    return column in CORRECTABLE_COLUMNS and value == UNANNOTATED


def _cells(sentence: Sentence) -> dict[str, Sequence[str]]:
    """Return the columns of a sentence in which annotations have changed values."""
    filled = with_asked(sentence, Sentence.asked)
    return editable(to_model(sentence)) | {column: getattr(filled, column) for column in CORRECTABLE_COLUMNS}
