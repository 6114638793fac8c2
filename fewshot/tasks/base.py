"""The interface of tasks, and their registry.

One file defines a task: the kind of example, the columns of its annotation (which decide the file formats), label
space, validation of gold annotation, inputs of the encoder, targets, head, conversion of predictions, counts and
metrics, agreement between annotators, the app's editor, price and time of labels, learning curves. A new task is one
new file in this folder with a subclass of `Task`, or of another task; nothing else changes.

An example is drawn from a pool, annotated, and counted as one of k. The encoder reads it as one input (a sentence, a
pair, a document) or as several (each question of an article); there is one target and one prediction per input. Options
are part of a task's name: ``ner+crf``. The labels of an `open` task are set by the user, or taken from the data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Example
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.estimates import ANY_CURVE, ANY_TIME, AnnotationTime, CurvePrior, Price

if TYPE_CHECKING:  # a task is torch-free until its head is built, so that the app can use it
    from fewshot.heads import Head

E = TypeVar("E", bound=Example)

METRICS = {
    "las": "LAS",
    "uas": "UAS",
    "las_with_subtypes": "LAS with subtypes",
    "f1": "F1",
    "em": "exact match",
    "ufeats": "UFeats",
    "lemmas": "Lemmas",
    "xpos": "XPOS",
}
"""Display names of metrics, where they differ from the keys."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error, with which an annotation is not finished, or a warning, which may be wrong.

    Args:
        message: the problem, and what to do.
        word: number of the word, from 1, if the problem concerns a single word.
    """

    level: Literal["error", "warning"]
    message: str
    word: int | None = None


def metric_name(metric: str) -> str:
    """Return the display name of a metric."""
    return METRICS.get(metric, metric.replace("_", " "))


class Task(ABC, Generic[E]):
    """A kind of annotation that a model predicts and a person can make."""

    # What it is called.
    name: str
    """The name that users type, with the chosen options: ``dep``, ``dep+upos``."""
    title: str
    """The name in tables and plots."""
    unit: ClassVar[str]
    """The name of an example in a bill: ``sentence``, ``item`` or ``article``."""
    hub: ClassVar[str] = "token-classification"
    """The name of the task on model hubs."""
    options: ClassVar[Mapping[str, str]] = {}
    """Options with a description of their effect."""

    # What is annotated, in what, and by whom.
    example: ClassVar[type[Any]]
    """The type of example, from `fewshot.corpora.types`."""
    columns: tuple[str, ...]
    """The example's columns that hold the annotation; every file format that has these columns can store it."""
    labels: tuple[str, ...]
    """The label space; for an open task the default one."""
    open: bool = False
    """Whether users may have their own labels."""
    required_labels: ClassVar[tuple[str, ...]] = ()
    """Labels that an open task has in addition to the given ones."""
    several: bool = False
    """Whether an example may have several labels, joined by `SEPARATOR`."""
    given: tuple[str, ...] = ()
    """The labels that an open task was given."""
    editor: ClassVar[str]
    """The editor in the app: ``tags``, ``tree``, ``spans``, ``choice`` or ``answers``."""
    in_ud: ClassVar[bool] = False
    """Whether treebanks of Universal Dependencies hold the annotation."""

    # What is learned, and how it is scored.
    view: ClassVar[View]
    """The units that the head gets vectors of."""
    reads: ClassVar[tuple[str, ...]] = ("sentence",)
    """Names of the segments of an input."""
    metric: str
    """The key in `metrics` of the main score."""
    nominal: ClassVar[str] = ""
    """The units of `pairs`, such as ``words``; empty if annotating is not a choice among labels."""
    symmetric: tuple[str, ...] = ()
    """Further agreement measures: the metrics that do not change when gold and predicted are swapped."""
    swappable: ClassVar[str] = ""
    """The parts that `recombine` swaps, such as ``subtrees``; empty if the task does not support it."""

    # What is known before anybody annotates.
    sampler: ClassVar[str] = "random"
    """The default sampler; see ``docs/researchers/samplers.md`` for the reasons."""
    time: ClassVar[AnnotationTime] = ANY_TIME
    """Estimated annotation time."""
    curve: ClassVar[CurvePrior] = ANY_CURVE
    """Prior of learning curves."""

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        self.chosen = frozenset(chosen)
        self.name = "+".join([type(self).name, *(option for option in self.options if option in self.chosen)])
        if labels and self.open:
            self._set_labels(labels)

    def _set_labels(self, labels: Sequence[str]) -> None:
        self.labels = self.given = tuple(labels)

    def with_labels(self, choices: Iterable[str]) -> Self:
        """Return an open task with further labels, see `choices`; other tasks do not change.

        Default labels keep their order, other labels are sorted.
        """
        if not self.open:
            return self
        wanted = {*self.given, *choices}
        ordered = [label for label in self.choices if label in wanted]
        return type(self)(sorted(self.chosen), [*ordered, *sorted(wanted.difference(ordered))])

    def fitted(self, examples: Iterable[E]) -> Self:
        """Return the task with the labels of annotated examples added to its own."""
        return self.with_labels(self.labels_in(examples)) if self.open else self

    def with_training_labels(self, examples: Iterable[E]) -> Self:
        """Return the task with the labels that training on annotated examples adds, mostly none.

        Some labels cannot be listed before examples are annotated, such as lemmas; see `fewshot.tasks.pos`.
        """
        return self

    def find_missing(self, examples: Sequence[E]) -> str | None:
        """Return a message about annotation that the task needs and no example of a corpus has, or None."""
        return None

    def labels_in(self, examples: Iterable[E]) -> set[str]:
        """Return all labels in the annotation of examples; examples of another type are ignored."""
        own = (example for example in examples if isinstance(example, self.example))
        return set[str]().union(*map(self.labels_of, own))

    def labels_of(self, example: E) -> set[str]:
        """Return all labels in the annotation of an example."""
        return {*self.marks(example).values()} - {UNANNOTATED}

    def knows(self, label: str) -> bool:
        """Return whether a label is one of the task's, or a subtype of one."""
        return label in self.choices

    def masked(self, example: E) -> E:
        """Return an example without annotation whose labels the task does not have, so that it is not scored."""
        return example

    def similar_labels(self, label: str) -> list[int]:
        """Return the places of the labels that a new label is initialised from."""
        return list(range(len(self.labels)))

    @property
    def price(self) -> Price:
        """Price of labels unless the user gives one."""
        return Price(self.unit, dollars=0.03, wage=9.0, source="guess: 12 seconds an example at $9/h")

    @property
    def lineage(self) -> list[str]:
        """Name of the task without options, then the names of its base tasks, the nearest first."""
        return [vars(kind)["name"] for kind in type(self).__mro__ if "name" in vars(kind)]

    @property
    def choices(self) -> tuple[str, ...]:
        """Labels that an annotator chooses from, or parts that tags are composed of."""
        return self.labels

    @property
    def background(self) -> str:
        """Label of unmarked words, such as ``O``, which a recipe can balance; empty without one."""
        return ""

    @property
    def score_label(self) -> str:
        """Title of a score axis, for example ``POS tagging accuracy (%)``."""
        return f"{self.title} {metric_name(self.metric)} (%)"

    @property
    def data_hint(self) -> str:
        """What to give ``--data`` in place of the embedded sample."""
        return "ud (downloaded once), or a folder or file" if self.in_ud else "a folder or file"

    @abstractmethod
    def check(self, example: E) -> str | None:
        """Return what is wrong with the gold annotation of an example (and what to do), or None."""

    def faults(self, example: E) -> Iterable[Problem]:
        """Return all problems that `check` finds, with their words."""
        message = self.check(example)
        return [Problem("error", message)] if message else []

    def errors(self, example: E) -> list[Problem]:
        """Return everything that keeps an annotation from being finished; unlike `check`, missing parts too."""
        message = self.check(example) if self.is_annotated(example) else "not annotated yet; choose a label"
        return [Problem("error", message)] if message else []

    @abstractmethod
    def is_annotated(self, example: E) -> bool:
        """Return whether the example has any annotation of this task."""

    def is_whole(self, example: E) -> bool:
        """Return whether the annotation has no gap; `errors` finds other problems."""
        return self.is_annotated(example) and UNANNOTATED not in self.marks(example).values()

    @abstractmethod
    def inputs(self, example: E) -> Sequence[Input]:
        """Return the inputs of the encoder."""

    @abstractmethod
    def targets(self, example: E) -> Sequence[Any]:
        """Return the gold annotation of each input, in the format of the head's `collate`."""

    def recombine(self, examples: Sequence[E], count: int, swaps: float, seed: int) -> list[E]:
        """Return new examples made of parts of annotated ones, for a task that is `swappable`.

        Args:
            swaps: mean number of replaced parts per example.
        """
        raise NotImplementedError(f"task {self.name} has no parts to swap")

    @abstractmethod
    def head(self, hidden: int, dropout: float) -> Head:
        """Build an untrained head for unit vectors of a size; dropout applies to the vectors."""

    @abstractmethod
    def annotate(self, example: E, predictions: Sequence[Any]) -> E:
        """Return the example with the head's decoded predictions, one per input, as its annotation."""

    @abstractmethod
    def suggestion(self, example: E, predictions: Sequence[Any], probabilities: Sequence[Any]) -> dict[str, Any]:
        """Return a suggestion for annotators, in JSON types, from predictions and probabilities of each input.

        Returns:
            ``annotation``: the columns, label or answers; ``confidence``: from 0 to 1, one number per word, label or
                question; and likely alternatives, best first, such as ``upos_ranked``: ``[[tag, probability], ...]``
                per word.
        """

    @abstractmethod
    def counts(self, gold: E, predicted: E) -> np.ndarray:
        """Return a vector of counts that one example adds to the score.

        Metrics are computed from sums of these vectors, and bootstrap intervals resample them.
        """

    def agreed(self, first: E, second: E) -> np.ndarray:
        """Return the same counts of two people's annotations, who may mark more than a model predicts."""
        return self.counts(first, second)

    @abstractmethod
    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return percentages from counts summed over the test set; `metric` is one of the keys."""

    @abstractmethod
    def marks(self, example: E) -> Mapping[Hashable, str]:
        """Return the label of everything that an annotator marks (words, spans, an item), ``"_"`` if open."""

    def pairs(self, first: E, second: E) -> list[tuple[str, str]]:
        """Return the labels that two annotators gave to the same units, for kappa and alpha."""
        marks = self.marks(second)
        return [(label, marks[place]) for place, label in self.marks(first).items() if place in marks]

    def units(self, examples: Sequence[E]) -> dict[str, int]:
        """Return the number of each billable unit in the examples."""
        return {"token": sum(example.length for example in examples), self.unit: len(examples)}


def ranked(probabilities: np.ndarray, names: Sequence[Any], most: int) -> list[list[Any]]:
    """Return the likeliest names as ``[[name, probability], ...]``, best first, if not rounded to 0."""
    best = np.argsort(-probabilities, kind="stable")[:most]
    pairs = zip(best.tolist(), shares(probabilities[best]), strict=True)
    return [[names[place], share] for place, share in pairs if share]


def shares(probabilities: np.ndarray) -> list[float]:
    """Return probabilities ``[n]`` rounded to four decimals."""
    return [round(float(value), 4) for value in probabilities]
