"""The end of a command that the user stops."""

from __future__ import annotations

import sys
from typing import NoReturn

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""


def end_stopped(done: str) -> NoReturn:
    """End the command with one line and the exit code of an interrupt.

    Args:
        done: text about the state of the work.
    """
    sys.stderr.write(f"\nstopped; {done}\n")
    raise SystemExit(INTERRUPTED)
