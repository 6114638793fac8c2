"""Download one file: resumable, and complete before it gets its name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path

from fewshot.corpora.files import file_hash
from fewshot.corpora.ud import web
from fewshot.corpora.ud.web import DownloadError, NotFoundError, RangeError, Source, TransientError

Progress = Callable[[int, int | None], None]
"""Called with the bytes so far and the total, None when the server does not say."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete download.

    Args:
        sha256: of the content, in hexadecimal.
        bytes: size.
    """

    url: str
    sha256: str
    bytes: int


def fetch(source: Source, progress: Progress | None, attempts: int, wait: Callable[[float], None]) -> Fetched:
    """Download one file through ``<destination>.partial`` and an atomic rename.

    A partial file is continued if the server still has the same version of the file, else started again. Two concurrent
    calls for one destination need a lock, as in `fewshot.corpora.ud.cache.get`.

    Args:
        progress: called at the start and after every chunk.
        attempts: number of attempts after temporary faults.
        wait: called with the seconds before the next attempt: 1, 2, 4, ...

    Raises:
        NotFoundError: the server has no such file; not retried.
        NoNetworkError: the server cannot be reached; not retried.
        TransientError: all attempts failed; the partial file is kept for the next call.
        DownloadError: any other refusal, or a folder that cannot be written.
    """
    failed = 0
    while True:
        try:
            _download(source, progress)
            return _finish(source)
        except TransientError:
            failed += 1
            if failed >= attempts:
                raise
            wait(2.0 ** (failed - 1))
        except OSError as error:
            raise unwritable(source.destination.parent, error) from None


def exists(source: Source) -> bool:
    """Return whether a server has a file, without fetching it.

    Raises:
        DownloadError: when the server cannot be reached, or its answer is neither yes nor no.
    """
    try:
        web.request(source, {}, "HEAD").close()
    except NotFoundError:
        return False
    return True


def unwritable(folder: Path, error: OSError) -> DownloadError:
    """Return the error for a folder that cannot be written."""
    reason = error.strerror or type(error).__name__
    return DownloadError(f"{folder}: cannot be written ({reason}); free or permit it, or name another cache folder")


def _partial(source: Source) -> Path:
    return source.destination.with_name(source.destination.name + ".partial")


def _note(source: Source) -> Path:
    return source.destination.with_name(source.destination.name + ".partial.json")


def _resume_point(source: Source) -> tuple[int, str]:
    """Return size and version of the partial file; 0 when it cannot be continued."""
    try:
        note = json.loads(_note(source).read_text(encoding="utf-8"))
        size, version, url = _partial(source).stat().st_size, note["version"], note["url"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""
    return (size, version) if size and isinstance(version, str) and version and url == source.url else (0, "")


def _remove_partial(source: Source) -> None:
    _note(source).unlink(missing_ok=True)
    _partial(source).unlink(missing_ok=True)


def _download(source: Source, progress: Progress | None) -> None:
    source.destination.parent.mkdir(parents=True, exist_ok=True)
    start, version = _resume_point(source)
    try:
        response = web.request(source, {"Range": f"bytes={start}-", "If-Range": version} if start else {})
    except RangeError:
        _remove_partial(source)
        return _download(source, progress)
    with response:
        if response.status == 206 and not _continues(response, start, version):
            _remove_partial(source)
            if start:
                return _download(source, progress)
            raise DownloadError(f"{source.what}: {source.host} sent a part of {source.url} that was not asked for")
        if response.headers.get_content_type() == "text/html":
            page = "a web page instead of the file; does this network ask for a login? Else"
            raise DownloadError(f"{source.what}: {source.host} sent {page} {source.by_hand}")
        _append_body(response, source, start if response.status == 206 else 0, progress)


def _continues(response: HTTPResponse, start: int, version: str) -> bool:
    """Return whether a partial answer continues the partial file in the same version."""
    begins_there = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    return bool(start) and begins_there and web.version(response) in ("", version)


def _append_body(response: HTTPResponse, source: Source, start: int, progress: Progress | None) -> None:
    """Append the answer's body after the first ``start`` bytes of the partial file."""
    length = response.headers.get("Content-Length", "")
    total = start + int(length) if length.isdigit() else None
    if not start:
        _remove_partial(source)
    with _partial(source).open("ab") as file:
        if not start:
            note = {"url": source.url, "version": web.version(response)}
            _note(source).write_text(json.dumps(note), encoding="utf-8")
        done = start
        if progress:
            progress(done, total)
        while chunk := web.read_chunk(response, source, done, total):
            file.write(chunk)
            done += len(chunk)
            if progress:
                progress(done, total)
        file.flush()
        os.fsync(file.fileno())
    if total is not None and done < total:
        raise web.cut_off(source, done, total, "the connection closed early")


def _finish(source: Source) -> Fetched:
    partial = _partial(source)
    digest, size = file_hash(partial), partial.stat().st_size
    partial.replace(source.destination)
    _note(source).unlink(missing_ok=True)
    return Fetched(source.url, digest, size)
