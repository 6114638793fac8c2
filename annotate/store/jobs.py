"""Work for processes of their own: the app adds jobs, a worker claims one, beats while it works, and finishes it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert, select, update

from annotate.store.database import Database, columns
from annotate.store.errors import StoreError
from annotate.store.records import Job
from annotate.store.schema import Jobs as JobsTable


class Jobs(Database):
    """The queue."""

    def add_job(self, project_id: int, kind: str, args: dict[str, Any]) -> Job:
        """Queue a job."""
        values = {"project_id": project_id, "kind": kind, "args": args, "state": "queued", "progress": 0.0}
        added = insert(JobsTable).values(message="", created=self.now(), **values)
        with self.writing() as db:
            return Job(**db.execute(added.returning(*columns(Job, JobsTable))).one()._mapping)

    def claim_job(self, host: str, pid: int, job_id: int | None = None) -> Job | None:
        """Take the oldest queued job; no two workers get the same one.

        Args:
            host: where the worker runs.
            pid: its process.
            job_id: this one only.

        Returns:
            The job, running; None where nothing is queued.
        """
        query = select(JobsTable.id).where(JobsTable.state == "queued").order_by(JobsTable.id).limit(1)
        if job_id is not None:
            query = query.where(JobsTable.id == job_id)
        with self.writing() as db:
            found = db.scalar(query.with_for_update(skip_locked=True))
            if found is None:
                return None
            now = self.now()
            values = {"state": "running", "host": host, "pid": pid, "started": now, "heartbeat": now}
            db.execute(update(JobsTable).where(JobsTable.id == found).values(values))
            return _found(db, found)

    def job(self, job_id: int) -> Job:
        """Return a job.

        Raises:
            StoreError: when there is none of this id.
        """
        with self.reading() as db:
            return _found(db, job_id)

    def jobs(self, project_id: int) -> list[Job]:
        """Return the jobs of a project, oldest first."""
        query = select(*columns(Job, JobsTable)).where(JobsTable.project_id == project_id).order_by(JobsTable.id)
        with self.reading() as db:
            return [Job(**row._mapping) for row in db.execute(query)]

    def beat(self, job_id: int, progress: float, message: str) -> None:
        """Say that a running job is alive and how far it is; a job that is over stays as it is.

        Args:
            job_id: which.
            progress: 0 to 1.
            message: what it does now.
        """
        self._change_job(job_id, ("running",), heartbeat=self.now(), progress=progress, message=message)

    def finish(self, job_id: int, error: str | None = None) -> None:
        """End a job, done or, with an error, failed; a cancelled one stays cancelled."""
        values = {"state": "done", "progress": 1.0} if error is None else {"state": "failed", "error": error}
        self._change_job(job_id, ("queued", "running"), ended=self.now(), **values)

    def cancel(self, job_id: int) -> None:
        """Cancel a job that is queued or running; its worker sees it when it beats."""
        self._change_job(job_id, ("queued", "running"), state="cancelled", ended=self.now())

    def _change_job(self, job_id: int, states: tuple[str, ...], **values: Any) -> None:
        with self.writing() as db:
            db.execute(update(JobsTable).where(JobsTable.id == job_id, JobsTable.state.in_(states)).values(values))


def _found(db: Connection, job_id: int) -> Job:
    row = db.execute(select(*columns(Job, JobsTable)).where(JobsTable.id == job_id)).first()
    if row is None:
        raise StoreError(f"no job {job_id}; reload the page")
    return Job(**row._mapping)
