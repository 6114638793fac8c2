"""Cache of treebanks: ``<root>/<release>/<UD name>/<code>-ud-<split>.conllu`` and a manifest.

A folder of the cache is an ordinary folder of CoNLL-U files; users may also put files there. `get` downloads what is
missing, `listing` lists what is there, and `check` compares it with the manifests.
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

from fewshot.corpora.files import cache_dir, file_hash
from fewshot.corpora.ud import manifest
from fewshot.corpora.ud.download import Fetched, exists, fetch, unwritable
from fewshot.corpora.ud.manifest import SPLITS, DownloadedFile, Manifest, files_of
from fewshot.corpora.ud.treebanks import Treebank
from fewshot.corpora.ud.web import DownloadError, NotFoundError, Source
from fewshot.errors import FewshotError

RELEASE = "r2.16"
HOME = "https://raw.githubusercontent.com/UniversalDependencies"
"""Where the treebanks are published, below it ``/<UD name>/<release tag>/<file>``."""

FileProgress = Callable[[str, int, int | None], None]
"""Called with the file name, the bytes so far and the total (None when the server does not say)."""

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def default_root() -> Path:
    """Return the folder of this user's downloaded treebanks."""
    return cache_dir() / "ud"


def release_tag(release: str) -> str:
    """Return the tag of a release: ``2.16`` becomes ``r2.16``; raise `FewshotError` for invalid tags."""
    if not _TAG.fullmatch(release):
        raise FewshotError(f"{release!r} is not a UD release; releases are named like {RELEASE}")
    return f"r{release}" if release[0].isdigit() else release


def folder_of(treebank: Treebank, release: str = RELEASE, root: Path | None = None) -> Path:
    """Return the folder of a treebank, whether it exists or not."""
    return (root or default_root()) / release_tag(release) / treebank.name


@dataclass(frozen=True, slots=True)
class CachedTreebank:
    """A treebank with at least one file in the cache.

    Args:
        name: e.g. ``UD_Japanese-GSD``.
        release: e.g. ``r2.16``.
        splits: with a file, in the order train, dev, test.
    """

    name: str
    release: str
    splits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CacheProblem:
    """A problem of a file in the cache; the message says what is wrong and what to do."""

    path: Path
    message: str


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
        source = Source(job.url(url_of), path, job.what, transfer.timeout)
        return fetch(source, report, transfer.attempts, transfer.wait)

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
    return missing != "test" and exists(Source(job.url("test"), job.path("test"), job.what, transfer.timeout))


def listing(root: Path | None = None) -> list[CachedTreebank]:
    """Return the cached treebanks by release and name."""
    return [
        CachedTreebank(folder.name, folder.parent.name, tuple(split for _, split in files))
        for folder in _folders(root or default_root())
        if (files := files_of(folder))
    ]


def check(root: Path | None = None, parse: Callable[[Path], object] | None = None) -> list[CacheProblem]:
    """Compare the cached files with their manifests; return the problems in the order of paths.

    Args:
        root: cache folder; None: this user's.
        parse: called with each unchanged file; a `FewshotError` it raises becomes a problem.
    """
    return [problem for folder in _folders(root or default_root()) for problem in _check_folder(folder, parse)]


def _folders(root: Path) -> list[Path]:
    return sorted(folder for folder in root.glob("*/UD_*") if folder.is_dir())


def _check_folder(folder: Path, parse: Callable[[Path], object] | None) -> list[CacheProblem]:
    try:
        known = manifest.read(folder)
    except FewshotError as error:
        return [CacheProblem(folder / manifest.FILE_NAME, str(error))]
    entries = dict(known.files) if known else {}
    problems = []
    for name, entry in entries.items():
        problems += _check_file(folder / name, entry, parse)
    for path, _ in files_of(folder):
        if path.name not in entries:
            message = f"{path}: has no record, so there is nothing to compare it with (was it put here by hand?)"
            problems.append(CacheProblem(path, message))
            problems += _parsed(path, parse)
    for path in [*folder.glob("*.partial"), *folder.glob("*.part")]:
        size = path.stat().st_size
        problems.append(CacheProblem(path, f"{path}: unfinished download, {size} bytes; get continues it"))
    return sorted(problems, key=lambda problem: problem.path)


def _check_file(path: Path, entry: DownloadedFile, parse: Callable[[Path], object] | None) -> list[CacheProblem]:
    again = "delete it and get it again"
    try:
        digest, size = file_hash(path), path.stat().st_size
    except FileNotFoundError:
        return [CacheProblem(path, f"{path}: is gone; get it again")]
    except OSError as error:
        return [CacheProblem(path, f"{path}: cannot be read ({error.strerror}); {again}")]
    if size != entry.bytes:
        return [CacheProblem(path, f"{path}: has {size} bytes, {entry.bytes} were downloaded; {again}")]
    if digest != entry.sha256:
        return [CacheProblem(path, f"{path}: is not what was downloaded (SHA-256 {digest}); {again}")]
    return _parsed(path, parse)


def _parsed(path: Path, parse: Callable[[Path], object] | None) -> list[CacheProblem]:
    try:
        if parse:
            parse(path)
    except FewshotError as error:
        return [CacheProblem(path, str(error))]
    return []
