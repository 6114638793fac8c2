"""The records that `Store` takes and returns; `annotate.store.tables` has the table of each.

Ids are given by the database and rise; all times are in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Column, Row, Table

A = TypeVar("A")
B = TypeVar("B")

AUTO = "auto"
"""As `NewProject.source_model`: the source model of the language ranked first."""


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may sign in; ``role`` is annotator, curator or admin."""

    id: int
    name: str
    role: str
    active: bool


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which a user is signed in until ``expires``; ``browser`` is its name for itself."""

    id: int
    user_id: int
    browser: str
    created: datetime
    expires: datetime


@dataclass(frozen=True, slots=True)
class NewProject:
    """A project to create: a language, and what is annotated.

    Args:
        kind: of the examples: sentences, pairs, documents or articles.
        labels: label space of each task.
        sampler: how shots are drawn.
        k: shots a draw.
        seed: of draws and assignments, 64 bits.
        blind_share: share of the shots that are annotated without suggestions, 0 to 1.
        double_share: share of the shots that two people annotate, 0 to 1.
        wage: per hour, in `currency`.
        currency: three letters.
        guidelines: Markdown, may be empty.
        level: validator level of Universal Dependencies.
        source: where the pool is from.
        encoder: trains, suggests and draws: ``mini``, a hub id, or a folder on the machine that computes.
        hides_gold: whether the labels of the imported file are gold that annotators do not see; else annotators
            continue from these labels.
        suggester: whose suggestions annotators see, see `annotate.store.remarks.SUGGESTERS`.
        source_model: which source model of the encoder is continued: empty for the newest, `AUTO`, else the languages
            that it has learned from, with commas.
        learns: whether a model learns from each finished item in the background, see `annotate.worker.learn`.
    """

    name: str
    lang: str
    tasks: tuple[str, ...]
    kind: str
    labels: dict[str, list[str]]
    sampler: str
    k: int
    seed: int
    blind_share: float
    double_share: float
    wage: float
    currency: str
    guidelines: str
    level: int
    source: str
    encoder: str
    hides_gold: bool
    suggester: str
    source_model: str
    learns: bool


@dataclass(frozen=True, slots=True)
class Project(NewProject):
    """A project with the sizes of its pool and test set, in examples; lists leave out an archived project."""

    id: int
    pool_size: int
    test_size: int
    created: datetime
    archived: bool


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a project, as JSON (`annotate.editing.content`).

    Args:
        position: from 0, in the order in which the project got its examples.
        split: ``pool``, ``test``, or ``rest``, of which nothing is drawn and which comes back at export; ``joined
            pool`` and so on where the example belongs to the sentence before it, see `annotate.store.joins`.
        key: the example's own id in the corpus.
        length: in tokens, with the tokens of the sentences that are joined to it.
        content: see `annotate.editing.content.to_json`; only what is joined to it changes.
    """

    id: int
    project_id: int
    position: int
    split: str
    key: str
    length: int
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Round:
    """One draw; ``number`` counts from 1 in its project, ``purpose`` is shots, test or review, ``seed`` has 64 bits."""

    id: int
    project_id: int
    number: int
    purpose: str
    sampler: str
    k: int
    seed: int
    created: datetime


@dataclass(frozen=True, slots=True)
class NewItem:
    """An assignment to add; without an annotator, whoever comes first gets it."""

    example_id: int
    task: str
    annotator: str | None = None
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An assignment: one task on one example for one person.

    Args:
        annotator: None until somebody takes the item.
        purpose: of its round.
        position: from 0 in its round.
        blind: whether suggestions stay hidden.
        status: ``open``, ``skipped``, ``done``, or ``joined``, see `annotate.store.joins`.
        flagged: whether the item is marked for a second look.
    """

    id: int
    round_id: int
    example_id: int
    task: str
    annotator: str | None
    purpose: str
    position: int
    blind: bool
    status: str
    flagged: bool


@dataclass(frozen=True, slots=True)
class Revision:
    """A saved annotation; a revision is never changed or removed.

    A page counts seconds and edits of an item from when it was opened, over all visits to the item, and sends the sums
    so far: what an item took is the sum over the pages of the newest revision of each page.

    Args:
        client: which open page sent the revision.
        seq: number that the page gave it, 64 bits.
        annotation: the whole annotation as JSON.
        done: whether the person calls it finished.
        seconds: active seconds of this page on the item so far.
        edits: changes made by this page to the item so far.
        suggestion_id: the suggestion when the page was opened, if there was one; shown unless the item is blind.
        second_suggestion: id of the suggestion of another model beside it, if there was one.
    """

    id: int
    item_id: int
    annotator: str
    client: str
    seq: int
    annotation: dict[str, Any]
    done: bool
    seconds: float
    edits: int
    suggestion_id: int | None
    second_suggestion: int | None
    created: datetime


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an example; ``about`` names a word, such as ``3 mar``, or is empty: the whole example is meant."""

    id: int
    example_id: int
    task: str
    author: str
    text: str
    created: datetime
    about: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a model proposes; the newest suggestion of an example and a source counts.

    Args:
        model: a title that no two models share: task, name, and a hash of what decides the model's suggestions.
        source: ``encoder`` or ``llm``: a model that was trained, or a model that was asked.
    """

    id: int
    example_id: int
    task: str
    model: str
    source: str
    data: dict[str, Any]
    created: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """Work that the app leaves to a process beside it.

    Args:
        kind: see `annotate.worker.run.KINDS`.
        args: see the module of its kind.
        state: ``queued``, ``running``, ``done``, ``failed`` or ``cancelled``.
        progress: 0 to 1.
        attempts: how many workers have claimed the job and did not put it back; with ``started`` it tells a worker that
            was given up for dead that the job is another worker's.
        error: why the job failed; of a job that is done, what people should know of how.
        pid: of the newest worker.
        host: of the newest worker, or of the worker that the job waits for, see `annotate.worker.settings.host`.
        heartbeat: when its worker, or the worker that it waits for, was last heard of.
        started: by the newest worker.
        ended: when the job was over.
    """

    id: int
    project_id: int
    kind: str
    args: dict[str, Any]
    state: str
    progress: float
    message: str
    error: str | None
    attempts: int
    pid: int | None
    host: str | None
    heartbeat: datetime | None
    created: datetime
    started: datetime | None
    ended: datetime | None


def columns(table: Table, record: type) -> tuple[Column[Any], ...]:
    """Return the columns of a record's fields in the order of the fields, to select: ``Round(*row)``."""
    return tuple(table.c[field.name] for field in fields(record))


def pairs(rows: Iterable[Row[Any]], first: type[A], second: type[B]) -> list[tuple[A, B | None]]:
    """Return the two records of each joined row; the second is None where an outer join found no row for it."""
    size = len(fields(first))  # type: ignore[arg-type]
    return [(first(*row[:size]), None if row[size] is None else second(*row[size:])) for row in rows]
