"""Cache of treebanks: ``<root>/<release>/<UD name>/<code>-ud-<split>.conllu`` and a manifest.

A folder of the cache is an ordinary folder of CoNLL-U files; users may also put files there.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from fewshot.corpora.files import file_hash
from fewshot.corpora.ud import manifest
from fewshot.corpora.ud.download import Fetched, exists, fetch, unwritable
from fewshot.corpora.ud.inventory import CachedTreebank, CacheProblem, check, listing
from fewshot.corpora.ud.manifest import SPLITS, DownloadedFile, Manifest, default_root, files_of
from fewshot.corpora.ud.treebanks import Treebank
from fewshot.corpora.ud.web import DownloadError, NotFoundError
from fewshot.errors import FewshotError

__all__ = [
    "HOME",
    "RELEASE",
    "SPLITS",
    "CacheProblem",
    "CachedTreebank",
    "FileProgress",
    "Transfer",
    "check",
    "default_root",
    "folder_of",
    "get",
    "listing",
    "release_tag",
]

RELEASE = "r2.16"
HOME = "https://raw.githubusercontent.com/UniversalDependencies"
"""Where the treebanks are published, below it ``/<UD name>/<release tag>/<file>``."""

FileProgress = Callable[[str, int, int | None], None]
"""Called with the file name, the bytes so far and the total (None when the server does not say)."""

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def release_tag(release: str) -> str:
    """Return the tag of a release: ``2.16`` becomes ``r2.16``; raise `FewshotError` for invalid tags."""
    if not _TAG.fullmatch(release):
        raise FewshotError(f"{release!r} is not a UD release; releases are named like {RELEASE}")
    return f"r{release}" if release[0].isdigit() else release


def folder_of(treebank: Treebank, release: str = RELEASE, root: Path | None = None) -> Path:
    """Return the folder of a treebank, whether it exists or not."""
    return (root or default_root()) / release_tag(release) / treebank.name


@dataclass(frozen=True, slots=True)
class Transfer:
    """Download settings: timeouts in seconds, attempts, and the function that waits between attempts."""

    timeout: float = 30.0
    attempts: int = 4
    wait: Callable[[float], None] = time.sleep
    lock_timeout: float = 600.0


def get(
    treebank: Treebank,
    release: str = RELEASE,
    root: Path | None = None,
    base_url: str = HOME,
    progress: FileProgress | None = None,
    *,
    transfer: Transfer | None = None,
) -> dict[str, Path]:
    """Return the path of each split of a treebank, after downloading those that are not cached.

    Concurrent calls for the same treebank take turns; the second one finds the files of the first. A split that the
    treebank does not have is left out and recorded as absent.

    Args:
        treebank: as returned by `fewshot.corpora.ud.treebanks.find`.
        release: tag of the UD release, e.g. ``r2.16``.
        root: cache folder; None: this user's.
        base_url: where the treebanks are published.
        progress: called while a file arrives.

    Raises:
        NotFoundError: when the release has no such treebank.
        DownloadError: when a file cannot be fetched, or the cache cannot be written.
        FewshotError: when the release is invalid, or the manifest is broken.
    """
    job = _Job(treebank, release_tag(release), folder_of(treebank, release, root), base_url.rstrip("/"))
    if not job.settled():
        transfer = transfer or Transfer()
        with _alone(job.folder, transfer.lock_timeout):
            _download_missing(job, progress, transfer)
    return {split: job.path(split) for split in SPLITS if job.path(split).is_file()}


@dataclass(frozen=True, slots=True)
class _Job:
    treebank: Treebank
    release: str
    folder: Path
    base_url: str

    @property
    def what(self) -> str:
        return f"{self.treebank.name} {self.release}"

    def path(self, split: str) -> Path:
        return self.folder / f"{self.treebank.code}-ud-{split}.conllu"

    def url(self, split: str) -> str:
        return f"{self.base_url}/{self.treebank.name}/{self.release}/{self.path(split).name}"

    def manifest(self) -> Manifest:
        empty = Manifest(self.treebank.name, self.treebank.code, self.release)
        return manifest.read(self.folder) or empty

    def settled(self) -> bool:
        """Return whether every split is cached or known not to exist."""
        absent = self.manifest().absent
        return all(split in absent or self.path(split).is_file() for split in SPLITS)


@contextmanager
def _alone(folder: Path, timeout: float) -> Iterator[None]:
    """Hold the lock of a folder, which is created; the system releases the lock when the process dies."""
    lock = FileLock(folder / ".lock", timeout=timeout)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise DownloadError(f"{folder}: another process is downloading into it; wait for it and try again") from None
    except OSError as error:
        raise unwritable(folder, error) from None
    try:
        yield
    finally:
        lock.release()


def _download_missing(job: _Job, progress: FileProgress | None, transfer: Transfer) -> None:
    known = job.manifest()
    for split in SPLITS:
        if split in known.absent or job.path(split).is_file():
            continue
        entry = _fetch_split(job, split, progress, transfer)
        if entry is None:
            if not _has_treebank(job, split, transfer):
                home = f"{job.base_url}/{job.treebank.name}"
                advice = f"check the name, and the release: they are named like {RELEASE}"
                raise NotFoundError(f"{job.what}: no such treebank in this release at {home}; {advice}")
            known = replace(known, absent=(*known.absent, split))
        else:
            known = replace(known, files={**known.files, job.path(split).name: entry})
        manifest.write(job.folder, known)


def _fetch_split(job: _Job, split: str, progress: FileProgress | None, transfer: Transfer) -> DownloadedFile | None:
    """Download one split, or its parts where the repository has only those; None when it has neither."""
    parts = job.treebank.train_parts if split == "train" else ()
    target = job.path(split)

    def bring(url_of: str, path: Path) -> Fetched:
        report = partial(progress, job.path(url_of).name) if progress else None
        return fetch(
            job.url(url_of),
            path,
            what=job.what,
            progress=report,
            timeout=transfer.timeout,
            attempts=transfer.attempts,
            wait=transfer.wait,
        )

    try:
        whole = bring(split, target)
        return DownloadedFile(split, (whole.url,), whole.sha256, whole.bytes)
    except NotFoundError:
        if not parts:
            return None
    pieces = [target.with_name(f"{job.path(f'{split}-{part}').name}.part") for part in parts]
    for part, piece in zip(parts, pieces, strict=True):
        if not piece.is_file():
            bring(f"{split}-{part}", piece)
    _join(pieces, target)
    urls = tuple(job.url(f"{split}-{part}") for part in parts)
    return DownloadedFile(split, urls, file_hash(target), target.stat().st_size)


def _join(pieces: Sequence[Path], target: Path) -> None:
    whole = target.with_name(f"{target.name}.partial")
    try:
        with whole.open("wb") as out:
            for piece in pieces:
                with piece.open("rb") as file:
                    shutil.copyfileobj(file, out)
        whole.replace(target)
        for piece in pieces:
            piece.unlink()
    except OSError as error:
        raise unwritable(target.parent, error) from None


def _has_treebank(job: _Job, missing: str, transfer: Transfer) -> bool:
    """Return whether the treebank exists though a split is missing: every release has a test split."""
    if files_of(job.folder):
        return True
    return missing != "test" and exists(
        job.url("test"), what=job.what, destination=job.path("test"), timeout=transfer.timeout
    )
