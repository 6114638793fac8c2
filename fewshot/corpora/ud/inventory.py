"""List the cached treebanks and verify their files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fewshot.corpora.files import file_hash
from fewshot.corpora.ud import manifest
from fewshot.corpora.ud.manifest import DownloadedFile, default_root, files_of
from fewshot.errors import FewshotError


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
