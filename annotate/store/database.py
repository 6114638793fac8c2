"""Connections and transactions: SQLite or PostgreSQL, one behaviour.

SQLite writes to a log beside the file (WAL), so that readers never wait, and a writer takes the lock when its
transaction begins (BEGIN IMMEDIATE): one that reads first loses the race to any other writer, whatever the timeout.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import orjson
from sqlalchemy import URL, Connection, Engine, Executable, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from annotate.store.errors import LOCKED, StoreError, explained
from annotate.store.migrations import migrate
from annotate.store.tables import Projects
from fewshot.corpora.files import private_user_dir, user_dir

ENVIRONMENT = "FEWSHOT_DB_URL"
PATIENCE = 30.0
"""Seconds that a writer waits for another one."""

CHUNK = 2000
"""Rows written or read at once: the lock on the database is held for some 30 ms, not for a whole pool."""

QUEUE = 7064391826
"""What PostgreSQL locks while a worker claims a job; any number that no one else uses, nor the migrations."""

T = TypeVar("T")


class Database:
    """An engine and its transactions.

    Args:
        url: of SQLAlchemy: ``sqlite:///folder/fewshot.db`` or ``postgresql://user:password@host/name``.
        patience: seconds to wait for another writer.
        clock: returns the time, in UTC; None: the clock of this machine, for jobs the clock of the database.

    Raises:
        StoreError: when this is no such URL, or the driver of PostgreSQL is not installed.
    """

    def __init__(self, url: str, patience: float = PATIENCE, clock: Callable[[], datetime] | None = None) -> None:
        self.url = _parsed(url)
        self.patience = patience
        self._clock = clock
        self._writer = threading.Lock()
        self._here = threading.local()
        self.engine = _sqlite(self.url, patience) if self.is_sqlite else _postgres(self.url, patience)
        # of PostgreSQL a question alone needs no BEGIN and COMMIT, each of which is a way to the server and back
        self._readers = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")

    @classmethod
    def open(cls, url: str | None = None, create: bool = True) -> Self:
        """Open a database and bring its tables up to date; a new one gets them.

        Args:
            url: see the class; by default that of the environment variable FEWSHOT_DB_URL, else a file of this user.
            create: whether a file that does not exist is made.

        Raises:
            StoreError: when it cannot be opened, or was written by a newer version.
        """
        store = cls(url or os.environ.get(ENVIRONMENT) or f"sqlite:///{user_dir() / 'fewshot.db'}")
        if store.is_sqlite and not create and not Path(store.place).exists():
            raise StoreError(f"{store.place}: no such database; check --db and {ENVIRONMENT}")
        if store.is_sqlite:
            _make_folder(Path(store.place).parent)
            _make_private(Path(store.place))
        try:
            with store.complaints():
                migrate(store.engine)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a file."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def place(self) -> str:
        """What messages call the database: its file, or its URL without the password."""
        return (self.url.database or "") if self.is_sqlite else self.url.render_as_string(hide_password=True)

    def now(self) -> datetime:
        """Return the time, in UTC, by the clock of this machine."""
        return self._clock() if self._clock else datetime.now(UTC)

    def clock(self) -> datetime:
        """Return the time, in UTC, by the clock of the database, which is one for workers on all machines."""
        if self.is_sqlite or self._clock:
            return self.now()
        with self.reading() as db:
            return db.execute(select(func.clock_timestamp())).scalar_one()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Ask questions, each of which sees what is stored by then, or in a snapshot of this thread what that sees."""
        with self.complaints():
            if (db := getattr(self._here, "snapshot", None)) is not None:
                yield db
                return
            with self._readers.begin() as db:
                yield db

    def _fetch_all(self, record: type[T], query: Executable, values: dict[str, Any] | None = None) -> list[T]:
        """Return the rows of a query as records; ``values`` are the values of its bound parameters."""
        with self.reading() as db:
            return [record(*row) for row in db.execute(query, values)]

    def _fetch_first(self, record: type[T], query: Executable, values: dict[str, Any] | None = None) -> T | None:
        """Return the first row of a query as a record, or None."""
        return next(iter(self._fetch_all(record, query, values)), None)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Run a transaction that sees one state of the database throughout, and so does all that is read in it."""
        engine = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="REPEATABLE READ")
        with self.complaints(), engine.begin() as db:
            outer = getattr(self._here, "snapshot", None)
            self._here.snapshot = db
            try:
                yield db
            finally:
                self._here.snapshot = outer

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Run a transaction that writes: all of it is kept, or, after an error, nothing."""
        engine = self.engine.execution_options(begin="IMMEDIATE")
        with self.complaints(), self._turn(), engine.begin() as db:
            yield db

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one thread of this process write at a time to SQLite, which has others sleep and ask again."""
        if self.is_sqlite and not self._writer.acquire(timeout=self.patience):
            raise StoreError(f"{self.place}: {LOCKED}")
        try:
            yield
        finally:
            if self.is_sqlite:
                self._writer.release()

    @contextmanager
    def complaints(self) -> Iterator[None]:
        """Turn the errors of drivers into `StoreError`."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, UnicodeEncodeError) as error:
            raise explained(error, self.place) from None


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError(
            "the database URL cannot be read; write sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    backend = parsed.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite" or not parsed.database:
        raise StoreError(f"no database of kind {backend!r} here; write sqlite:///FILE or postgresql://USER@HOST/NAME")
    return parsed


def _make_folder(folder: Path) -> None:
    try:
        if folder == user_dir():
            private_user_dir()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: this folder cannot be made: {error.strerror}; choose another one") from None


def _make_private(file: Path) -> None:
    """Let only its owner read a database, which holds the hashes of passwords, and a group that may write it, too.

    A new log gets the same rights; who reads it reads the database.
    """
    try:
        file.touch(mode=0o600)
        for one in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
            _narrow(one)
    except OSError as error:
        raise StoreError(f"{file}: this file cannot be made: {error.strerror}; choose another one") from None


def _narrow(file: Path) -> None:
    """Take away what others may do with a file of this user, if it is there; Windows has no such rights."""
    if os.name == "nt" or not file.exists() or file.stat().st_uid != os.getuid():
        return
    mode = stat.S_IMODE(file.stat().st_mode)
    narrow = mode & (0o770 if mode & 0o020 else 0o700)
    if narrow != mode:
        file.chmod(narrow)


def _read_json(text: str | bytes) -> Any:
    """Return the value of a JSON; what json writes and JSON does not know, such as NaN, is read as json does."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


OPTIONS: dict[str, Any] = {
    "json_deserializer": _read_json,
    "json_serializer": partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
    "pool_size": 20,
    "max_overflow": 40,
}


def _sqlite(url: URL, patience: float) -> Engine:
    engine = create_engine(url, connect_args={"timeout": patience, "check_same_thread": False}, **OPTIONS)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver begins no transactions of its own
        _use_log(connection, patience)
        for setting in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}")

    return engine


def _use_log(
    connection: sqlite3.Connection,
    patience: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write to a log from now on; of two that ask for it at once in a new file one is refused without a wait."""
    ends = clock() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or clock() > ends:
                raise
        sleep(0.01)


def _postgres(url: URL, patience: float) -> Engine:
    settings = f"-c lock_timeout={int(1000 * patience)} -c timezone=UTC"
    # not prepared: plans that do not know the values take many times as long, see `Store.passages`
    arguments = {"options": settings, "prepare_threshold": None}
    try:
        return create_engine(url, connect_args=arguments, pool_pre_ping=True, **OPTIONS)
    except ImportError:
        raise StoreError("the driver of PostgreSQL is missing; pip install 'fewshot[postgres]'") from None


def lock_project(db: Connection, project_id: int) -> bool:
    """Return whether a project exists; other callers wait until this transaction ends, as all writers of SQLite do."""
    query = select(Projects.c.id).where(Projects.c.id == project_id, Projects.c.ready)
    return db.scalar(query.with_for_update(key_share=True)) is not None


def lock_queue(db: Connection) -> None:
    """Make other workers that claim a job wait for this transaction, and see what it claims.

    The lock of a row would not do: a claim depends on other rows of its project, which may be claimed meanwhile.
    """
    if db.dialect.name == "postgresql":
        db.execute(select(func.pg_advisory_xact_lock(QUEUE)))


def require_project(db: Connection, project_id: int) -> None:
    """Lock a project.

    Raises:
        StoreError: when there is none of this id.
    """
    if not lock_project(db, project_id):
        raise StoreError(f"no project {project_id}; choose another one")


def chunks(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most `size`."""
    rest = iter(rows)
    return iter(lambda: list(islice(rest, size)), [])
