"""How many processes this machine takes for some work, by its cores and its memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

import torch

from fewshot.encoders.load import Encoder
from fewshot.experiments.executors.base import F, R, Work

PROCESS_BYTES = 1.0e9
"""What a process holds beside its weights: the libraries, and what is computed of a batch."""

WEIGHT_BYTES = 4 * 4
"""Of a weight that is trained: itself, its gradient and the two means of AdamW."""

CONTROL_GROUPS = Path("/sys/fs/cgroup")
"""Where Linux says what a container, or a job of a cluster, may take."""

OWN_GROUPS = Path("/proc/self/cgroup")
"""Where it says which control groups this process is in: lines of number, controllers (none: version 2) and path."""


def fitting(work: Work[R, F], sharing: int = 1) -> int | None:
    """Return how many processes this machine takes for some work: a core each, and half of its memory.

    None where one process is best, this one: on a GPU, on one core, and for a single run.

    Args:
        work: what is to be done.
        sharing: others that share its memory, this one included; its cores are those of this process's threads.
    """
    if work.device.type != "cpu":
        return None
    most = min(torch.get_num_threads(), int(memory() / 2 / sharing / work.process_bytes), work.long_runs)
    return most if most > 1 else None


def training_bytes(encoder: Encoder) -> float:
    """Return the memory of a process that trains an encoder, but for its embeddings."""
    return PROCESS_BYTES + WEIGHT_BYTES * encoder.body


def memory() -> float:
    """Return the bytes of memory of this machine, or of its container or job where these may take less."""
    return min([_of_machine(), *_limits(CONTROL_GROUPS, OWN_GROUPS)])


def _of_machine() -> float:
    """Return the bytes of memory; where the system does not say, those of a small laptop."""
    if not hasattr(os, "sysconf"):
        return 8e9
    return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _limits(root: Path, own: Path) -> Iterator[float]:
    """Yield the limits of the control groups that a process is in, and of those above them, be it version 1 or 2.

    In a container the root is its own group, whatever path the process is told.
    """
    groups = [("", "/"), ("memory", "/")]
    with suppress(OSError):  # another system
        groups += [(names, path) for _, names, path in (line.split(":", 2) for line in own.read_text().splitlines())]
    for names, path in groups:
        if names and "memory" not in names.split(","):
            continue
        folder, file = (root / "memory", "memory.limit_in_bytes") if names else (root, "memory.max")
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):
            with suppress(OSError, ValueError):  # it is not seen from here, or has no limit: "max"
                yield float(int((folder / group.relative_to("/") / file).read_text()))
