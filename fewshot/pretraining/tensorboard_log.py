"""Numbers of a pretraining, written where TensorBoard reads them, if it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LOG = "log"
"""Folder of the event files."""

AddScalars = Callable[[int, Mapping[str, float]], None]
"""Takes the number of an update, and numbers by the name of their curve."""


@contextmanager
def tensorboard_log(folder: Path, first: int, warn: Callable[[str], None]) -> Iterator[AddScalars]:
    """Open a log; what an earlier one in the folder holds of the first update and later ones no longer counts.

    Args:
        folder: gets a folder with the event files.
        first: number of the update that is to come.
        warn: called with one line where TensorBoard is not installed: then nothing is written.
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
