"""Connections and transactions, with the same behaviour for SQLite and PostgreSQL.

SQLite writes to a log beside the file (WAL), so that readers never wait. A writer takes the lock when its transaction
begins (BEGIN IMMEDIATE): a transaction that reads first and then writes fails if another writer comes in between.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import orjson
from sqlalchemy import URL, Connection, Engine, Executable, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from annotate.store import private_files
from annotate.store.errors import LOCKED, StoreError, UnavailableError, translate_error
from annotate.store.migrations import migrate
from annotate.store.tables import Projects
from fewshot.corpora.files import user_dir

URL_VARIABLE = "FEWSHOT_DB_URL"
LOCK_TIMEOUT = 30.0
"""Seconds that a writer waits for another writer."""

CHUNK_ROWS = 2000
"""Rows read or written per transaction, so that the database is locked for about 30 ms only."""

SQLITE_DRIVERS = ("sqlite", "sqlite+pysqlite")
"""Names of Python's own driver of SQLite in URLs."""

QUEUE_LOCK_ID = 7064391826
"""Id of PostgreSQL's advisory lock on claims of jobs; any number that nothing else uses."""

T = TypeVar("T")


class Database:
    """An engine and its transactions.

    Args:
        url: of SQLAlchemy: ``sqlite:///folder/fewshot.db`` or ``postgresql://user:password@host/name``.
        lock_timeout: seconds to wait for another writer.
        clock: returns the time in UTC; None: the clock of this machine, and for jobs the clock of the database.

    Attributes:
        created: the file that `open` created, and the folders that it created for the file.

    Raises:
        StoreError: when the URL is invalid or the driver of PostgreSQL is not installed.
    """

    def __init__(
        self, url: str, lock_timeout: float = LOCK_TIMEOUT, clock: Callable[[], datetime] | None = None
    ) -> None:
        self.url = _parsed(url)
        self.lock_timeout = lock_timeout
        self._clock = clock
        self._writer = threading.Lock()
        self._local = threading.local()
        self.created: Sequence[Path] = ()
        self.engine = _sqlite(self.url, lock_timeout) if self.is_sqlite else _postgres(self.url, lock_timeout)
        # a single query of PostgreSQL needs no BEGIN and COMMIT, each of which is a round trip to the server
        self._readers = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")

    @classmethod
    def open(cls, url: str | None = None, create: bool = True) -> Self:
        """Open a database, create its tables if there are none, and upgrade old ones.

        Args:
            url: see the class; default: the environment variable FEWSHOT_DB_URL, else a file in the user's folder.
            create: whether to create a file that does not exist.

        Raises:
            StoreError: when the database cannot be opened or was written by a newer version.
        """
        store = cls(url or os.environ.get(URL_VARIABLE) or f"sqlite:///{user_dir() / 'fewshot.db'}")
        if store.is_sqlite and not create and not Path(store.place).exists():
            raise StoreError(f"{store.place}: no such database; check --db and {URL_VARIABLE}")
        if store.is_sqlite:
            store.created = private_files.create(Path(store.place))
        try:
            with store.driver_errors_translated():
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
        """Whether the database is a file of SQLite."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def place(self) -> str:
        """Name of the database in messages: its file, or its URL without passwords and query."""
        return (self.url.database or "") if self.is_sqlite else self.url.set(query={}).render_as_string()

    def now(self) -> datetime:
        """Return the time in UTC by the clock of this machine."""
        return self._clock() if self._clock else datetime.now(UTC)

    def clock(self) -> datetime:
        """Return the time in UTC by the clock of the database, which all workers share."""
        if self.is_sqlite or self._clock:
            return self.now()
        with self.reading() as db:
            return db.execute(select(func.clock_timestamp())).scalar_one()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for queries; inside `snapshot`, the connection of the snapshot."""
        with self.driver_errors_translated():
            if (db := getattr(self._local, "snapshot", None)) is not None:
                yield db
                return
            with self._readers.begin() as db:
                yield db

    def _fetch_all(self, record: type[T], query: Executable, values: dict[str, Any] | None = None) -> list[T]:
        """Return the rows of a query as records; ``values`` are its bound parameters."""
        with self.reading() as db:
            return [record(*row) for row in db.execute(query, values)]

    def _fetch_first(self, record: type[T], query: Executable, values: dict[str, Any] | None = None) -> T | None:
        return next(iter(self._fetch_all(record, query, values)), None)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Run a transaction whose queries all see the same state of the database."""
        engine = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="REPEATABLE READ")
        with self.driver_errors_translated(), engine.begin() as db:
            outer = getattr(self._local, "snapshot", None)
            self._local.snapshot = db
            try:
                yield db
            finally:
                self._local.snapshot = outer

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Run a transaction that writes; an error undoes all of it."""
        engine = self.engine.execution_options(begin="IMMEDIATE")
        with self.driver_errors_translated(), self._exclusive_writer(), engine.begin() as db:
            yield db

    @contextmanager
    def _exclusive_writer(self) -> Iterator[None]:
        """Let one thread of this process write at a time: SQLite's own lock makes threads poll."""
        if self.is_sqlite and not self._writer.acquire(timeout=self.lock_timeout):
            raise UnavailableError(f"{self.place}: {LOCKED}")
        try:
            yield
        finally:
            if self.is_sqlite:
                self._writer.release()

    @contextmanager
    def driver_errors_translated(self) -> Iterator[None]:
        """Raise errors of the drivers as `StoreError`."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
            raise translate_error(error, self.place) from None


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        raise StoreError("invalid database URL; write sqlite:///FILE or postgresql://USER@HOST/NAME") from None
    backend = parsed.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in SQLITE_DRIVERS or not parsed.database:
        raise StoreError(
            f"unsupported database {parsed.drivername!r}; write sqlite:///FILE or postgresql://USER@HOST/NAME"
        )
    return parsed


def _read_json(text: str | bytes) -> Any:
    """Parse JSON with orjson, or with json for values that only json accepts, such as NaN."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


ENGINE_OPTIONS: dict[str, Any] = {
    "json_deserializer": _read_json,
    "json_serializer": partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
    "pool_size": 20,
    "max_overflow": 40,
}


def _sqlite(url: URL, lock_timeout: float) -> Engine:
    engine = create_engine(url, connect_args={"timeout": lock_timeout, "check_same_thread": False}, **ENGINE_OPTIONS)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions itself
        _use_log(connection, lock_timeout)
        for setting in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('begin', 'DEFERRED')}")

    return engine


def _use_log(
    connection: sqlite3.Connection,
    lock_timeout: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Switch to WAL; retried, since SQLite refuses at once if two connections ask for it in a new file."""
    ends = clock() + lock_timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or clock() > ends:
                raise
        sleep(0.01)


def _postgres(url: URL, lock_timeout: float) -> Engine:
    settings = f"-c lock_timeout={int(1000 * lock_timeout)} -c timezone=UTC"
    # no prepared statements: plans made without the values are many times slower, see `Store.search_batches`
    arguments = {"options": settings, "prepare_threshold": None}
    try:
        return create_engine(url, connect_args=arguments, pool_pre_ping=True, **ENGINE_OPTIONS)
    except ImportError:
        raise StoreError("the driver of PostgreSQL is missing; pip install 'fewshot[postgres]'") from None


def lock_project(db: Connection, project_id: int) -> bool:
    """Lock a project until the transaction ends and return whether the project exists."""
    query = select(Projects.c.id).where(Projects.c.id == project_id, Projects.c.ready)
    return db.scalar(query.with_for_update(key_share=True)) is not None


def lock_queue(db: Connection) -> None:
    """Make other claims wait for this transaction; they depend on more rows than row locks cover."""
    if db.dialect.name == "postgresql":
        db.execute(select(func.pg_advisory_xact_lock(QUEUE_LOCK_ID)))


def require_project(db: Connection, project_id: int) -> None:
    """Lock a project; StoreError if there is none."""
    if not lock_project(db, project_id):
        raise StoreError(f"no project {project_id}; choose another one")


def chunks(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most `size` rows."""
    rest = iter(rows)
    return iter(lambda: list(islice(rest, size)), [])
