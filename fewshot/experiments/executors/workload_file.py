"""A temporary file from which all processes of this machine map a workload into memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import torch
from filelock import FileLock, Timeout

from fewshot.experiments.executors.base import F, R, Workload

PREFIX = "fewshot-"
"""Prefix of the temporary folders of workload files."""

FILE, LOCK = "work.pt", ".lock"


@contextmanager
def workload_file(work: Workload[R, F]) -> Iterator[Path]:
    """Write a workload to a temporary file and delete the file at the end.

    First removes the files that killed processes left. A lock in the folder, created before the file and released by
    the system when this process dies, marks the file as in use.
    """
    _remove_left()
    temporary = TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)  # Windows keeps a mapped file
    with temporary as folder, FileLock(Path(folder) / LOCK):
        file = Path(folder) / FILE
        torch.save(work, file)
        yield file


def _remove_left() -> None:
    """Remove the folders of killed processes of this user; folders of other users may contain links."""
    for file in filter(_is_own, Path(gettempdir()).glob(f"{PREFIX}*/{FILE}")):
        with suppress(Timeout, OSError), FileLock(file.with_name(LOCK), timeout=0):  # skips files in use
            file.unlink()
            shutil.rmtree(file.parent, ignore_errors=True)


def _is_own(file: Path) -> bool:
    """Return whether the folder of a file belongs to this user (always on Windows) and is not a link."""
    try:
        status = file.parent.lstat()
    except OSError:  # removed meanwhile
        return False
    return not file.parent.is_symlink() and (os.name == "nt" or status.st_uid == os.getuid())
