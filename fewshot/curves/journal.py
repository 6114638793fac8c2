"""An append-only file of JSON lines; a kill or a full disk never damages a finished line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fewshot.errors import FewshotError


def read(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and text of each complete line; nothing if the file is missing."""
    if path.exists():
        lines = path.read_bytes().split(b"\n")[:-1]  # a crash cut off the text after the last line end
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
        if path.exists():
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
    """Remove a line that a crash cut off; the folder must be locked."""
    if path.exists():
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)


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
