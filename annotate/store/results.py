"""What trainings found out, and how long people took: the two sides of a project's learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func, insert, select, update

from annotate.store.database import Database
from annotate.store.schema import Examples, Items, Revisions
from annotate.store.schema import Results as ResultsTable

PREDICTIONS, LABELLED = "predictions", "labelled"
"""What the keys of results begin with that are no scores: what a new model says of examples, and a file it labelled."""


class Results(Database):
    """Results of trainings, and measured time."""

    def add_results(self, project_id: int, task: str, rows: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Add results; one whose key is there already is replaced and becomes the newest.

        Args:
            project_id: whose.
            task: of the model.
            rows: key and content of each, all kept or none.
        """
        known = select(ResultsTable.key).where(ResultsTable.project_id == project_id, ResultsTable.task == task)
        common = {"project_id": project_id, "task": task, "created": self.clock()}
        with self.writing() as db:
            there = set(db.scalars(known))
            new = [{**common, "key": key, "data": data} for key, data in rows if key not in there]
            for key, data in rows:
                if key in there:
                    wanted = (ResultsTable.project_id == project_id, ResultsTable.task == task, ResultsTable.key == key)
                    db.execute(update(ResultsTable).where(*wanted).values(created=common["created"], data=data))
            if new:
                db.execute(insert(ResultsTable), new)

    def results(self, project_id: int, task: str) -> list[dict[str, Any]]:
        """Return the scores of a task, the newest last; predictions, which are large, are not read."""
        others = (ResultsTable.key.startswith(kind) for kind in (PREDICTIONS, LABELLED))
        query = _results(project_id, task).where(*(~other for other in others))
        with self.reading() as db:
            return list(db.scalars(query.order_by(ResultsTable.created, ResultsTable.id)))

    def newest_result(self, project_id: int, task: str, kind: str, encoder: str | None = None) -> dict[str, Any] | None:
        """Return the newest of a task's results that are no scores, None where there is none.

        Args:
            project_id: whose.
            task: of the model.
            kind: `PREDICTIONS` or `LABELLED`.
            encoder: whose models said it, by default any; where it is not said it was *mini*.
        """
        query = _results(project_id, task).where(ResultsTable.key.startswith(kind))
        if encoder is not None:
            query = query.where(func.coalesce(ResultsTable.data["encoder"].as_string(), "mini") == encoder)
        with self.reading() as db:
            return db.scalar(query.order_by(ResultsTable.created.desc(), ResultsTable.id.desc()).limit(1))

    def tokens(self, project_id: int, task: str) -> dict[int, int]:
        """Return the length in tokens of each example that somebody has for a task, by its id."""
        mine = select(Items.example_id).where(Items.project_id == project_id, Items.task == task)
        with self.reading() as db:
            query = select(Examples.id, Examples.length).where(Examples.id.in_(mine))
            return {row.id: row.length for row in db.execute(query)}

    def effort(self, project_id: int, task: str) -> dict[int, tuple[float, int]]:
        """Return active seconds and edits of each item that somebody worked on, by its id; see `Revision`."""
        wanted = (Items.project_id == project_id, Items.task == task)
        newest = (
            select(func.max(Revisions.id))
            .join(Items, Revisions.item_id == Items.id)
            .where(*wanted)
            .group_by(Revisions.item_id, Revisions.client)
        )
        query = (
            select(Revisions.item_id, func.sum(Revisions.seconds), func.sum(Revisions.edits))
            .where(Revisions.id.in_(newest))
            .group_by(Revisions.item_id)
        )
        with self.reading() as db:
            return {item: (float(seconds), int(edits)) for item, seconds, edits in db.execute(query)}


def _results(project_id: int, task: str) -> Select[tuple[dict[str, Any]]]:
    return select(ResultsTable.data).where(ResultsTable.project_id == project_id, ResultsTable.task == task)
