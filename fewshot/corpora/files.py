"""Text files: read with clear errors, replaced only as a whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import platformdirs

from fewshot.errors import CorpusError


def cache_dir() -> Path:
    """Return the cache folder of this user on this system."""
    return platformdirs.user_cache_path("fewshot", appauthor=False)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file, each with its line end.

    Raises:
        CorpusError: when the file is missing, empty, or not UTF-8 (with the line of the first bad byte).
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError("no such file", path) from None
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror}", path) from None
    if not data.strip():
        raise CorpusError("the file is empty", path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        bad = data[error.start]
        raise CorpusError(f"byte 0x{bad:02x} is not UTF-8; save the file as UTF-8", path, line) from None
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text through a temporary file and an atomic rename: readers see the old or the new file.

    Raises:
        CorpusError: when the folder cannot be written or the disk is full; an existing file is left as it was.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".partial")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink(missing_ok=True)
        raise CorpusError(f"cannot be written: {error.strerror}", path) from None
