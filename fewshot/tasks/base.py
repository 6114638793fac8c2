"""What a task is, and how it is found by name.

A task says, in one file, what is predicted and how it is scored: label space, check of the gold annotation, what the
encoder reads, targets, head, how a prediction becomes an annotation, counts and metrics, what a bill counts. A new
task is one new file in this folder that defines a subclass of `Task`; nothing else changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

import fewshot.tasks
from fewshot.corpora.types import Example
from fewshot.errors import CorpusError, UnknownNameError

if TYPE_CHECKING:  # a task is torch-free until its head is built, so that the app can use it
    from fewshot.encoders.pieces import View
    from fewshot.heads import Head

E = TypeVar("E", bound=Example)


class Task(ABC, Generic[E]):
    """A kind of annotation that a model predicts and a person can make."""

    name: ClassVar[str]
    """The name users type."""
    title: ClassVar[str]
    """What tables and plots call it."""
    metric: ClassVar[str]
    """The key of `metrics` that is *the* score."""
    unit: ClassVar[str]
    """What an example is called in a bill: ``sentence``, ``item`` or ``paragraph``."""
    view: ClassVar[View]
    """What the head sees a vector of."""
    labels: tuple[str, ...]
    """The label space."""

    @property
    def score_label(self) -> str:
        """Title of a score axis, for example ``POS tagging accuracy (%)``."""
        return f"{self.title} {self.metric} (%)"

    @abstractmethod
    def check(self, example: E) -> str | None:
        """Return what is wrong with the gold annotation of an example (and what to do), or None."""

    @abstractmethod
    def is_annotated(self, example: E) -> bool:
        """Return whether the example holds any annotation of this task."""

    @abstractmethod
    def segments(self, example: E) -> Sequence[Sequence[str]]:
        """Return what the encoder reads: one or two lists of words."""

    @abstractmethod
    def target(self, example: E) -> Any:
        """Return the gold annotation as the head's `collate` takes it."""

    @abstractmethod
    def head(self, hidden: int, dropout: float) -> Head:
        """Build an untrained head.

        Args:
            hidden: size of a unit vector.
            dropout: on the vectors, in training.
        """

    @abstractmethod
    def annotate(self, example: E, prediction: Any) -> E:
        """Return the example with the head's decoded prediction as its annotation."""

    @abstractmethod
    def counts(self, gold: E, predicted: E) -> np.ndarray:
        """Return what one example adds to the score: a vector of counts that sum over examples.

        Bootstrap intervals resample these vectors, so any metric that is a function of sums gets one.
        """

    @abstractmethod
    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return percentages from counts summed over the test set; `metric` is one of the keys."""

    def units(self, examples: Sequence[E]) -> dict[str, int]:
        """Return how many of each unit that annotators can be paid for are in the examples."""
        return {"token": sum(example.length for example in examples), self.unit: len(examples)}


def check_gold(task: Task[Any], examples: Sequence[Any]) -> None:
    """Make sure that every example holds valid gold annotation of a task.

    Raises:
        CorpusError: with the place of the first example that does not.
    """
    for example in examples:
        where = getattr(example, "where", "") or example.id
        if not task.is_annotated(example):
            raise CorpusError(f"no {task.name} annotation here; annotate this example or leave it out", where)
        problem = task.check(example)
        if problem:
            raise CorpusError(problem, where)


@cache
def registry() -> dict[str, Task[Any]]:
    """Return every task of this folder by name, sorted."""
    for module in pkgutil.iter_modules(fewshot.tasks.__path__):
        importlib.import_module(f"fewshot.tasks.{module.name}")
    found = {kind.name: kind() for kind in Task.__subclasses__() if kind.__module__.startswith("fewshot.tasks.")}
    return dict(sorted(found.items()))


def get(name: str) -> Task[Any]:
    """Return the task of that name.

    Raises:
        UnknownNameError: with the nearest names, when there is none.
    """
    if name not in registry():
        raise UnknownNameError("task", name, registry())
    return registry()[name]
