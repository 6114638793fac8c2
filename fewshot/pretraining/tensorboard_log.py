"""A log of a pretraining for TensorBoard, if it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LOG = "log"
"""Folder of the event files."""

AddScalars = Callable[[int, Mapping[str, float]], None]
"""Takes the number of an update, and values by the name of their curve."""


@contextmanager
def tensorboard_log(folder: Path, first: int, warn: Callable[[str], None]) -> Iterator[AddScalars]:
    """Open a log, which replaces that of an earlier run in the folder from the update ``first`` on.

    ``warn`` is called with a line when TensorBoard is missing and nothing is written.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        warn("no TensorBoard log is written; for one: pip install 'fewshot[tensorboard]'")
        yield lambda update, values: None
        return
    with SummaryWriter(str(folder / LOG), purge_step=first) as writer:

        def add(update: int, values: Mapping[str, float]) -> None:
            for name, value in values.items():
                writer.add_scalar(name, value, update)

        yield add
