"""The one family of errors a user can meet.

Every message says what was wrong, where (``file:line`` when there is a file), and what to do.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class FewshotError(Exception):
    """Something the user can put right; the command line prints its text and exits with code 2."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Let other processes have it as it is, though subclasses make their text of other arguments than it."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class CorpusError(FewshotError):
    """A corpus file that cannot be read as what it claims to be.

    Args:
        message: what is wrong and what to do.
        path: of the file, or a place in it.
        line: of the file, where it is known.
    """

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.where = "" if path is None else str(path) if line is None else f"{path}:{line}"
        super().__init__(f"{self.where}: {message}" if self.where else message)


MAX_LISTED = 30
"""Most names that a message lists."""


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names as in a sentence: ``LOC, ORG and PER``; of many names the first ones."""
    shown = [*names[:most], f"{len(names) - most} more"] if len(names) > most + 1 else list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


class UnknownNameError(FewshotError):
    """A name that is not in a registry (language, task, sampler, model ...).

    Args:
        kind: what the name stands for, e.g. ``"task"``.
        name: what the user wrote.
        known: the valid names; the nearest ones are offered.
        hint: what else the user could do.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=3, cutoff=0.5)
        more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        offer = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(names[:MAX_LISTED])}{more}."
        offer = offer if names else f"there is no {kind} yet."
        super().__init__(f"unknown {kind} {name!r}: {offer}" + (f" {hint}" if hint else ""))
