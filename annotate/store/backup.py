"""Backups: one file with all rows of a database or of a project, for SQLite and PostgreSQL alike.

Gzipped JSON lines: a header; ``[table, {column: value}]`` for each row; the number of rows.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from sqlalchemy import JSON, BigInteger, Column, Connection, Float, Integer, insert, select, text

from annotate.store import private_files
from annotate.store.database import CHUNK_ROWS, Database
from annotate.store.errors import StoreError
from annotate.store.joins import JOINED
from annotate.store.migrations import version
from annotate.store.projects import belongs_to_project
from annotate.store.records import REVIEW, SHOTS, TEST
from annotate.store.remarks import ENCODER, HELD_OUT, LLM, SUGGESTERS
from annotate.store.tables import Logins, Sessions, UtcDateTime, metadata
from annotate.store.users import ROLES
from fewshot import records
from fewshot.corpora.files import replacing

TABLES = {table.name: table for table in metadata.sorted_tables if table not in (Sessions, Logins)}
"""In the order of their foreign keys; a backup has no sessions and sign-ins."""

SPLITS = ("pool", "test", "rest")

CHOICES = {
    "users.role": ROLES,
    "examples.split": (*SPLITS, *(f"{JOINED} {split}" for split in SPLITS)),
    "rounds.purpose": (SHOTS, TEST, REVIEW),
    "items.purpose": (SHOTS, TEST, REVIEW),
    "items.status": ("open", "skipped", "done", JOINED),
    "projects.suggester": tuple(SUGGESTERS),
    "suggestions.source": (ENCODER, LLM, HELD_OUT),
    "jobs.state": ("queued", "running", "done", "failed", "cancelled"),
}
"""Allowed values of columns that hold one of a few words."""

SHAPES: dict[str, Any] = {
    "projects.tasks": tuple[str, ...],
    "projects.labels": dict[str, list[str]],
    "predictions.predictions": dict[str, dict[str, Any]],
    "predictions.before": dict[str, dict[str, Any]],
}
"""Types of JSON columns; other JSON columns hold any object."""

MAX_LINE_CHARS = 2**27
"""A line of this length or more is not a row of a backup, and is not written either."""


def backup(store: Database, path: str | Path, project_id: int | None = None) -> int:
    """Write all rows of a database to a file as of one moment, and return their number.

    A complete file replaces an existing one. Only its owner may read it, since it contains password hashes. With
    `project_id`, it has the rows of this project only, without users.

    Raises:
        StoreError: when the database cannot be read or the file cannot be written.
    """
    try:
        with (
            replacing(Path(path), 0o600) as file,
            gzip.open(file, "wt", encoding="utf-8", compresslevel=6) as lines,
        ):
            return _write(store, lines, project_id)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def restore(path: str | Path, store: Database) -> int:
    """Fill an empty database from a backup, completely or not at all, and return the number of rows.

    If the restore fails, the database file that `Database.open` has just created is removed.

    Raises:
        StoreError: when the file is incomplete, damaged or of another version, or the database is not empty.
    """
    try:
        return _restore(Path(path), store)
    except BaseException:
        _remove_new_file(store)
        raise


def _restore(path: Path, store: Database) -> int:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines, store.writing() as db:
            _require_empty(db, store.place)
            return _read(path, _bounded(lines), db)
    except (OSError, EOFError, ValueError, KeyError, TypeError, RecursionError, zlib.error) as error:
        detail = f" ({error})" if type(error) is ValueError and str(error) else ""
        reason = getattr(error, "strerror", None) or f"the file is damaged or is not a backup of fewshot{detail}"
        raise StoreError(f"{path}: cannot restore this file: {reason}; nothing was changed") from None


def _remove_new_file(store: Database) -> None:
    """Remove the file that was created for a database, unless somebody else has filled it."""
    if store.created:
        with suppress(StoreError):
            with store.reading() as db:
                _require_empty(db, store.place)
            store.close()
            private_files.remove(store.created)


def _write(store: Database, lines: IO[str], project_id: int | None) -> int:
    rows = 0
    with store.snapshot() as db:
        _put(lines, {"fewshot": "backup", "tables": version(db)})
        for name, table in TABLES.items():
            query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=CHUNK_ROWS)
            if project_id is not None:
                query = query.where(belongs_to_project(table, project_id))
            for row in db.execute(query):
                _put(lines, [name, dict(row._mapping)])
                rows += 1
    _put(lines, {"rows": rows})
    return rows


def _put(lines: IO[str], value: Any) -> None:
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=datetime.isoformat)
    if len(line) >= MAX_LINE_CHARS:
        raise StoreError(f"a row of {value[0]} has more than {MAX_LINE_CHARS:,} characters, too many for a backup")
    lines.write(line + "\n")


def _require_empty(db: Connection, place: str) -> None:
    for table in TABLES.values():
        if db.execute(select(table).limit(1)).first() is not None:
            raise StoreError(f"{place}: the database is not empty; restore into a new database (--db)")


def _bounded(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a file; ValueError for one that is longer than any row (a gzip bomb)."""
    for line in iter(lambda: file.readline(MAX_LINE_CHARS), ""):
        if len(line) == MAX_LINE_CHARS:
            raise ValueError(f"a row has more than {MAX_LINE_CHARS:,} characters")
        yield line


def _read(path: Path, lines: Iterator[str], db: Connection) -> int:
    header = json.loads(next(lines, "{}"))
    if header["fewshot"] != "backup":
        raise ValueError
    if header["tables"] != version(db):
        raise StoreError(
            f"{path}: another version of fewshot wrote this backup (tables {header['tables']}, not {version(db)}); "
            "restore it with that version"
        )
    total = 0
    for name, rows in _groups(lines):
        if name is None:
            if rows != total:
                raise ValueError
            _restart_ids(db)
            return total
        db.execute(insert(TABLES[name]), rows)
        total += len(rows)
    raise EOFError


def _groups(lines: Iterator[str]) -> Iterator[tuple[str | None, Any]]:
    """Yield (table, at most CHUNK_ROWS of its rows), and last (None, total number of rows)."""
    table: str | None = None
    rows: list[dict[str, Any]] = []
    size = 0
    for line in lines:
        value = json.loads(line)
        name, row = value if isinstance(value, list) else (None, value["rows"])
        if rows and (name != table or len(rows) == CHUNK_ROWS or size + len(line) > MAX_LINE_CHARS):
            yield table, rows
            rows, size = [], 0
        size += len(line)
        if name is None:
            yield None, row
            return
        table = name
        rows.append(_values(name, row))


def _values(table: str, row: Any) -> dict[str, Any]:
    """Return the values of a row for the database; ValueError for wrong columns or invalid values."""
    columns = TABLES[table].columns
    if not isinstance(row, dict) or row.keys() != set(columns.keys()):
        raise ValueError(f"a row of {table} has unexpected columns")
    return {name: _value(columns[name], f"{table}.{name}", value) for name, value in row.items()}


def _value(column: Column[Any], name: str, value: Any) -> Any:
    if value is None and column.nullable:
        return None
    if isinstance(column.type, UtcDateTime):
        try:
            return datetime.fromisoformat(value).astimezone(UTC)
        except OverflowError:
            raise ValueError(f"{name!r} is out of range") from None
    kind = SHAPES.get(name) or (dict if isinstance(column.type, JSON) else column.type.python_type)
    if wrong := records.find_mismatch(value, kind, name):
        raise ValueError(wrong)
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError(f"{name!r} is {str(value)[:40]!r}; expected one of {', '.join(CHOICES[name])}")
    if isinstance(column.type, Integer) and not abs(value) < 2 ** (63 if isinstance(column.type, BigInteger) else 31):
        raise ValueError(f"{name!r} is too large")
    if isinstance(column.type, Float) and not math.isfinite(value):
        raise ValueError(f"{name!r} is not a finite number")
    return value


def _restart_ids(db: Connection) -> None:
    """Set PostgreSQL's id sequences above the restored ids; SQLite does so itself."""
    if db.dialect.name == "postgresql":
        for name, table in TABLES.items():
            if "id" in table.columns:
                top = f"(SELECT max(id) FROM {name})"
                db.execute(
                    text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), {top}) WHERE {top} IS NOT NULL")
                )
