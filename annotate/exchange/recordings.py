"""Recordings of a project: uploaded files in a folder of its own, in which its sentences are heard.

They are files beside the database, not rows of it: an hour of sound has hundreds of megabytes, which every backup would
carry, and browsers ask for a few seconds out of the middle. What a sentence says of its recording is only compared with
the names of these files, and never opened as a path.
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
"""Media type and first bytes of what browsers play, by the ending of its name."""

LONGEST = 200
"""Most bytes of a name, of which file systems have 255."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a project can be heard.

    Args:
        heard: sentences whose recording is here.
        named: sentences that name a recording.
        missing: names of the recordings that are not here, each with the number of its sentences.
    """

    heard: int
    named: int
    missing: Mapping[str, int]


def folder(store: Store, project: Project) -> Path:
    """Return where the recordings of a project lie: beside an SQLite database, else in the folder of this user."""
    place = Path(store.place).resolve().parent if store.is_sqlite else user_dir()
    return place / "recordings" / folder_name(project)


def kept(store: Store, project: Project) -> dict[str, Path]:
    """Return the recordings that are here, by name; links and what is not of `KINDS` are none."""
    try:
        with os.scandir(folder(store, project)) as entries:
            names = [one.name for one in entries if one.is_file(follow_symlinks=False) and _fault(one.name) == ""]
    except FileNotFoundError:
        return {}
    return {name: folder(store, project) / name for name in sorted(names)}


def find(recordings: Collection[str], file: str) -> str | None:
    """Return the name of the recording that a sentence means, None where it is not here.

    Capitals do not count. Where none has its whole name one with another ending does: sound of a film, or compressed.

    Args:
        recordings: names of those that are here.
        file: as the sentence has it.
    """
    for part in (str, _stem):
        wanted = _folded(part(file))
        if found := next((name for name in recordings if _folded(part(name)) == wanted), None):
            return found
    return None


def add(store: Store, project: Project, name: str, sound: IO[bytes]) -> str:
    """Keep a recording, in place of one of the same name; nobody else of this machine may read it.

    Args:
        name: of its file; folders before it do not count.
        sound: read from the beginning.

    Returns:
        The name that it has here.

    Raises:
        FewshotError: when its name or its first bytes are not those of a sound that browsers play, or it cannot be
            written; nothing is changed then.
    """
    file = base_name(name)
    sound.seek(0)
    head = sound.read(16)
    if why := _fault(file) or ("" if KINDS[Path(file).suffix.lower()][1].match(head) else _not_what(file)):
        raise FewshotError(f"{file or name}: {why}")
    place = folder(store, project)
    with _explained(place):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        others = [path for other, path in kept(store, project).items() if _folded(other) == _folded(file)]
        with tempfile.NamedTemporaryFile(dir=place, prefix=".", delete=False) as made:  # of mode 0600
            try:
                sound.seek(0)
                shutil.copyfileobj(sound, made, 1 << 20)
                made.close()
                Path(made.name).replace(place / file)
            except BaseException:
                Path(made.name).unlink(missing_ok=True)
                raise
        for path in others:
            if path.name != file and path.exists() and not path.samefile(place / file):
                path.unlink()
    return file


def remove(store: Store, project: Project, name: str) -> None:
    """Remove a recording.

    Raises:
        FewshotError: when there is none of this name, or it cannot be removed.
    """
    recordings = kept(store, project)
    if name not in recordings:
        raise FewshotError(f"{name}: no such recording; there are {listed(list(recordings)) or 'none'}")
    with _explained(recordings[name]):
        recordings[name].unlink()


def remove_all(store: Store, project: Project) -> None:
    """Remove all recordings of a project that is deleted.

    Raises:
        FewshotError: with the place of what cannot be removed.
    """
    place = folder(store, project)
    with _explained(place):
        if place.is_dir():
            shutil.rmtree(place)


def coverage(named: Mapping[str, int], recordings: Collection[str]) -> Coverage:
    """Return how much of a project can be heard.

    Args:
        named: see `Store.count_recordings`.
        recordings: names of those that are here.
    """
    missing = {file: count for file, count in named.items() if find(recordings, file) is None}
    total = sum(named.values())
    return Coverage(total - sum(missing.values()), total, missing)


def _fault(file: str) -> str:
    """Return why a name cannot be that of a recording; empty where it can."""
    if Path(file).suffix.lower() not in KINDS:
        return f"no recording that browsers play; make one of {listed(list(KINDS))}"
    if file.startswith(".") or len(file.encode()) > LONGEST or base_name(file) != file:
        return "no name for a recording; rename the file"
    return ""


def _not_what(file: str) -> str:
    return f"it does not begin as {Path(file).suffix.lower()} does; is it something else, under this name?"


def _stem(file: str) -> str:
    return file.rpartition(".")[0] or file


def _folded(name: str) -> str:
    """Return a name as all systems have it; some write letters and their marks apart."""
    return composed(name).casefold()


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FewshotError(f"{error.filename or place}: {error.strerror}; make room, or change its rights") from None
