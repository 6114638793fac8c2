"""The errors of invalid input.

Every message says what is wrong, where (``file:line`` if there is a file), and what to do.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class FewshotError(Exception):
    """An error that the user can correct; the command line prints its text and exits with code 2."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling of subclasses whose constructor takes other arguments than the message."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class DivergedError(FewshotError):
    """A training has ended in weights that are infinite or not a number."""


MAX_CHARACTERS = 1_000
"""Most characters of the message about a file, which may quote a value of megabytes."""


def shortened(text: str) -> str:
    """Return the beginning and the end of a text of more than `MAX_CHARACTERS`, else the text."""
    half = MAX_CHARACTERS // 2
    return text if len(text) <= MAX_CHARACTERS else f"{text[:half]} ... {text[-half:]}"


class CorpusError(FewshotError):
    """An invalid corpus file.

    Args:
        line: number of the line, if known.
    """

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.message = shortened(message)
        self.where = shortened("" if path is None else str(path) if line is None else f"{path}:{line}")
        super().__init__(f"{self.where}: {self.message}" if self.where else self.message)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if there is no message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


MAX_NAMES = 30
"""Maximum number of names that a message lists."""


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names as in a sentence: ``LOC, ORG and PER``; long lists end with the number of others."""
    shown = [*names[:most], f"{len(names) - most} more"] if len(names) > most + 1 else list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: int, things: str) -> str:
    """Return a number with its things, such as ``1 sentence`` or ``1,200 sentences``."""
    return f"{number:,} {things.removesuffix('s') if number == 1 else things}"


class UnknownNameError(FewshotError):
    """A name that is not in a registry (language, task, sampler, model ...).

    Args:
        kind: kind of the name, e.g. ``"task"``.
        name: the unknown name.
        known: the valid names; the message suggests the most similar ones.
        hint: advice at the end of the message.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=3, cutoff=0.5)
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        offer = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(names[:MAX_NAMES])}{more}."
        offer = offer if names else f"there is no {kind} yet."
        super().__init__(f"unknown {kind} {name!r}: {offer}" + (f" {hint}" if hint else ""))
