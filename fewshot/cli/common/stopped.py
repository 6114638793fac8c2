"""How a command ends that its user stops."""

from __future__ import annotations

import sys
from typing import NoReturn

INTERRUPTED = 130
"""Exit code of what Ctrl-C has ended, as shells have it."""


def end_stopped(done: str) -> NoReturn:
    """End the command with one line.

    Args:
        done: what it says of what is done.
    """
    sys.stderr.write(f"\nstopped; {done}\n")
    raise SystemExit(INTERRUPTED)
