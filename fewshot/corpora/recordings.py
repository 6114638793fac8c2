"""The part of a recording in which a sentence is heard.

Files may name any path or URL. The path is never opened: only its last part identifies the recording.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote

SCHEME = re.compile(r"[A-Za-z][\w+.-]*:")
"""The beginning of a URL or of a Windows path."""

TIME = re.compile(r"(?:[0-9]{1,4}:){0,2}[0-9]{1,9}(?:\.[0-9]{1,9})?")
"""Seconds, or hours, minutes and seconds."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A part of a recording.

    Args:
        file: name without folders.
        begin: in seconds.
        end: in seconds; None: the end of the recording.
    """

    file: str
    begin: float = 0.0
    end: float | None = None


def stretch(named: str, begin: float = 0.0, end: float | None = None) -> Recording | None:
    """Return a part of the recording that a path or URL names; None without a file name or duration.

    Args:
        begin: in seconds.
        end: in seconds; None: the end of the recording.
    """
    file = base_name(named)
    return Recording(file, begin, end) if file and begin >= 0 and (end is None or begin < end) else None


def base_name(named: str) -> str:
    """Return the last part of a path (any system) or URL; empty when it is not a valid file name."""
    path = named.strip().strip("\"'")
    if "://" in path and not path.lower().startswith("file:"):
        path = re.split("[?#]", path)[0]
    if scheme := SCHEME.match(path):
        path = unquote(path) if len(scheme[0]) > 2 else path  # a single letter is a drive
        path = path[scheme.end() :]
    name = re.split(r"[/\\]", path)[-1].strip()
    return "" if name in (".", "..") or not name.isprintable() else name


def seconds(written: str) -> float | None:
    """Parse a time, ``seconds`` or ``hours:minutes:seconds``, to seconds; None when it is invalid."""
    if not TIME.fullmatch(written):
        return None
    total = 0.0
    for part in written.split(":"):
        total = 60 * total + float(part)
    return total


def join_recordings(recordings: Iterable[Recording | None]) -> Recording | None:
    """Return the recording of consecutive sentences: first begin to last end in the file of the first."""
    known = [recording for recording in recordings if recording]
    same = [recording for recording in known if recording.file == known[0].file]
    if not same:
        return None
    ends = [recording.end for recording in same if recording.end is not None]
    end = max(ends) if len(ends) == len(same) else None
    return replace(same[0], begin=min(recording.begin for recording in same), end=end)
