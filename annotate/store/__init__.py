"""The database of projects, annotations and jobs, in SQLite or PostgreSQL.

Every method of `Store` is one transaction. An annotation is never changed or removed: saving adds a revision.
"""

from __future__ import annotations

from annotate.store.changes import BulkChange, ChangeStore, Edit
from annotate.store.effort import EffortStore, TaskProgress
from annotate.store.errors import ConflictError, GoneError, StoreError, UnavailableError
from annotate.store.items import ItemStore
from annotate.store.jobs import JobStore
from annotate.store.joins import JOINED, is_joined
from annotate.store.lexicon import LexiconStore
from annotate.store.projects import ProjectStore
from annotate.store.records import (
    AUTO,
    REVIEW,
    SHOTS,
    TEST,
    Acknowledged,
    Comment,
    Item,
    Job,
    LabelledFile,
    NewProject,
    Predictions,
    Project,
    Revision,
    Round,
    Session,
    StoredExample,
    Suggestion,
    User,
)
from annotate.store.remarks import BOTH, ENCODER, HELD_OUT, LLM, SUGGESTERS, RemarkStore
from annotate.store.results import ResultStore
from annotate.store.revisions import RevisionStore
from annotate.store.rounds import NewItem, RoundStore
from annotate.store.search import UNDRAWN, ExampleFilter, ListedExample, SearchStore
from annotate.store.users import UserStore


class Store(
    ProjectStore,
    UserStore,
    RoundStore,
    ItemStore,
    RevisionStore,
    EffortStore,
    RemarkStore,
    SearchStore,
    ChangeStore,
    JobStore,
    LexiconStore,
    ResultStore,
):
    """All tables of the app; `Store.open` creates or upgrades the database."""


__all__ = [
    "AUTO",
    "BOTH",
    "ENCODER",
    "HELD_OUT",
    "JOINED",
    "LLM",
    "REVIEW",
    "SHOTS",
    "SUGGESTERS",
    "TEST",
    "UNDRAWN",
    "Acknowledged",
    "BulkChange",
    "Comment",
    "ConflictError",
    "Edit",
    "ExampleFilter",
    "GoneError",
    "Item",
    "Job",
    "LabelledFile",
    "ListedExample",
    "NewItem",
    "NewProject",
    "Predictions",
    "Project",
    "Revision",
    "Round",
    "Session",
    "Store",
    "StoreError",
    "StoredExample",
    "Suggestion",
    "TaskProgress",
    "UnavailableError",
    "User",
    "is_joined",
]
