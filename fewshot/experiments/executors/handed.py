"""The file by which processes of this machine are handed their work, all of which map it into memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import torch
from filelock import FileLock, Timeout

from fewshot.experiments.executors.base import F, R, Work

PREFIX = "fewshot-"
"""Of the folders of such files, among the temporary ones."""

FILE, LOCK = "work.pt", ".lock"


@contextmanager
def handed_over(work: Work[R, F]) -> Iterator[Path]:
    """Write work to a file, and remove that at the end, and before all else those of processes that were killed.

    A lock in its folder, which the system releases when this process dies, says that the file is needed. It is there
    before the file.
    """
    _remove_left()
    made = TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)  # some systems keep a file that is mapped
    with made as folder, FileLock(Path(folder) / LOCK):
        file = Path(folder) / FILE
        torch.save(work, file)
        yield file


def _remove_left() -> None:
    """Remove the folders of processes that were killed, this user's alone: others may have put links into theirs."""
    for file in filter(_is_own, Path(gettempdir()).glob(f"{PREFIX}*/{FILE}")):
        with suppress(Timeout, OSError), FileLock(file.with_name(LOCK), timeout=0):  # in use
            file.unlink()
            shutil.rmtree(file.parent, ignore_errors=True)


def _is_own(file: Path) -> bool:
    """Return whether a file's folder is no link, and this user's; on Windows the temporary ones all are."""
    try:
        found = file.parent.lstat()
    except OSError:  # gone meanwhile
        return False
    return not file.parent.is_symlink() and (os.name == "nt" or found.st_uid == os.getuid())
