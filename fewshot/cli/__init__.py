"""The command line: one file for each command; all commands can be called from Python too.

A file of this package registers its command when imported, so that a new command is one new file. Large libraries such
as torch are imported inside the functions that need them, so that ``--help`` answers at once. The files are imported
when `app` is first needed: processes started by a command import this package only.
"""

import os
import sys
from io import TextIOWrapper
from typing import Any, NoReturn

__all__ = ["app", "main"]

ORDER = (
    "run",
    "sweep",
    *("zero_shot", "transfer", "sources", "predict", "push", "compare"),
    *("source", "adapt_encoder", "pretrain", "shrink"),
    *("data.list", "data.get", "data.check"),
)
"""Modules whose commands come first in ``--help``, in this order; the others follow by name."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""


def main() -> None:
    """Run the command line; characters that the output encoding lacks are printed as escapes."""
    if os.environ.get("COLUMNS") == "0":  # of some terminals; rich would print nothing
        del os.environ["COLUMNS"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        _app()()
    except KeyboardInterrupt:  # before a command has begun; commands handle the interrupt themselves
        end_stopped("nothing was changed")


def end_stopped(done: str) -> NoReturn:
    """End the command with one line and the exit code of an interrupt.

    Args:
        done: text about the state of the work.
    """
    sys.stderr.write(f"\nstopped; {done}\n")
    raise SystemExit(INTERRUPTED)


def __getattr__(name: str) -> Any:
    if name == "app":
        return _app()
    raise AttributeError(f"module 'fewshot.cli' has no attribute {name!r}; it has {', '.join(__all__)}")


def _app() -> Any:
    """Return the application with all commands registered."""
    from fewshot.cli.common.base import app, discover

    discover(__name__, ORDER)
    return app
