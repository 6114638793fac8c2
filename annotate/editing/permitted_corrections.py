"""Corrections that a project permits in the annotation of a tree; `changed_values` merges them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from annotate.editing import changed_values, content
from annotate.store import Item, Project, Store
from fewshot import tasks
from fewshot.corpora.formats.conllu_columns import filled_columns
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks.pos import UPOS_COLUMN


def permitted_columns(store: Store, project: Project, task: str) -> tuple[str, ...]:
    """Return the columns that annotators see in a tree and may correct.

    These are columns of the files, unless gold is hidden, and of other tasks of the project.
    """
    if "heads" not in tasks.get(task).columns:
        return ()
    seen = {column for name in project.tasks for column in tasks.get(name).columns}
    if not project.hides_gold:
        seen |= _of_files(store, project.id, project.created, project.pool_size + project.test_size)
    return tuple(column for column in changed_values.CORRECTABLE_COLUMNS if column in seen)


def without_hidden(store: Store, project: Project, task: str, annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an annotation without corrections of columns that are hidden as gold."""
    if not project.hides_gold:
        return dict(annotation)
    kept = {*tasks.get(task).columns, *permitted_columns(store, project, task)}
    return {
        name: value
        for name, value in annotation.items()
        if name not in changed_values.CORRECTABLE_COLUMNS or name in kept
    }


def asks_tags(project: Project, item: Item, original: Any) -> bool:
    """Return whether the annotation of a tree includes UPOS tags of words that were split.

    True if the project annotates trees but no tags, and the file has a tag for every word.
    """
    columns = {column for name in project.tasks for column in tasks.get(name).columns}
    if "heads" not in tasks.get(item.task).columns or UPOS_COLUMN in columns:
        return False
    return isinstance(original, Sentence) and UNANNOTATED not in original.upos


@lru_cache(maxsize=64)
def _of_files(store: Store, project_id: int, created: datetime, size: int) -> frozenset[str]:
    """Return the columns that have a value of some word anywhere in the files.

    Args:
        created: creation time of the project, which distinguishes it from a deleted project with the same id.
        size: of pool and test set, which grow when text is added.
    """
    blank = set(changed_values.CORRECTABLE_COLUMNS)
    for row in store.examples(project_id):
        read = row.content  # an example is not made of it, which takes longer than to look for values
        if read["type"] != Sentence.__name__ or not blank:
            break
        blank -= filled_columns(read, content.conllu_lines(read), blank)
    return frozenset(changed_values.CORRECTABLE_COLUMNS) - blank
