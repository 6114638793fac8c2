"""Where projects, annotations and jobs are kept: one database, SQLite or PostgreSQL.

Every method of `Store` is one transaction. An annotation is never changed or removed: saving adds a revision.
"""

from __future__ import annotations

from annotate.store.draws import Draws
from annotate.store.errors import StoreError
from annotate.store.jobs import Jobs
from annotate.store.people import People
from annotate.store.projects import Projects
from annotate.store.records import (
    Comment,
    Example,
    Item,
    Job,
    NewItem,
    NewProject,
    Progress,
    Project,
    Revision,
    Round,
    Suggestion,
    User,
)
from annotate.store.remarks import Remarks
from annotate.store.results import Results
from annotate.store.work import REVIEW, Work


class Store(Projects, Draws, Work, Remarks, People, Jobs, Results):
    """All that the app keeps; `Store.open` makes or upgrades the database."""


__all__ = [
    "REVIEW",
    "Comment",
    "Example",
    "Item",
    "Job",
    "NewItem",
    "NewProject",
    "Progress",
    "Project",
    "Revision",
    "Round",
    "Store",
    "StoreError",
    "Suggestion",
    "User",
]
