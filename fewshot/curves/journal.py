"""An append-only file of JSON lines, of which no kill and no full disk takes a finished line."""

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
    """Yield number and text of each line, none where there is no file; a last line that a crash cut off is left out."""
    if path.exists():
        lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line end was cut off
        yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def append(path: Path, values: Mapping[str, Any]) -> None:
    """Add a line and wait until it is on the disk.

    Raises:
        FewshotError: when it cannot be written; the file is then as it was.
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
            "free some space or mend the permissions and repeat the command, which goes on from here"
        ) from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold a journal's folder for one process, see `holding`, and trim a line that a crash cut off."""
    with holding(path.parent):
        trim(path)
        yield


def trim(path: Path) -> None:
    """Trim a line that a crash cut off, in a folder that is held."""
    if path.exists():
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Hold a folder, made if need be, for one process.

    Raises:
        FewshotError: when the folder cannot be written, or another process is working in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise FewshotError(
            f"{folder}: another fewshot run is working here; wait for it, or give another --out"
        ) from None
    except OSError as error:
        raise FewshotError(f"{folder}: cannot be written: {error.strerror}; give another --out") from None
    try:
        yield
    finally:
        lock.release()
