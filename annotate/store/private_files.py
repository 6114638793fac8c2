"""The file of an SQLite database, which nobody but its owner may read."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from annotate.store.errors import StoreError
from fewshot.corpora.files import private_user_dir, user_dir

SUFFIXES = ("", "-wal", "-shm")
"""Endings of the names of a database and its log."""


def create(file: Path) -> list[Path]:
    """Create a database file with its folders, unless they exist, and return those that did not exist.

    Raises:
        StoreError: when the file or a folder cannot be created.
    """
    try:
        missing = [path for path in (file, *file.parents) if not path.exists()]
        _make_folder(file.parent)
        _make_private(file)
    except OSError as error:  # a folder that this user may not read, or a name that is too long
        raise StoreError(f"{str(file)[:80]!r}: cannot use this file: {error.strerror}; choose another one") from None
    except ValueError:  # a name with U+0000
        raise StoreError(f"{str(file)[:80]!r}: not a valid file name; choose another one") from None
    return missing


def remove(created: Sequence[Path]) -> None:
    """Remove what `create` has created, except for folders that contain something else by now."""
    for file in created[:1]:
        for suffix in SUFFIXES:
            file.with_name(file.name + suffix).unlink(missing_ok=True)
    for folder in created[1:]:
        with suppress(OSError):
            folder.rmdir()


def _make_folder(folder: Path) -> None:
    try:
        if folder == user_dir():
            private_user_dir()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot create this folder: {error.strerror}; choose another one") from None


def _make_private(file: Path) -> None:
    """Restrict a database, which has password hashes, and its log to the owner and a writing group."""
    try:
        file.touch(mode=0o600)
        for suffix in SUFFIXES:
            _restrict_permissions(file.with_name(file.name + suffix))
    except OSError as error:
        raise StoreError(f"{file}: cannot create this file: {error.strerror}; choose another one") from None


def _restrict_permissions(file: Path) -> None:
    """Remove other users' permissions from a file of this user, if it exists and the system has any."""
    if os.name == "nt" or not file.exists() or file.stat().st_uid != os.getuid():
        return
    mode = stat.S_IMODE(file.stat().st_mode)
    private = mode & (0o770 if mode & 0o020 else 0o700)
    if private != mode:
        file.chmod(private)
