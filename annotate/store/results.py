"""What trainings found out, and how long people took: the two sides of a project's learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, func, insert, select, update

from annotate.store.database import Database
from annotate.store.tables import Results

PREDICTIONS, LABELLED = "predictions", "labelled"
"""What the keys of results begin with that are no scores: what a new model says of examples, and a file it labelled."""


class ResultStore(Database):
    """Results of trainings, and measured time."""

    def add_results(self, project_id: int, task: str, rows: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Add results; one whose key is there already is replaced and becomes the newest.

        Args:
            project_id: whose.
            task: of the model.
            rows: key and content of each, all kept or none.
        """
        known = select(Results.c.key).where(Results.c.project_id == project_id, Results.c.task == task)
        common = {"project_id": project_id, "task": task, "created": self.clock()}
        with self.writing() as db:
            there = set(db.scalars(known))
            new = [{**common, "key": key, "data": data} for key, data in rows if key not in there]
            for key, data in rows:
                if key in there:
                    wanted = (Results.c.project_id == project_id, Results.c.task == task, Results.c.key == key)
                    db.execute(update(Results).where(*wanted).values(created=common["created"], data=data))
            if new:
                db.execute(insert(Results), new)

    def results(self, project_id: int, task: str) -> list[dict[str, Any]]:
        """Return the scores of a task, the newest last; predictions, which are large, are not read."""
        others = (Results.c.key.startswith(kind) for kind in (PREDICTIONS, LABELLED))
        query = _results(project_id, task).where(*(~other for other in others))
        with self.reading() as db:
            return list(db.scalars(query.order_by(Results.c.created, Results.c.id)))

    def newest_result(self, project_id: int, task: str, kind: str, encoder: str | None = None) -> dict[str, Any] | None:
        """Return the newest of a task's results that are no scores, None where there is none.

        Args:
            project_id: whose.
            task: of the model.
            kind: `PREDICTIONS` or `LABELLED`.
            encoder: whose models said it, by default any; where it is not said it was *mini*.
        """
        query = _results(project_id, task).where(Results.c.key.startswith(kind))
        if encoder is not None:
            query = query.where(func.coalesce(Results.c.data["encoder"].as_string(), "mini") == encoder)
        with self.reading() as db:
            return db.scalar(query.order_by(Results.c.created.desc(), Results.c.id.desc()).limit(1))


def _results(project_id: int, task: str) -> Select[tuple[dict[str, Any]]]:
    return select(Results.c.data).where(Results.c.project_id == project_id, Results.c.task == task)
