"""Results of trainings: scores, predictions, and files that a model labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Table, delete, insert, select, tuple_

from annotate.store.database import Database
from annotate.store.records import LabelledFile, Predictions
from annotate.store.tables import LabelledFiles, PredictionRows, Results, columns
from fewshot.curves.results import Result


class ResultStore(Database):
    """Scores, predictions and labelled files of each task of a project."""

    def add_results(self, project_id: int, task: str, results: Sequence[Result], simulated: bool = False) -> None:
        """Add results of a task, all or none; a result with the same run and shot set is replaced.

        `simulated` results, of gold labels in place of annotations, are kept apart.
        """
        key = {"project_id": project_id, "task": task, "simulated": simulated}
        rows = [{**key, "run": result.run, "shot_set": result.shot_set, "data": result.to_json()} for result in results]
        replaced = tuple_(Results.c.run, Results.c.shot_set).in_([(result.run, result.shot_set) for result in results])
        with self.writing() as db:
            db.execute(delete(Results).filter_by(**key).where(replaced))
            if rows:
                db.execute(insert(Results), rows)

    def results(self, project_id: int, task: str, simulated: bool = False) -> list[Result]:
        """Return the results of a task, newest last."""
        query = select(Results.c.data).filter_by(project_id=project_id, task=task, simulated=simulated)
        with self.reading() as db:
            return [Result.from_json(data) for data in db.scalars(query.order_by(Results.c.id))]

    def add_predictions(self, project_id: int, task: str, predictions: Predictions) -> None:
        """Store a model's predictions, in place of earlier ones of the same model."""
        self._replace(PredictionRows, {"project_id": project_id, "task": task, "model": predictions.model}, predictions)

    def newest_predictions(self, project_id: int, task: str, encoder: str, source_model: str) -> Predictions | None:
        """Return the predictions of the newest model trained from a source model, or None."""
        continued = {"encoder": encoder, "source_model": source_model}
        query = select(*columns(PredictionRows, Predictions)).filter_by(project_id=project_id, task=task, **continued)
        return self._fetch_first(Predictions, query.order_by(PredictionRows.c.id.desc()).limit(1))

    def set_labelled_file(self, project_id: int, task: str, file: LabelledFile) -> None:
        """Store where the pool labelled by a model is."""
        self._replace(LabelledFiles, {"project_id": project_id, "task": task}, file)

    def labelled_file(self, project_id: int, task: str) -> LabelledFile | None:
        """Return where the pool labelled by a model is, or None."""
        query = select(*columns(LabelledFiles, LabelledFile)).filter_by(project_id=project_id, task=task)
        return self._fetch_first(LabelledFile, query)

    def _replace(self, table: Table, key: dict[str, Any], record: Any) -> None:
        with self.writing() as db:
            db.execute(delete(table).filter_by(**key))
            db.execute(insert(table), {**asdict(record), **key})
