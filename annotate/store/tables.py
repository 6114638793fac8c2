"""The tables, each stated once: a frozen record, which is what callers get, and the columns that only the store reads.

Ids are given by the database and rise; all times are in UTC.

A change here needs a new file in ``migrations/versions``, which changes the databases that there are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    select,
)


class Moment(TypeDecorator[datetime]):
    """A time in UTC, also where the database keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Turn any zone into UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Say that it is UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Names(TypeDecorator[tuple[str, ...]]):
    """Some names, as a JSON list."""

    impl = JSON
    cache_ok = True

    def process_result_value(self, value: list[str] | None, dialect: Any) -> tuple[str, ...] | None:
        """Return what is not to be changed."""
        return None if value is None else tuple(value)


TYPES: dict[Any, Any] = {
    bool: Boolean, int: Integer, float: Float, str: Text, datetime: Moment, dict: JSON, tuple: Names,
}  # fmt: skip
"""Of columns, by the type of a record's field."""

Large = Annotated[int, BigInteger]
"""A field of 64 bits."""

metadata = MetaData()
_tables: dict[type, Table] = {}


def _table(name: str, record: type, *constraints: Any, store_only: dict[str, Any] | None = None) -> Table:
    """Return the table of a record.

    Args:
        name: of the table.
        record: a dataclass. Its ``id`` is the primary key, ``round_id`` the id of a row of ``rounds``, and so on.
        constraints: of the table, and its indices.
        store_only: types of further columns by name; they are not in the record.
    """
    hints = get_type_hints(record, include_extras=True) | (store_only or {})
    _tables[record] = Table(name, metadata, *(_column(*hint) for hint in hints.items()), *constraints)
    return _tables[record]


def _column(name: str, hint: Any) -> Column[Any]:
    python_type, *wider = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    nullable = NoneType in get_args(python_type)
    if nullable:
        python_type = get_args(python_type)[0]
    refers = [ForeignKey(f"{name.removesuffix('_id')}s.id")] if name.endswith("_id") else []
    sql_type = wider[0] if wider else TYPES[get_origin(python_type) or python_type]
    return Column(name, sql_type, *refers, primary_key=name == "id", nullable=nullable, info={"type": python_type})


def columns(record: type) -> tuple[Column[Any], ...]:
    """Return the columns of a record in the order of its fields, to select: ``Round(*row)``."""
    table = _tables[record]
    return tuple(table.c[field.name] for field in fields(record))


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may sign in; ``role`` is annotator, curator or admin."""

    id: int
    name: str
    role: str
    active: bool


Users = _table(
    "users",
    User,
    UniqueConstraint("name"),
    Index("ix_users_identity", "issuer", "subject", unique=True),
    store_only={"password_hash": str, "oidc": bool, "issuer": str | None, "subject": str | None},
)
"""``oidc`` lets somebody sign in with OpenID Connect; ``issuer`` and ``subject`` name them from their first time on.
Until then ``subject`` is their address, where that is the name in other letters."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that is known as somebody.

    Args:
        browser: what it calls itself.
        expires: when it is known no more.
    """

    id: int
    user_id: int
    browser: str
    created: datetime
    expires: datetime


Sessions = _table("sessions", Session, UniqueConstraint("digest"), store_only={"digest": str})
"""``digest`` is of what the browser keeps, which nobody can find out from it: whoever reads this signs in nowhere."""

Logins = Table(
    "logins",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("expires", Moment, nullable=False),
)
"""Sign-ins with OpenID Connect that have opened a session, until they are too old to open another one."""


AUTO = "auto"
"""As `NewProject.source_model`: that of the language ranked first."""


@dataclass(frozen=True, slots=True)
class NewProject:
    """A project to make: a language, and what is annotated.

    Args:
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
        hides_gold: whether the labels that the file came with are gold that annotators do not see; else they continue
            from them.
        suggester: whose suggestions annotators see, see `annotate.store.remarks.SUGGESTERS`.
        source_model: which of the encoder's is continued: empty for the newest, `AUTO`, else the languages that it has
            learned from, with commas.
        learns: whether a model learns from each finished item in the background, see `annotate.worker.learn`.
    """

    name: str
    lang: str
    tasks: tuple[str, ...]
    kind: str
    labels: dict[str, list[str]]
    sampler: str
    k: int
    seed: Large
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
    """A project; its pool and its test set have so many examples.

    Args:
        archived: whether it is left out of lists; all of it stays.
    """

    id: int
    pool_size: int
    test_size: int
    created: datetime
    archived: bool


Projects = _table("projects", Project, store_only={"ready": bool})
"""One that is not ready is still being filled, or being deleted, and nobody sees it."""

People = Table(
    "people",
    metadata,
    Column("project_id", ForeignKey("projects.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("position", Integer, nullable=False),
)
"""Who works on what, in the order given."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a project, as JSON (`annotate.editing.content`).

    Args:
        position: from 0, in the order in which the project got them.
        split: ``pool``, ``test``, or ``rest``, of which nothing is drawn and which comes back at export; ``joined
            pool`` and so on where it belongs to the sentence before it, see `annotate.store.joins`.
        key: its own id in the corpus.
        length: in tokens, with those of what is joined to it.
        content: see `annotate.editing.content.to_json`; only what is joined to it changes.
    """

    id: int
    project_id: int
    position: int
    split: str
    key: str
    length: int
    content: dict[str, Any]


Examples = _table(
    "examples",
    Example,
    UniqueConstraint("project_id", "position"),
    Index("ix_examples_split", "project_id", "split", "position"),
)
"""The content comes last, so that the rest is read without it."""


@dataclass(frozen=True, slots=True)
class Round:
    """One draw; ``number`` counts from 1 in its project, ``purpose`` is shots, test or review."""

    id: int
    project_id: int
    number: int
    purpose: str
    sampler: str
    k: int
    seed: Large
    created: datetime


Rounds = _table("rounds", Round, UniqueConstraint("project_id", "number"))


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
        annotator: by whom; None until somebody takes it.
        purpose: of its round.
        position: from 0 in its round.
        blind: whether suggestions stay hidden.
        status: ``open``, ``skipped``, ``done``, or ``joined``, see `annotate.store.joins`.
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


Items = _table(
    "items",
    Item,
    UniqueConstraint("round_id", "position"),
    UniqueConstraint("example_id", "task", "annotator", "purpose", name="one_item_a_person"),
    Index("ix_items_next", "project_id", "task", "status", "round_id", "position"),
    Index("ix_items_person", "project_id", "annotator", "task"),
    store_only={
        "project_id": int, "taken": bool, "lease_holder": str | None, "lease_until": datetime | None,
        "opened": datetime | None,
    },
)  # fmt: skip
"""``taken`` marks an item that was nobody's and whose annotator has saved nothing yet: when the lease is over, anybody
may take it again. ``opened`` is since when its annotator has it open, this time."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A saved annotation; none is ever changed or removed.

    A page counts seconds and edits of an item from when it was opened, over all visits to the item, and sends the sums
    so far: what an item took is the sum over the pages of what the newest revision of each says.

    Args:
        client: which open page sent it.
        seq: number that the page gave it.
        annotation: the whole annotation as JSON.
        done: whether the person calls it finished.
        seconds: active ones of this page on the item so far.
        edits: changes made by this page to the item so far.
        suggestion_id: what was proposed when the page was opened, if anything; shown unless the item is blind.
        second_suggestion: id of what another model proposed beside it, likewise.
    """

    id: int
    item_id: int
    annotator: str
    client: str
    seq: Large
    annotation: dict[str, Any]
    done: bool
    seconds: float
    edits: int
    suggestion_id: int | None
    second_suggestion: int | None
    created: datetime


Revisions = _table(
    "revisions",
    Revision,
    UniqueConstraint("item_id", "client", "seq"),
    Index("ix_revisions_suggestion", "suggestion_id"),
)
"""Without the index, each suggestion that is deleted would be looked for in all revisions."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on an example; ``about`` names a word of it, such as ``3 mar``, or is empty: all of it is meant."""

    id: int
    example_id: int
    task: str
    author: str
    text: str
    created: datetime
    about: str


Comments = _table("comments", Comment, Index("ix_comments_example", "example_id"))


Accepted = Table(
    "accepted",
    metadata,
    Column("project_id", ForeignKey("projects.id"), primary_key=True),
    Column("task", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("author", Text, nullable=False),
    Column("created", Moment, nullable=False),
)
"""What looked like an error, and is to stay as it is; see `annotate.quality.consistency` for its key."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a model proposes; the newest of an example and a source counts.

    Args:
        model: a title, that no two models share: task, name, and a hash of what decides its suggestions.
        source: ``encoder`` or ``llm``: a model that was trained, or one that was asked.
    """

    id: int
    example_id: int
    task: str
    model: str
    source: str
    data: dict[str, Any]
    created: datetime


Suggestions = _table("suggestions", Suggestion, Index("ix_suggestions_example", "example_id", "task"))


@dataclass(frozen=True, slots=True)
class Job:
    """Work that the app leaves to a process beside it.

    Args:
        kind: see `annotate.worker.run.KINDS`.
        args: see the module of its kind.
        state: ``queued``, ``running``, ``done``, ``failed`` or ``cancelled``.
        progress: 0 to 1.
        attempts: workers that have claimed it so far and did not put it back; with ``started`` it tells one that was
            given up for dead that the job is another's.
        error: why it failed; of one that is done, what people should know of how.
        pid: of the newest worker.
        host: that of the newest worker, or of the one that it waits for, see `annotate.worker.settings.host`.
        heartbeat: when its worker, or the one that it waits for, was last heard of.
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


Jobs = _table("jobs", Job, Index("ix_jobs_state", "state"))

OF_TASK = {"id": int, "project_id": int, "task": str}


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a newly trained model says of examples that it was not trained on.

    Args:
        encoder: that of the project at that time.
        source_model: likewise.
        model: folder of the model, on the machine that trained it.
        k: number of shots that it learned from.
        scored_on: see `fewshot.curves.results.Result`.
        predictions: annotation of each example, by its own id.
        before: those of the source model, likewise.
    """

    encoder: str
    source_model: str
    model: str
    k: int
    scored_on: str
    predictions: dict[str, dict[str, Any]]
    before: dict[str, dict[str, Any]]


PredictionRows = _table("predictions", Predictions, UniqueConstraint("project_id", "task", "model"), store_only=OF_TASK)


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """The rest of a pool, labelled by a model: a file on the machine that did it, and the number of examples in it."""

    path: str
    examples: int


LabelledFiles = _table("labelled_files", LabelledFile, UniqueConstraint("project_id", "task"), store_only=OF_TASK)

Results = Table(
    "results",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", ForeignKey("projects.id"), nullable=False),
    Column("task", Text, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("run", Text, nullable=False),
    Column("shot_set", Integer, nullable=False),
    Column("data", JSON, nullable=False),
    UniqueConstraint("project_id", "task", "simulated", "run", "shot_set"),
)
"""Scores as `fewshot.curves.results.Result` gives them as JSON; simulated ones are of gold labels in place of people's.
"""

OWNERS = {"item_id": Items, "example_id": Examples}
"""The tables by whose rows others belong to a project."""


def belonging(table: Table, project_id: int) -> ColumnElement[bool]:
    """Return the condition under which a row belongs to a project; users belong to none."""
    if table is Projects:
        return Projects.c.id == project_id
    if "project_id" in table.c:
        return table.c.project_id == project_id
    for name, owner in OWNERS.items():
        if name in table.c:
            return table.c[name].in_(select(owner.c.id).where(owner.c.project_id == project_id))
    return false()
