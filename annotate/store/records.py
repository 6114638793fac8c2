"""What the store gives back: frozen records, one type a table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may sign in; ``role`` is annotator, curator or admin."""

    id: int
    name: str
    role: str
    active: bool


@dataclass(frozen=True, slots=True)
class NewProject:
    """A project to make: a language, and what is annotated.

    Args:
        name: what people call it.
        lang: language code.
        tasks: names of tasks.
        kind: what the examples are: sentences, pairs, documents or articles.
        labels: label space of each task.
        sampler: how shots are drawn.
        k: shots a draw.
        seed: of draws and assignments.
        blind_share: share of the shots that are annotated without suggestions, 0 to 1.
        double_share: share that two people annotate, 0 to 1.
        wage: per hour, in `currency`.
        currency: three letters.
        guidelines: Markdown, may be empty.
        level: validator level of Universal Dependencies.
        source: where the pool is from.
        encoder: whose models train, suggest and draw: ``mini``, a hub id, or a folder on the machine that computes.
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


@dataclass(frozen=True, slots=True)
class Project(NewProject):
    """A project with its pool and test set.

    Args:
        id: given by the store.
        pool_size: examples of the pool.
        test_size: examples of the test set.
        created: in UTC.
    """

    id: int
    pool_size: int
    test_size: int
    created: datetime


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a project, as JSON (`annotate.editing.content`).

    Args:
        id: given by the store.
        project_id: whose it is.
        position: from 0, in the order in which the project got them.
        split: ``pool`` or ``test``.
        key: its own id in the corpus.
        length: in tokens.
        content: see `annotate.editing.content.to_json`.
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
    """One draw; ``number`` counts from 1 in its project, ``purpose`` is shots, test or review."""

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
        id: given by the store.
        round_id: whose it is.
        example_id: what is annotated.
        task: for what.
        annotator: by whom; None until somebody takes it.
        purpose: of its round.
        position: from 0 in its round.
        blind: whether suggestions stay hidden.
        status: ``open``, ``skipped`` or ``done``.
        flagged: for a second look.
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
    """A saved annotation; none is ever changed or removed.

    A page counts seconds and edits of an item from when it was opened, over all visits to the item, and sends the sums
    so far: what an item took is the sum over the pages of what the newest revision of each says.

    Args:
        id: given by the store, rising.
        item_id: what was annotated.
        annotator: by whom.
        client: which open page sent it.
        seq: number that the page gave it.
        annotation: the whole annotation as JSON.
        done: whether the person calls it finished.
        seconds: active ones of this page on the item so far.
        edits: changes made by this page to the item so far.
        suggestion_id: what a model proposed when the page was opened, if anything; shown unless the item is blind.
        created: in UTC.
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
    created: datetime


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on an example."""

    id: int
    example_id: int
    task: str
    author: str
    text: str
    created: datetime


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a model proposes; the newest of an example counts."""

    id: int
    example_id: int
    task: str
    model: str
    data: dict[str, Any]
    created: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """What one person has done of one task.

    Args:
        task: which.
        purpose: shots, test or review.
        annotator: who; None for what nobody has taken.
        total: items.
        done: items called finished.
        skipped: items put aside.
        flagged: items for a second look.
        seconds: active ones, over all pages; see `Revision`.
        edits: likewise.
        tokens: of the examples that are done.
    """

    task: str
    purpose: str
    annotator: str | None
    total: int
    done: int
    skipped: int
    flagged: int
    seconds: float
    edits: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Job:
    """Work for a process of its own.

    Args:
        id: given by the store, rising.
        project_id: what it is about.
        kind: see `annotate.worker.run.KINDS`.
        args: see the module of its kind.
        state: ``queued``, ``running``, ``done``, ``failed`` or ``cancelled``.
        progress: 0 to 1.
        message: what it does now.
        error: why it failed.
        attempts: workers that have claimed it so far and did not put it back; with ``started`` it tells one that was
            given up for dead that the job is another's.
        pid: of the newest worker.
        host: of the newest worker.
        heartbeat: when its worker, or the process that waits to be it, was last heard of.
        created: in UTC, like all times.
        started: by the newest worker.
        ended: when it was over.
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
