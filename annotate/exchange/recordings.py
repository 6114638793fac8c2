"""Recordings of a project: uploaded files in a folder of the project.

Recordings are files and not rows of the database, because an hour of sound has hundreds of megabytes, which every
backup would contain, and because browsers ask for a few seconds of a recording. The name of a recording in a sentence
is only compared with the names of these files, and never opened as a path.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from annotate.store import Project, Store
from annotate.worker.files import folder_name
from fewshot.corpora.files import user_dir
from fewshot.corpora.recordings import base_name
from fewshot.corpora.spelling import composed
from fewshot.errors import FewshotError, listed

KINDS = {
    ".wav": ("audio/wav", re.compile(rb"(RIFF|RF64)....WAVE", re.DOTALL)),
    ".mp3": ("audio/mpeg", re.compile(rb"ID3|\xff[\xe0-\xff]")),
    ".ogg": ("audio/ogg", re.compile(rb"OggS")),
    ".m4a": ("audio/mp4", re.compile(rb"....ftyp", re.DOTALL)),
    ".flac": ("audio/flac", re.compile(rb"fLaC|ID3")),
}
"""Media type and first bytes of the formats that browsers play, by suffix."""

MAX_NAME_BYTES = 200
"""Maximum bytes of a name; file systems allow 255."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a project can be heard.

    Args:
        heard: number of sentences whose recording was uploaded.
        named: number of sentences that name a recording.
        missing: number of sentences by the name of their missing recording.
    """

    heard: int
    named: int
    missing: Mapping[str, int]


def folder(store: Store, project: Project) -> Path:
    """Return the folder of a project's recordings: beside an SQLite database, else in the user's folder."""
    place = Path(store.place).resolve().parent if store.is_sqlite else user_dir()
    return place / "recordings" / folder_name(project)


def kept(store: Store, project: Project) -> dict[str, Path]:
    """Return the uploaded recordings by name, without links and files of other kinds than `KINDS`."""
    try:
        with os.scandir(folder(store, project)) as entries:
            names = [each.name for each in entries if each.is_file(follow_symlinks=False) and not _fault(each.name)]
    except FileNotFoundError:
        return {}
    return {name: folder(store, project) / name for name in sorted(names)}


def find(recordings: Collection[str], file: str) -> str | None:
    """Return the name of the recording that a sentence refers to, or None if it is missing.

    Case is ignored. If no recording has the whole name, one with another suffix is taken: the sound of a film, or a
    compressed version.

    Args:
        recordings: names of the uploaded recordings.
        file: name in the sentence.
    """
    for part in (str, _stem):
        wanted = _folded(part(file))
        if match := next((name for name in recordings if _folded(part(name)) == wanted), None):
            return match
    return None


def add(store: Store, project: Project, name: str, sound: IO[bytes]) -> str:
    """Store a recording, and replace one with the same name; other users of the machine cannot read it.

    Args:
        name: of the file; folders in it are ignored.
        sound: is read from the beginning.

    Returns:
        The name of the stored recording.

    Raises:
        FewshotError: when name or first bytes are not those of a format that browsers play, or when the file cannot be
            written; nothing is changed.
    """
    file = base_name(name)
    sound.seek(0)
    head = sound.read(16)
    if fault := _fault(file) or ("" if KINDS[Path(file).suffix.lower()][1].match(head) else _wrong_bytes(file)):
        raise FewshotError(f"{file or name}: {fault}")
    place = folder(store, project)
    with _explained(place):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        replaced = [path for kept_name, path in kept(store, project).items() if _folded(kept_name) == _folded(file)]
        with tempfile.NamedTemporaryFile(dir=place, prefix=".", delete=False) as temporary:  # mode 0600
            try:
                sound.seek(0)
                shutil.copyfileobj(sound, temporary, 1 << 20)
                temporary.close()
                Path(temporary.name).replace(place / file)
            except BaseException:
                Path(temporary.name).unlink(missing_ok=True)
                raise
        for path in replaced:
            if path.name != file and path.exists() and not path.samefile(place / file):
                path.unlink()
    return file


def remove(store: Store, project: Project, name: str) -> None:
    """Remove a recording.

    Raises:
        FewshotError: when the recording does not exist or cannot be removed.
    """
    recordings = kept(store, project)
    if name not in recordings:
        raise FewshotError(f"{name}: no such recording; there are {listed(list(recordings)) or 'none'}")
    with _explained(recordings[name]):
        recordings[name].unlink()


def remove_all(store: Store, project: Project) -> None:
    """Remove all recordings of a project.

    Raises:
        FewshotError: names the file that cannot be removed.
    """
    place = folder(store, project)
    with _explained(place):
        if place.is_dir():
            shutil.rmtree(place)


def coverage(named: Mapping[str, int], recordings: Collection[str]) -> Coverage:
    """Return how much of a project can be heard.

    Args:
        named: number of sentences by the name of their recording, see `Store.count_recordings`.
        recordings: names of the uploaded recordings.
    """
    missing = {file: count for file, count in named.items() if find(recordings, file) is None}
    total = sum(named.values())
    return Coverage(total - sum(missing.values()), total, missing)


def _fault(file: str) -> str:
    """Return why a name is not a valid name of a recording, or an empty string."""
    if Path(file).suffix.lower() not in KINDS:
        return f"no recording that browsers play; make one of {listed(list(KINDS))}"
    if file.startswith(".") or base_name(file) != file or len(file.encode()) > MAX_NAME_BYTES:
        return "no name for a recording; rename the file"
    return ""


def _wrong_bytes(file: str) -> str:
    return f"the file does not begin like a {Path(file).suffix.lower()} file; check that its name is right"


def _stem(file: str) -> str:
    return file.rpartition(".")[0] or file


def _folded(name: str) -> str:
    """Return a name for comparison: case is ignored, and some systems decompose letters with marks."""
    return composed(name).casefold()


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FewshotError(f"{error.filename or place}: {error.strerror}; make room, or change its rights") from None
