"""Work of an analysis that falls into turns, none of which knows of another; several processes may take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import torch

from fewshot.experiments.clock import Clock
from fewshot.experiments.executors.base import Tell, carried_out
from fewshot.experiments.executors.place import Place
from fewshot.progress import Progress, Report

T = TypeVar("T")

Do = Callable[[torch.device, Report], T]
"""What is done in a turn, on a device; told how far it is. Processes get it by pickle."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn of one of some work.

    Args:
        condition: what is done, for people; no two are the same.
        number: of what is done, among all of the work.
    """

    condition: str
    number: int


@dataclass(frozen=True, slots=True)
class Turns(Generic[T]):
    """All of it; what the turns share, such as an encoder, is handed over once.

    Args:
        does: what is done, by number.
        device: where it is done.
        process_bytes: memory that a process takes for it.
    """

    does: Sequence[Do[T]]
    device: torch.device
    process_bytes: float

    @property
    def long_runs(self) -> int:
        """All."""
        return len(self.does)

    def prepared(self) -> Turns[T]:
        """Return it as it is."""
        return self

    def on(self, device: torch.device) -> Turns[T]:
        """Return it with another device."""
        return replace(self, device=device)

    def carry_out(self, run: Turn, tell: Tell) -> T:
        """Do what is done in a turn; told of when it begins."""
        tell(run.condition, Progress(0, 1))
        return self.does[run.number](self.device, partial(tell, run.condition))

    def keep(self, run: Turn, found: T) -> T:
        """Return what was found: nothing but it is kept."""
        return found


def taken(does: Mapping[str, Do[T]], place: Place, clock: Clock[str], process_bytes: float) -> Iterator[tuple[str, T]]:
    """Have something done, and yield what was found of each when it ends.

    Args:
        does: what is done, by what people call it.
        place: where.
        clock: told how far it is.
        process_bytes: see `Turns`.
    """
    work = Turns(list(does.values()), place.device, process_bytes)
    turns = [Turn(condition, number) for number, condition in enumerate(does)]
    for turn, found in carried_out(work, turns, place.workers(work), clock.tell):
        yield turn.condition, found
        clock.finish(turn.condition, anew=True)
