"""An append-only file of JSON lines; a kill or a full disk never damages a finished line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fewshot.errors import FewshotError


def read(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and text of each complete line; nothing if the file is missing.

    Raises:
        FewshotError: when the file cannot be read.
    """
    *lines, last = _read_bytes(path).split(b"\n")
    lines += [last] if _is_complete(last) else []
    yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def append(path: Path, values: Mapping[str, Any]) -> None:
    """Append a line and wait until it is on the disk.

    Raises:
        FewshotError: when the line cannot be written; the file is unchanged.
    """
    line = json.dumps(values, ensure_ascii=False).encode() + b"\n"
    size = path.stat().st_size if path.exists() else 0
    try:
        with path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):  # nothing was written to a file that may only be read
            os.truncate(path, size)
        raise FewshotError(
            f"{path}: the result cannot be written: {error.strerror}; "
            "free some space or correct the permissions, then repeat the command to resume"
        ) from None


@contextmanager
def lock_journal(path: Path) -> Iterator[None]:
    """Lock the folder of a journal, see `lock_folder`, and remove a line that a crash cut off."""
    with lock_folder(path.parent):
        trim(path)
        yield


def trim(path: Path) -> None:
    """Remove a line that a crash cut off, and end the last line; the folder must be locked.

    Raises:
        FewshotError: when the file cannot be read or written.
    """
    data = _read_bytes(path)
    last = data[data.rfind(b"\n") + 1 :]
    try:
        if _is_complete(last):  # an editor has left the line end out
            with path.open("ab") as file:
                file.write(b"\n")
        elif last:
            os.truncate(path, len(data) - len(last))
    except OSError as error:
        raise FewshotError(f"{path}: cannot be written: {error.strerror}; correct the permissions") from None


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise FewshotError(f"{path}: cannot be read: {error.strerror}; correct the permissions") from None


def _is_complete(line: bytes) -> bool:
    """Return whether a line is a whole JSON object, not one that a crash cut off."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder, created if missing, for this process.

    Raises:
        FewshotError: when the folder cannot be written, or another process has locked it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise FewshotError(
            f"{folder}: another fewshot process uses this folder; wait for its end, or give another --out"
        ) from None
    except OSError as error:
        raise FewshotError(f"{folder}: cannot be written: {error.strerror}; give another --out") from None
    try:
        yield
    finally:
        lock.release()
