"""The job queue: the app adds jobs; workers claim them, send heartbeats, and finish them.

At most one job per project runs at a time, however many workers there are: the next job may need its results, and both
write to the same places. Projects take turns, so that a long queue of one does not block the others.

If a worker sends no heartbeat for `HEARTBEAT_TIMEOUT`, the next worker takes its job. Should the first worker come
back, its heartbeats and its outcome no longer count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from annotate.store.database import Database, lock_queue
from annotate.store.errors import StoreError
from annotate.store.records import Job
from annotate.store.tables import Jobs, columns

HEARTBEAT_TIMEOUT = timedelta(seconds=30)
"""After this time without a heartbeat a worker counts as dead; workers send one every second."""

MAX_ATTEMPTS = 3
"""Claims after which a job is left alone when its worker dies, since the job may be the cause."""

UNFINISHED = ("queued", "running")

_earlier = Jobs.alias()
_is_requested = _earlier.c.kind != "learn"
_last_turn = (
    select(func.max(_earlier.c.started))
    .where(_earlier.c.project_id == Jobs.c.project_id, _is_requested)
    .scalar_subquery()
)

QUEUE_ORDER = (Jobs.c.kind == "learn", _last_turn.asc().nulls_first(), Jobs.c.id)
"""Order of queued jobs: the project whose last job started longest ago first, oldest job first.

A ``learn`` job, which no user asked for, comes last and does not count as a turn of its project.
"""


class JobStore(Database):
    """The job queue."""

    def request_job(
        self,
        project_id: int,
        kind: str,
        args: dict[str, Any],
        states: tuple[str, ...],
        is_lost: Callable[[Job], bool],
        host: str | None = None,
    ) -> Job | None:
        """Queue a job unless the same job is unfinished; of several concurrent callers one gets the job.

        Args:
            states: states in which an existing job of the same kind and arguments makes a new one unnecessary.
            is_lost: whether the worker of a job has died; such a job is queued again.
            host: where the caller starts a process for the job; None: ``fewshot worker`` claims it.

        Returns:
            The job for which the caller starts a process, or None if the same job is unfinished.
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
                    return _require_job(db, job.id)
            if any(job.state in states for job in same):
                return None
            values = {"state": "queued", "progress": 0.0, "message": "", "attempts": 0} | waits
            values |= {"project_id": project_id, "kind": kind, "args": args, "created": now}
            return Job(*db.execute(insert(Jobs).values(values).returning(*columns(Jobs, Job))).one())

    def claim_job(self, host: str, pid: int, job_id: int | None = None) -> Job | None:
        """Claim a job that is queued or whose worker died, or None; no two workers get the same job.

        Args:
            job_id: claim only this job, even if its project has a running job; None: the next job by `QUEUE_ORDER`.
        """
        now = self.clock()
        running = Jobs.c.state == "running"
        heard = Jobs.c.heartbeat.between(now - HEARTBEAT_TIMEOUT, now + HEARTBEAT_TIMEOUT)
        lost = and_(running, ~heard, Jobs.c.attempts < MAX_ATTEMPTS)
        query = select(Jobs.c.id).where(or_(Jobs.c.state == "queued", lost)).order_by(*QUEUE_ORDER).limit(1)
        if job_id is not None:
            query = query.where(Jobs.c.id == job_id)
        else:
            under_way = select(Jobs.c.project_id).where(running, heard)
            query = query.where(Jobs.c.project_id.not_in(under_way))
        with self.writing() as db:
            lock_queue(db)
            claimed = db.scalar(query.with_for_update())
            if claimed is None:
                return None
            values = {"state": "running", "host": host, "pid": pid, "started": now, "heartbeat": now}
            changed = update(Jobs).where(Jobs.c.id == claimed)
            db.execute(changed.values(attempts=Jobs.c.attempts + 1, **values))
            return _require_job(db, claimed)

    def job(self, job_id: int) -> Job:
        """Return a job; StoreError if there is none."""
        with self.reading() as db:
            return _require_job(db, job_id)

    def jobs(self, project_id: int) -> list[Job]:
        """Return the jobs of a project, oldest first."""
        return self._jobs(Jobs.c.project_id == project_id)

    def unfinished_jobs(self) -> list[Job]:
        """Return the running jobs of all projects, then the queued ones in queue order."""
        return self._jobs(Jobs.c.state.in_(UNFINISHED), Jobs.c.state.desc(), *QUEUE_ORDER)

    def beat(self, job: Job, progress: float, message: str) -> bool:
        """Store a heartbeat, the progress (0 to 1) and the current step of a job, as it was claimed.

        Returns:
            Whether the job still belongs to this worker; if not, nothing is changed.
        """
        return self._change_job(job, (job.state,), heartbeat=self.clock(), progress=progress, message=message)

    def beat_waiting(self, host: str, since: datetime) -> datetime:
        """Store a heartbeat for the queued jobs that wait for a worker on a host, and return its time.

        Jobs that were lost at the worker's last heartbeat, `since`, stay lost. Both times are by the clock of the
        store.
        """
        now = self.clock()
        wait = (Jobs.c.state == "queued", Jobs.c.host == host, Jobs.c.heartbeat > since - HEARTBEAT_TIMEOUT)
        with self.writing() as db:
            db.execute(update(Jobs).where(*wait).values(heartbeat=now))
        return now

    def finish(self, job: Job, error: str | None = None, remark: str | None = None) -> None:
        """End a job as done, with a remark, or as failed, with an error; a cancelled or lost job is unchanged."""
        done = {"state": "done", "progress": 1.0, "error": remark}
        values = done if error is None else {"state": "failed", "error": error}
        self._change_job(job, UNFINISHED, ended=self.clock(), **values)

    def put_back(self, job: Job) -> None:
        """Queue a job again after its worker was stopped; the attempt does not count."""
        self._change_job(job, ("running",), state="queued", heartbeat=None, attempts=job.attempts - 1)

    def cancel(self, job_id: int) -> None:
        """Cancel a queued or running job; its worker notices at the next heartbeat."""
        query = update(Jobs).where(Jobs.c.id == job_id, Jobs.c.state.in_(UNFINISHED))
        cancelled = query.values(state="cancelled", ended=self.clock())
        with self.writing() as db:
            db.execute(cancelled)

    def forget_jobs(self, ids: Sequence[int]) -> None:
        """Delete finished jobs."""
        with self.writing() as db:
            db.execute(delete(Jobs).where(Jobs.c.id.in_(ids), Jobs.c.state.not_in(UNFINISHED)))

    def _jobs(self, wanted: Any, *order: Any) -> list[Job]:
        query = select(*columns(Jobs, Job)).where(wanted).order_by(*(order or (Jobs.c.id,)))
        return self._fetch_all(Job, query)

    def _change_job(self, job: Job, states: tuple[str, ...], **values: Any) -> bool:
        claim = (Jobs.c.attempts == job.attempts, Jobs.c.started == job.started)  # a job put back keeps its attempts
        mine = (Jobs.c.id == job.id, *claim, Jobs.c.state.in_(states))
        with self.writing() as db:
            return db.execute(update(Jobs).where(*mine).values(values)).rowcount == 1


def _require_job(db: Connection, job_id: int) -> Job:
    row = db.execute(select(*columns(Jobs, Job)).where(Jobs.c.id == job_id)).first()
    if row is None:
        raise StoreError(f"no job {job_id}; reload the page")
    return Job(*row)
