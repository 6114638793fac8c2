"""Where a sentence is heard: a stretch of a recording, which each format names in its own way.

A file may name any path or URL. None is ever opened: its last part alone says which recording is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote

SCHEME = re.compile(r"[A-Za-z][\w+.-]*:")
"""How a URL begins, and a path of Windows."""

TIME = re.compile(r"(?:[0-9]{1,4}:){0,2}[0-9]{1,9}(?:\.[0-9]{1,9})?")
"""Seconds, or hours, minutes and seconds."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A stretch of a recording.

    Args:
        file: its name, without folders.
        begin: in seconds.
        end: in seconds; None: that of the recording.
    """

    file: str
    begin: float = 0.0
    end: float | None = None


def stretch(named: str, begin: float = 0.0, end: float | None = None) -> Recording | None:
    """Return a stretch of the recording that a path or URL names; None where it names none, or nothing is heard.

    Args:
        named: as a file has it.
        begin: in seconds.
        end: in seconds; None: that of the recording.
    """
    file = base_name(named)
    return Recording(file, begin, end) if file and begin >= 0 and (end is None or begin < end) else None


def base_name(named: str) -> str:
    """Return the last part of a path of any system, or of a URL; empty where that is no name of a file."""
    path = named.strip().strip("\"'")
    if "://" in path and not path.lower().startswith("file:"):
        path = re.split("[?#]", path)[0]
    if scheme := SCHEME.match(path):
        path = unquote(path) if len(scheme[0]) > 2 else path  # a letter is a drive
        path = path[scheme.end() :]
    name = re.split(r"[/\\]", path)[-1].strip()
    return "" if name in (".", "..") or not name.isprintable() else name


def seconds(written: str) -> float | None:
    """Return a time in seconds, which is written so or as ``hours:minutes:seconds``; None where it is no time."""
    if not TIME.fullmatch(written):
        return None
    total = 0.0
    for part in written.split(":"):
        total = 60 * total + float(part)
    return total


def together(found: Iterable[Recording | None]) -> Recording | None:
    """Return from where to where sentences that follow on each other are heard, of those in the first's recording."""
    known = [one for one in found if one]
    same = [one for one in known if one.file == known[0].file]
    if not same:
        return None
    ends = [one.end for one in same if one.end is not None]
    end = max(ends) if len(ends) == len(same) else None
    return replace(same[0], begin=min(one.begin for one in same), end=end)
