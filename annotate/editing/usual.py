"""Values that words of each tag have had in a project, which editors offer where they are typed.

They are those of the newest sentences that somebody has finished, and of the first ones of the pool's files, unless
gold is hidden.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from annotate.editing import content
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.types import UNANNOTATED, Sentence

READ = 1000
"""Sentences of the pool that are counted."""

MOST = 30
"""Values of a tag that are offered."""

LISTED = ("xpos", "feats")
"""Columns whose values come again and again."""

Usual: TypeAlias = Mapping[str, Mapping[str, list[str]]]
"""For each column, the values of the words of each tag, commonest first."""


def usual(store: Store, project: Project, task: str, finished: tuple[int, ...]) -> Usual:
    """Return the values that words of each tag have had; nothing of a task without such columns.

    Args:
        finished: ids of the revisions of finished sentences that count.
    """
    columns = tuple(column for column in LISTED if column in tasks.get(task).columns)
    if not columns:
        return {}
    return _counted(store, project.id, project.created, columns, finished, not project.hides_gold)


@lru_cache(maxsize=64)
def _counted(
    store: Store, project_id: int, created: datetime, columns: tuple[str, ...], finished: tuple[int, ...], files: bool
) -> Usual:
    """Return the same.

    Args:
        created: tells a project from one that was deleted and had its ids.
        files: whether those of the files count too.
    """
    annotations = [revision.annotation for revision in store.revisions(finished)]
    if files:
        annotations += _of_files(store, project_id, created, columns)
    return {column: _ranked((each.get("upos", ()), each.get(column, ())) for each in annotations) for column in columns}


@lru_cache(maxsize=64)
def _of_files(store: Store, project_id: int, created: datetime, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    sentences = (content.from_json(row.content) for row in islice(store.examples(project_id, "pool"), READ))
    return [
        {column: getattr(sentence, column) for column in ("upos", *columns)}
        for sentence in sentences
        if isinstance(sentence, Sentence)
    ]


def _ranked(pairs: Iterable[tuple[Iterable[str], Iterable[str]]]) -> dict[str, list[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for tags, values in pairs:
        for tag, value in zip(tags, values, strict=False):  # a column may be open as a whole
            if UNANNOTATED not in (tag, value):
                counts[tag][value] += 1
    return {tag: [value for value, _ in found.most_common(MOST)] for tag, found in counts.items()}
