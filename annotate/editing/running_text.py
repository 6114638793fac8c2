"""The open sentence in its text: its place in the document, and the sentences around it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from annotate.editing import content
from annotate.store import REVIEW, Item, Project, Store, StoredExample, is_joined
from fewshot.corpora.documents.comments import comment, comments_above
from fewshot.corpora.tokenization.joining import with_following

NEIGHBOURS = 2
"""Sentences shown before and after the open one."""

FETCHED = NEIGHBOURS + 4
"""Rows read before and after, because some may be joined to the sentence before them."""

NEWDOC = "newdoc"
"""The comment of CoNLL-U with which a document begins."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The text of a sentence near the open one, and the annotator's own item of it, if any."""

    text: str
    item: int | None


@dataclass(frozen=True, slots=True)
class RunningText:
    """The text around a sentence.

    Args:
        document: name of its file, with the id of its document if the file names one; empty if unknown.
        number: place of the sentence in the document, from 1.
        all: number of sentences of the document.
        before: the sentences before it in the document, in order.
        after: the sentences after it.
    """

    document: str
    number: int
    all: int
    before: Sequence[Neighbour]
    after: Sequence[Neighbour]


def around(store: Store, project: Project, item: Item) -> RunningText:
    """Return the text around an item's sentence."""
    rows = store.following(item.example_id, FETCHED, before=FETCHED)
    place = next(row.position for row in rows if row.id == item.example_id)
    starts, names = _documents(store, project.id, project.created, project.pool_size + project.test_size)
    number = bisect_right(starts, place) - 1
    first, end = starts[number], starts[number + 1]
    near = [row for row in rows if first <= row.position < end and not is_joined(row.split)]
    before = [row for row in near if row.position < place][-NEIGHBOURS:]
    after = [row for row in near if row.position > place][:NEIGHBOURS]
    own = _own_items(store, item, [*before, *after])
    shown = [[Neighbour(_text(row), own.get(row.id)) for row in part] for part in (before, after)]
    return RunningText(names[number], place - first + 1, end - first, *shown)


def _own_items(store: Store, item: Item, rows: Sequence[StoredExample]) -> Mapping[int, int]:
    """Return the annotator's items of some examples in the task of an item; none for a review."""
    if item.purpose == REVIEW:
        return {}
    saved = store.saved_items([row.id for row in rows])
    mine = (each for pairs in saved.values() for each, _ in pairs if each.annotator == item.annotator)
    return {each.example_id: each.id for each in mine if each.task == item.task and each.purpose != REVIEW}


def _text(row: StoredExample) -> str:
    sentence: Any = content.from_json(row.content)
    return str(with_following(sentence, len(sentence.following)).text)


@lru_cache(maxsize=32)
def _documents(store: Store, project_id: int, created: datetime, size: int) -> tuple[list[int], list[str]]:
    """Return the first position of each document, with the end of the last one, and the documents' names.

    Args:
        created: creation time of the project, which distinguishes it from a deleted project with the same id.
        size: of pool and test set, which grow when text is added.
    """
    starts, names, last, end = list[int](), list[str](), None, 0
    for position, where, example in store.origins(project_id, f"# {NEWDOC}"):
        path, id = where.rpartition(":")[0], _document_id(example)
        if path != last or id is not None:
            starts.append(position)
            names.append(" · ".join(filter(None, (PurePath(path).name, id))))
        last, end = path, position + 1
    return [*starts, end], names


def _document_id(example: Mapping[str, Any] | None) -> str | None:
    """Return the id of the document that begins with a sentence, which may be empty; None if none begins."""
    comments = map(comment, comments_above(example.get("lines", ()) if example else ()))
    return next((value for key, value in comments if key.partition(" ")[0] == NEWDOC), None)
