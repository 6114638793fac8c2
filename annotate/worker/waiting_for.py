"""What a queued job waits for, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotate.store import Job

TITLES = {
    "ask": "suggestions of the language model",
    "cross_check": "the comparison with a model",
    "draw": "the draw",
    "learn": "the learning",
    "predict": "the labelling",
    "simulate": "the simulation",
    "suggest": "the suggestions",
    "train": "the training",
}

TIME_LEFT = re.compile(r"\d+ (s|min) left")
"""The part of a running job's message that says how long it still takes, see `annotate.worker.heartbeat`."""


def described(before: Sequence[Job], project_id: int) -> str:
    """Return the first of the jobs before another one, how long it takes, and how many follow.

    Other projects are not named, since not everybody may know of them.

    Args:
        project_id: of the job that waits.
    """
    if not before:
        return ""
    first, *others = before
    whose = "this project" if first.project_id == project_id else "another project"
    left = TIME_LEFT.search(first.message) if first.state == "running" else None
    rest = f"; then {len(others)} more" if others else ""
    return f"{TITLES[first.kind]} of {whose}{f', {left[0]}' if left else ''}{rest}"
