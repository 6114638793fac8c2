"""Work for processes beside the app: the app adds jobs, a worker claims one, beats while it works, and finishes it.

However many workers there are, each project has one job under way: the next may need what it finds, and both would
write to the same places. Projects take turns, so that one with a long queue keeps no other waiting.

A worker that died says nothing. When nothing was heard for `SILENT`, the next worker takes its job up. One that was
only held up then finds that the job is another's: what it says and how it ends no longer counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from annotate.store.database import Database, lock_queue
from annotate.store.errors import StoreError
from annotate.store.records import Job, columns
from annotate.store.tables import Jobs

SILENT = timedelta(seconds=30)
"""After which a worker that has not been heard of is taken for dead; it beats every second."""

ATTEMPTS = 3
"""Workers that may die over a job before it is left alone: it may be what kills them."""

UNFINISHED = ("queued", "running")

_earlier = Jobs.alias()
_asked_for = _earlier.c.kind != "learn"
_last_turn = (
    select(func.max(_earlier.c.started)).where(_earlier.c.project_id == Jobs.c.project_id, _asked_for).scalar_subquery()
)

TURNS = (Jobs.c.kind == "learn", _last_turn.asc().nulls_first(), Jobs.c.id)
"""The order of jobs that wait: first those of the project whose last job started longest ago, of each the oldest. A
learning, which nobody asked for, is last and no turn."""


class JobStore(Database):
    """The queue."""

    def add_job(self, project_id: int, kind: str, args: dict[str, Any]) -> Job:
        """Queue a job."""
        values = {"project_id": project_id, "kind": kind, "args": args, "created": self.clock()}
        with self.writing() as db:
            return _added(db, values)

    def request_job(
        self,
        project_id: int,
        kind: str,
        args: dict[str, Any],
        states: tuple[str, ...],
        is_lost: Callable[[Job], bool],
        host: str | None = None,
    ) -> Job | None:
        """Queue a job unless the same job is unfinished; of several callers at once, one gets the job.

        Args:
            states: of a job with the same kind and arguments that is enough.
            is_lost: whether the worker of a job has died: that job is queued again.
            host: where the caller starts a process for the job; None: ``fewshot worker`` claims it.

        Returns:
            The job whose process the caller starts; None where the same job is under way.
        """
        now = self.clock()
        waits = {"heartbeat": now, "host": host, "message": "starting"} if host else {"heartbeat": None}
        wanted = (Jobs.c.project_id == project_id, Jobs.c.kind == kind, Jobs.c.state.in_(UNFINISHED))
        with self.writing() as db:
            lock_queue(db)
            rows = db.execute(select(*columns(Jobs, Job)).where(*wanted).order_by(Jobs.c.id))
            same = [job for job in (Job(*row) for row in rows) if job.args == args]
            for job in same:
                unclaimed = bool(host) and job.state == "queued" and job.heartbeat is None
                if unclaimed or is_lost(job):
                    db.execute(update(Jobs).where(Jobs.c.id == job.id).values(state="queued", **waits))
                    return _found(db, job.id)
            if any(job.state in states for job in same):
                return None
            values = {"project_id": project_id, "kind": kind, "args": args, "created": now} | waits
            return _added(db, values)

    def claim_job(self, host: str, pid: int, job_id: int | None = None) -> Job | None:
        """Take a job that is queued, or whose worker died; no two workers get the same.

        Args:
            job_id: of the only one to take, whatever else is under way; else it is the next, see `TURNS`, of the
                projects of which no job is.

        Returns:
            The job, running on this host as this process; None where there is none to take.
        """
        now = self.clock()
        running = Jobs.c.state == "running"
        heard = Jobs.c.heartbeat.between(now - SILENT, now + SILENT)
        lost = and_(running, ~heard, Jobs.c.attempts < ATTEMPTS)
        query = select(Jobs.c.id).where(or_(Jobs.c.state == "queued", lost)).order_by(*TURNS).limit(1)
        if job_id is not None:
            query = query.where(Jobs.c.id == job_id)
        else:
            under_way = select(Jobs.c.project_id).where(running, heard)
            query = query.where(Jobs.c.project_id.not_in(under_way))
        with self.writing() as db:
            lock_queue(db)
            found = db.scalar(query.with_for_update())
            if found is None:
                return None
            values = {"state": "running", "host": host, "pid": pid, "started": now, "heartbeat": now}
            changed = update(Jobs).where(Jobs.c.id == found)
            db.execute(changed.values(attempts=Jobs.c.attempts + 1, **values))
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
        return self._jobs(Jobs.c.project_id == project_id)

    def unfinished_jobs(self) -> list[Job]:
        """Return what is running in all projects, and what is queued in the order in which it gets its turn."""
        return self._jobs(Jobs.c.state.in_(UNFINISHED), Jobs.c.state.desc(), *TURNS)

    def beat(self, job: Job, progress: float, message: str) -> bool:
        """Say that the worker of a job is alive, and how far it is.

        Args:
            job: as it was claimed.
            progress: 0 to 1.
            message: what it does now.

        Returns:
            Whether the job is still this worker's; if not, nothing is changed.
        """
        return self._change_job(job, (job.state,), heartbeat=self.clock(), progress=progress, message=message)

    def beat_waiting(self, host: str, since: datetime) -> datetime:
        """Say that the worker is alive for which jobs wait on a host; those whose worker has died stay lost.

        Args:
            host: see `request_job`.
            since: when it was alive before, by the clock of the store: it may have been held up for long.

        Returns:
            When that was, by the clock of the store.
        """
        now = self.clock()
        wait = (Jobs.c.state == "queued", Jobs.c.host == host, Jobs.c.heartbeat > since - SILENT)
        with self.writing() as db:
            db.execute(update(Jobs).where(*wait).values(heartbeat=now))
        return now

    def finish(self, job: Job, error: str | None = None, remark: str | None = None) -> None:
        """End a job, done or, with an error, failed; one that is cancelled, or another worker's by now, stays so.

        Args:
            remark: what people should know of how it was done.
        """
        done = {"state": "done", "progress": 1.0, "error": remark}
        values = done if error is None else {"state": "failed", "error": error}
        self._change_job(job, UNFINISHED, ended=self.clock(), **values)

    def put_back(self, job: Job) -> None:
        """Queue a job again that its worker was told to leave: that is no attempt that failed."""
        self._change_job(job, ("running",), state="queued", heartbeat=None, attempts=job.attempts - 1)

    def cancel(self, job_id: int) -> None:
        """Cancel a job that is queued or running; its worker sees it when it beats."""
        query = update(Jobs).where(Jobs.c.id == job_id, Jobs.c.state.in_(UNFINISHED))
        cancelled = query.values(state="cancelled", ended=self.clock())
        with self.writing() as db:
            db.execute(cancelled)

    def forget_jobs(self, ids: Sequence[int]) -> None:
        """Delete jobs that are over."""
        with self.writing() as db:
            db.execute(delete(Jobs).where(Jobs.c.id.in_(ids), Jobs.c.state.not_in(UNFINISHED)))

    def _jobs(self, wanted: Any, *order: Any) -> list[Job]:
        query = select(*columns(Jobs, Job)).where(wanted).order_by(*(order or (Jobs.c.id,)))
        return self._fetch_all(Job, query)

    def _change_job(self, job: Job, states: tuple[str, ...], **values: Any) -> bool:
        claim = (Jobs.c.attempts == job.attempts, Jobs.c.started == job.started)  # one that was put back has both
        mine = (Jobs.c.id == job.id, *claim, Jobs.c.state.in_(states))
        with self.writing() as db:
            return db.execute(update(Jobs).where(*mine).values(values)).rowcount == 1


def _added(db: Connection, values: dict[str, Any]) -> Job:
    added = insert(Jobs).values({"state": "queued", "progress": 0.0, "message": "", "attempts": 0} | values)
    return Job(*db.execute(added.returning(*columns(Jobs, Job))).one())


def _found(db: Connection, job_id: int) -> Job:
    row = db.execute(select(*columns(Jobs, Job)).where(Jobs.c.id == job_id)).first()
    if row is None:
        raise StoreError(f"no job {job_id}; reload the page")
    return Job(*row)
