"""The command line: one file a command, its options and what it does; all of it can be called from Python as well.

A file registers its command when it is imported, and every file of this package is: a new command is one new file.
It imports torch and other large libraries inside the functions that need them, so that ``--help`` answers at once.
The files are imported when `app` is first asked for: the processes that a command begins import this package alone.
"""

import sys
from io import TextIOWrapper
from typing import Any

from fewshot.cli.common.stopped import end_stopped

__all__ = ["app", "main"]

ORDER = (
    "run",
    "sweep",
    *("zero_shot", "transfer", "sources", "predict", "push", "compare"),
    *("source", "adapt_encoder", "pretrain", "shrink"),
    *("data.list", "data.get", "data.check"),
)
"""Modules whose commands ``--help`` lists first, in this order; those of other files follow by name."""


def main() -> None:
    """Run the command line; letters that the encoding of a terminal or a pipe lacks are printed as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        _app()()
    except KeyboardInterrupt:  # before a command has begun, which answers itself
        end_stopped("nothing was changed")


def __getattr__(name: str) -> Any:
    if name == "app":
        return _app()
    raise AttributeError(f"module 'fewshot.cli' has no attribute {name!r}; it has {', '.join(__all__)}")


def _app() -> Any:
    """Return the commands, all of them registered."""
    from fewshot.cli.common.base import app, discover

    discover(__name__, ORDER)
    return app
