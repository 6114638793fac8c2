"""The records that `Store` takes and returns, one for each table of `annotate.store.tables`.

The database assigns rising ids; all times are in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

AUTO = "auto"
"""Value of `NewProject.source_model` for the source model that ranks first for the language."""

SHOTS, TEST, REVIEW = "shots", "test", "review"
"""Purposes of rounds: training data, test data, and reviews by a curator."""


@dataclass(frozen=True, slots=True)
class User:
    """A user; ``role`` is annotator, curator or admin, and only an ``active`` user may sign in."""

    id: int
    name: str
    role: str
    active: bool


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which a user is signed in until ``expires``; ``browser`` is its user agent."""

    id: int
    user_id: int
    browser: str
    created: datetime
    expires: datetime


@dataclass(frozen=True, slots=True)
class NewProject:
    """The settings of a project to create.

    Args:
        kind: of the examples: sentences, pairs, documents or articles.
        labels: label space of each task.
        sampler: query strategy that draws the shots.
        k: shots per draw.
        seed: of draws and assignments, 64 bits.
        blind_share: share of the shots that are annotated without suggestions, 0 to 1.
        double_share: share of the shots that two people annotate, 0 to 1.
        wage: per hour, in `currency`.
        currency: three letters.
        guidelines: Markdown, may be empty.
        level: validator level of Universal Dependencies.
        source: origin of the pool.
        encoder: ``mini``, a hub id, or a folder on the machine that runs the worker.
        hides_gold: whether the labels of the imported file are gold that annotators do not see; else annotators
            start from these labels.
        suggester: source of the suggestions, see `annotate.store.remarks.SUGGESTERS`.
        source_model: that training continues: empty for the newest, `AUTO`, else comma-separated source languages.
        learns: whether a model learns from each finished item in the background, see `annotate.worker.learn`.
        nested: whether an entity may be inside another one.
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
    nested: bool


@dataclass(frozen=True, slots=True)
class Project(NewProject):
    """A stored project; the sizes count examples, and lists leave out archived projects."""

    id: int
    pool_size: int
    test_size: int
    created: datetime
    archived: bool

    @property
    def scope(self) -> str:
        """Id and creation time: a new project may have the id of a deleted one."""
        return f"{self.id} {self.created:%Y%m%d%H%M%S}"


@dataclass(frozen=True, slots=True)
class StoredExample:
    """An example of a project, stored as JSON (`annotate.editing.content`).

    Args:
        position: from 0, in the order of import.
        split: ``pool``, ``test``, or ``rest`` (never drawn, but exported again); prefixed with ``joined `` while
            the example is part of the sentence before it, see `annotate.store.joins`.
        key: id of the example in its corpus.
        length: in tokens, including the sentences that are joined to the example.
        content: see `annotate.editing.content.to_json`; only its joined sentences change.
    """

    id: int
    project_id: int
    position: int
    split: str
    key: str
    length: int
    content: dict[str, Any]


REST = "rest"
"""Split of the examples that no sampler draws, because of their length or a text that stands elsewhere too."""


@dataclass(frozen=True, slots=True)
class Round:
    """One draw; ``number`` counts from 1 per project, ``purpose`` is shots, test or review."""

    id: int
    project_id: int
    number: int
    purpose: str
    sampler: str
    k: int
    seed: int
    created: datetime


@dataclass(frozen=True, slots=True)
class Item:
    """An assignment: one task on one example for one person.

    Args:
        annotator: None until somebody takes the item.
        position: from 0 in its round.
        blind: whether suggestions are hidden.
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


class Acknowledged(NamedTuple):
    """The newest save of a page: the number that the page gave it, and the id of the revision."""

    seq: int
    revision: int


@dataclass(frozen=True, slots=True)
class Revision:
    """A saved annotation; a revision is never changed or removed.

    A page counts the seconds and edits of an item since it was opened and sends running totals. The effort of an item
    is therefore the sum, over its pages, of the newest revision of each page.

    Args:
        client: id of the open page that sent the revision.
        seq: number that the page gave the revision, 64 bits.
        annotation: the whole annotation as JSON.
        done: whether the annotator marked the item as finished.
        seconds: active seconds of this page on the item so far.
        edits: changes made by this page to the item so far.
        suggestion_id: the suggestion at the time the page was opened; hidden if the item is blind.
        second_suggestion: id of the suggestion of a second model.
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
    """A comment on an example; ``about`` names a word, such as ``3 mar``, or is empty."""

    id: int
    example_id: int
    task: str
    author: str
    text: str
    created: datetime
    about: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model's proposed annotation; only the newest one of an example and a source is shown.

    ``model`` is a unique title: task, name, and a hash of everything that determines the suggestions. ``source`` is
    ``encoder`` or ``llm``.
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
    """Work that a process outside of the app does.

    Args:
        kind: see `annotate.worker.run.KINDS`.
        args: see the module of its kind.
        state: ``queued``, ``running``, ``done``, ``failed`` or ``cancelled``.
        progress: 0 to 1.
        attempts: number of claims that were not put back; with ``started`` it identifies the claim, so that a worker
            that was given up for dead notices that another worker has the job.
        error: why the job failed; for a job that is done, a remark on how.
        pid: of the newest worker.
        host: of the newest worker, or of the worker that the job waits for, see `annotate.worker.settings.host`.
        heartbeat: time of the last heartbeat of that worker.
        started: time of the newest claim.
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


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions of a newly trained model on examples that it was not trained on.

    Args:
        encoder: of the project when the model was trained, like `source_model`.
        model: folder of the model, on the machine that trained it.
        k: number of shots of the training.
        scored_on: see `fewshot.curves.results.Result`.
        predictions: annotation of each example, by the example's key.
        before: the same of the source model.
    """

    encoder: str
    source_model: str
    model: str
    k: int
    scored_on: str
    predictions: dict[str, dict[str, Any]]
    before: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """A pool file labelled by a model, on the machine that labelled it, and its number of examples."""

    path: str
    examples: int
