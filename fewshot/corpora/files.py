"""Read text files with clear errors, and replace files atomically."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import IO, TypeAlias, TypeVar

import platformdirs

from fewshot.errors import CorpusError

Row = TypeVar("Row")
Result = TypeVar("Result")

BINARY: Mapping[bytes, str] = {
    codecs.BOM_UTF16_LE: "UTF-16; save it as UTF-8",
    codecs.BOM_UTF16_BE: "UTF-16; save it as UTF-8",
    b"PK\x03\x04": "an archive (ZIP), or a document of Excel or Word; unpack it, or save it as text in UTF-8",
    b"\xd0\xcf\x11\xe0": "a document of an old Excel or Word; save it as text in UTF-8",
    b"%PDF-": "a PDF; save it as text in UTF-8",
    b"\x1f\x8b": "compressed (gzip); unpack it",
}
"""What a file is that begins with some bytes, none of which begin a text, and what to do."""

NO_TEXT: Mapping[str, str] = {
    "\0": "control character U+0000; remove it, or save the file as UTF-8 if it is UTF-16",
    "\x1a": "control character U+001A, the end of a file in DOS; remove it",
}
"""Characters that no text has, with the message about each."""

Report: TypeAlias = Callable[[CorpusError], None]
"""Handles the error of a bad row: raises it (`fail`), or records it and lets the reader continue."""


def cache_dir() -> Path:
    """Return the cache folder of this user on this system."""
    return platformdirs.user_cache_path("fewshot", appauthor=False)


def user_dir() -> Path:
    """Return the folder of this user for persistent data, such as databases, on this system."""
    return platformdirs.user_data_path("fewshot", appauthor=False)


def private_user_dir() -> Path:
    """Return `user_dir`, created if needed and readable by this user only."""
    folder = user_dir()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        folder.chmod(0o700)
    return folder


def line_after(where: str, lines: int) -> str:
    """Return ``file:line`` of a line so many lines after ``where``, which may name a file alone."""
    file, _, first = where.rpartition(":")
    return f"{file}:{int(first) + lines}" if first.isdecimal() else where


def fail(error: CorpusError) -> None:
    """Raise the error of a bad row: the default `Report` of readers."""
    raise error


def raise_all(errors: Sequence[CorpusError], report: Report) -> None:
    """Report all errors of a row but the last, which is raised."""
    for error in errors[:-1]:
        report(error)
    if errors:
        raise errors[-1]


def keep(make: Callable[[Row], Result], rows: Iterable[Row], report: Report) -> Iterator[Result]:
    """Yield the result of ``make`` for each row; pass the error of a bad row to ``report``."""
    for row in rows:
        try:
            yield make(row)
        except CorpusError as error:
            report(error)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file, each with its line end.

    Raises:
        CorpusError: when the file is missing, empty or not UTF-8, or has a character of `NO_TEXT` (with its line).
    """
    return _decode_lines(read_bytes(path), path)


def read_rows(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file that has one row per line, each with its line end.

    Raises:
        CorpusError: as `read_lines`, and for a carriage return (CR) inside a line, which may mean two lines.
    """
    return decode_rows(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; raise `CorpusError` when it is missing or cannot be read."""
    with readable(path):
        return path.read_bytes()


def decode_rows(data: bytes, path: Path) -> list[str]:
    """Return the lines of the bytes of a file, see `read_rows`."""
    lines = _decode_lines(data, path)
    for number, line in enumerate(lines if b"\r" in data else (), start=1):
        check_line_end(line, path, number)
    return lines


def _decode_lines(data: bytes, path: Path) -> list[str]:
    if not data.strip():
        raise CorpusError("the file is empty", path)
    _check_encoding(data, path)
    return list(StringIO(_to_text(data, path), newline="\n"))


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line that is not blank, without loading the whole file.

    Raises:
        CorpusError: when the file is missing or cannot be read.
    """
    with readable(path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if number == 1:
                _check_encoding(line, path)
            if line.strip():
                yield number, line


def raw_rows(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line that is not blank, each with the blank lines after it.

    Blank lines at the beginning of the file belong to the first row.

    Raises:
        CorpusError: when the file is missing or cannot be read.
    """
    leading, number, row = b"", 0, b""
    with readable(path), path.open("rb") as file:
        for place, line in enumerate(file, start=1):
            if place == 1:
                _check_encoding(line, path)
            if not line.strip():
                row, leading = (row + line, b"") if row else (b"", leading + line)
                continue
            if row:
                yield number, row
            number, row, leading = place, leading + line, b""
    if row:
        yield number, row


def decode(path: Path, number: int, line: bytes) -> str:
    """Return a line without line end and byte order mark; raise `CorpusError` when it is no text."""
    text = _to_text(line, path, number)
    return (text.removeprefix("\ufeff") if number == 1 else text).rstrip("\r\n")


def check_line_end(line: str, path: Path, number: int) -> None:
    """Refuse a line with a carriage return (CR) before its end: tools disagree whether CR ends a line."""
    if "\r" in line.rstrip("\r\n"):
        message = "a carriage return (CR) inside a line; save the file with LF or CRLF line ends"
        raise CorpusError(message, path, number)


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn the errors of opening and reading a file into `CorpusError`."""
    try:
        yield
    except FileNotFoundError:
        raise CorpusError("no such file", path) from None
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror}", path) from None


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_encoding(start: bytes, path: Path) -> None:
    """Refuse files of `BINARY`, and UTF-16 without a byte order mark before ASCII characters."""
    kind = next((kind for beginning, kind in BINARY.items() if start.startswith(beginning)), "")
    if b"\0\0" in (start[:3:2], start[1:4:2]):
        kind = BINARY[codecs.BOM_UTF16_LE]
    if kind:
        raise CorpusError(f"the file is {kind}", path)


def _to_text(data: bytes, path: Path, number: int | None = None) -> str:
    """Return the text of UTF-8 bytes.

    Args:
        number: of the line, if the bytes are one line of the file.

    Raises:
        CorpusError: with ``file:line``, for a byte that is not UTF-8, and for a character of `NO_TEXT`.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place, fault = error.start, f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
    else:
        control = next((char for char in NO_TEXT if char in text), None)
        if control is None:
            return text
        place, fault = data.index(control.encode()), NO_TEXT[control]
    raise CorpusError(fault, path, number or data.count(b"\n", 0, place) + 1)


@contextlib.contextmanager
def replacing(path: Path, mode: int) -> Iterator[IO[bytes]]:
    """Yield a temporary file that replaces ``path`` by an atomic rename once it is on the disk.

    Args:
        path: the file to write or replace; its folder is created. An exception leaves the file unchanged.
        mode: permissions of the file.

    Raises:
        OSError: when the folder cannot be written, or the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".partial")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str | Iterable[str]) -> None:
    """Write UTF-8 text atomically: readers see the old or the new file.

    Args:
        text: the text, or its pieces in order, which are never all in memory.

    Raises:
        CorpusError: when the folder cannot be written, the disk is full, or the text has a lone surrogate; an existing
            file stays unchanged.
    """
    path = Path(path)
    write_bytes(path, (_encoded(piece, path) for piece in ([text] if isinstance(text, str) else text)))


def write_bytes(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file atomically: readers see the old or the new file.

    Raises:
        CorpusError: when the folder cannot be written or the disk is full; an existing file stays unchanged.
    """
    try:
        with replacing(path, 0o644) as file:
            file.writelines(pieces)
    except OSError as error:
        raise CorpusError(f"cannot be written: {error.strerror}", path) from None


def _encoded(text: str, path: Path) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        near = text[max(error.start - 20, 0) : error.start]
        raise CorpusError(f"half a character (a lone surrogate) after {near!r} cannot be written", path) from None
