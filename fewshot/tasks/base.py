"""What a task is, and how it is found by name.

A task says everything in one file: kind of example, columns of its annotation (which decide what file formats can hold
it), label space, check of the gold annotation, what the encoder reads, targets, head, how predictions become an
annotation, counts and metrics, what two annotators agree by, the editor that people annotate with, what labels cost and
how long they take, what learning curves are like. A new task is one new file in this folder that defines a subclass of
`Task`, or of another task; nothing else changes.

An example is what is drawn from a pool, annotated and counted as one of k. The encoder reads it as one input (a
sentence, a pair, a document) or as several (each question of an article); targets and predictions come one an input.

Some tasks have options, which are named after the task: ``ner+crf``. A model is of the task with its options.

The labels of an `open` task are the user's business: it is given some, or takes those of its data.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np

import fewshot.tasks
from fewshot.corpora.formats.conllu_rows import where_of
from fewshot.corpora.types import UNANNOTATED, Example, Sentence
from fewshot.encoders.pieces import Input, View
from fewshot.errors import CorpusError, FewshotError, UnknownNameError
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
"""What people call the metrics that have another name."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about an annotation that is wrong, or that may be.

    Args:
        level: an annotation with an error is not done; a warning may be wrong about a language.
        message: what it is, and what to do.
        word: the number of the word, from 1, where it is about one.
    """

    level: Literal["error", "warning"]
    message: str
    word: int | None = None


def metric_name(metric: str) -> str:
    """Return what people call a metric."""
    return METRICS.get(metric, metric.replace("_", " "))


class Task(ABC, Generic[E]):
    """A kind of annotation that a model predicts and a person can make."""

    # What it is called.
    name: str
    """The name users type, with the options chosen: ``dep``, ``dep+upos``."""
    title: str
    """What tables and plots call it."""
    unit: ClassVar[str]
    """What an example is called in a bill: ``sentence``, ``item`` or ``article``."""
    hub: ClassVar[str] = "token-classification"
    """What model hubs call the task."""
    options: ClassVar[Mapping[str, str]] = {}
    """What may be chosen, and what it does."""

    # What is annotated, in what, and by whom.
    example: ClassVar[type[Any]]
    """What is annotated: a type of `fewshot.corpora.types`."""
    columns: tuple[str, ...]
    """Which of the example's columns hold the annotation; every file format that has them can hold it."""
    labels: tuple[str, ...]
    """The label space; of an open task the usual one, which counts as long as it is given no other."""
    open: bool = False
    """Whether people may have labels of their own."""
    always: ClassVar[tuple[str, ...]] = ()
    """What an open task has to choose from whatever labels it is given."""
    given: tuple[str, ...] = ()
    """What there is to choose from, where an open task was told."""
    editor: ClassVar[str]
    """What people annotate with: ``tags``, ``tree``, ``spans``, ``choice`` or ``answers``, see the app's editors."""
    in_ud: ClassVar[bool] = False
    """Whether treebanks of Universal Dependencies hold the annotation."""

    # What is learned, and how it is scored.
    view: ClassVar[View]
    """What the head sees vectors of."""
    reads: ClassVar[tuple[str, ...]] = ("sentence",)
    """What the encoder reads at once, a name a segment."""
    metric: str
    """The key of `metrics` that is *the* score."""
    nominal: ClassVar[str] = ""
    """What `pairs` are of, such as ``words``; empty where annotating is no choice among labels."""
    symmetric: tuple[str, ...] = ()
    """The metrics that stay the same when gold and predicted change places: what else annotators agree by."""
    swappable: ClassVar[str] = ""
    """What `recombined` swaps, such as ``subtrees``; empty for a task that has it not."""

    # What is known before anybody annotates.
    sampler: ClassVar[str] = "random"
    """What draws the examples unless the user says otherwise; ``docs/researchers/samplers.md`` says why."""
    time: ClassVar[AnnotationTime] = ANY_TIME
    """How long annotating takes."""
    curve: ClassVar[CurvePrior] = ANY_CURVE
    """What learning curves are like."""

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        self.chosen = frozenset(chosen)
        self.name = "+".join([type(self).name, *(option for option in self.options if option in self.chosen)])
        if labels and self.open:
            self._take(labels)

    def _take(self, labels: Sequence[str]) -> None:
        """Take a label space of one's own."""
        self.labels = self.given = tuple(labels)

    def with_labels(self, choices: Iterable[str]) -> Self:
        """Return the task with labels beside those that it was given; other tasks than open ones stay as they are.

        Args:
            choices: what there is to choose from, see `choices`. The usual ones keep their order, others are sorted.
        """
        if not self.open:
            return self
        wanted = {*self.given, *choices}
        known = [label for label in self.choices if label in wanted]
        return type(self)(sorted(self.chosen), [*known, *sorted(wanted.difference(known))])

    def fitted(self, examples: Iterable[E]) -> Self:
        """Return the task with the labels of annotated examples beside those that it was given."""
        return self.with_labels(self.labels_in(examples)) if self.open else self

    def taught(self, examples: Iterable[E]) -> Self:
        """Return the task with the labels that a training on annotated examples brings; of most tasks none are new.

        A task has others where nobody can list its labels before examples are annotated; see `fewshot.tasks.pos`.
        """
        return self

    def lacking(self, examples: Sequence[E]) -> str | None:
        """Return what a corpus has nowhere, though the task needs it somewhere (and what to do), or None."""
        return None

    def labels_in(self, examples: Iterable[E]) -> set[str]:
        """Return what was chosen of `choices`, or beside them, for any part of any example of the task's kind."""
        mine = (example for example in examples if isinstance(example, self.example))
        return set[str]().union(*map(self.labels_of, mine))

    def labels_of(self, example: E) -> set[str]:
        """Return what was chosen for any part of an example."""
        return {*self.marks(example).values()} - {UNANNOTATED}

    def knows(self, label: str) -> bool:
        """Return whether a label that was chosen is one of the task's, or says more than one of these."""
        return label in self.choices

    def masked(self, example: E) -> E:
        """Return an example without the annotation whose labels the task does not have, so that it is not scored."""
        return example

    def like(self, label: str) -> list[int]:
        """Return the places of the labels that a new one is like before any example of it is seen."""
        return list(range(len(self.labels)))

    @property
    def price(self) -> Price:
        """What labels cost where the user does not say; a task that knows better has a price of its own."""
        return Price(self.unit, dollars=0.03, wage=9.0, source="guess: 12 seconds an example at $9/h")

    @property
    def lineage(self) -> list[str]:
        """Name of the task without options, then those of the tasks that it derives from, the nearest first."""
        return [vars(kind)["name"] for kind in type(self).__mro__ if "name" in vars(kind)]

    @property
    def choices(self) -> tuple[str, ...]:
        """Return what an annotator chooses from: the labels, or what tags are made of."""
        return self.labels

    @property
    def background(self) -> str:
        """Return the label of what is not marked, such as ``O``, which a recipe can balance; empty without one."""
        return ""

    @property
    def score_label(self) -> str:
        """Title of a score axis, for example ``POS tagging accuracy (%)``."""
        return f"{self.title} {metric_name(self.metric)} (%)"

    @abstractmethod
    def check(self, example: E) -> str | None:
        """Return what is wrong with the gold annotation of an example (and what to do), or None."""

    def faults(self, example: E) -> Iterable[Problem]:
        """Return everything that `check` finds, with the words that it is about."""
        message = self.check(example)
        return [Problem("error", message)] if message else []

    def errors(self, example: E) -> list[Problem]:
        """Return everything that keeps an annotation from being done, where `check` lets parts of it be missing."""
        known = self.is_annotated(example)
        message = self.check(example) if known else "not annotated yet; choose a label"
        return [Problem("error", message)] if message else []

    @abstractmethod
    def is_annotated(self, example: E) -> bool:
        """Return whether the example holds any annotation of this task."""

    def is_whole(self, example: E) -> bool:
        """Return whether an example is annotated without a gap; `errors` says what else may be wrong with it."""
        return self.is_annotated(example) and UNANNOTATED not in self.marks(example).values()

    @abstractmethod
    def inputs(self, example: E) -> Sequence[Input]:
        """Return what the encoder reads, one thing at a time."""

    @abstractmethod
    def targets(self, example: E) -> Sequence[Any]:
        """Return the gold annotation of each input as the head's `collate` takes it."""

    def recombined(self, examples: Sequence[E], count: int, swaps: float, seed: int) -> list[E]:
        """Return examples made of parts of others; a task that does also says what is `swappable`.

        Args:
            examples: annotated ones; at least one.
            count: how many to return.
            swaps: how often a part of each is replaced, on average.
            seed: of the choice.
        """
        raise NotImplementedError(f"task {self.name} swaps nothing")

    @abstractmethod
    def head(self, hidden: int, dropout: float) -> Head:
        """Build an untrained head.

        Args:
            hidden: size of a unit vector.
            dropout: on the vectors, in training.
        """

    @abstractmethod
    def annotate(self, example: E, predictions: Sequence[Any]) -> E:
        """Return the example with what the head decoded for each of its inputs as its annotation."""

    @abstractmethod
    def suggestion(self, example: E, predictions: Sequence[Any], probabilities: Sequence[Any]) -> dict[str, Any]:
        """Return what the head decoded as a suggestion for annotators, which can be kept as JSON.

        Args:
            example: what the suggestion is for.
            predictions: what the head decoded for each of its inputs.
            probabilities: what the head's `probabilities` returned for each.

        Returns:
            ``annotation``: the columns, label or answers; ``confidence``: from 0 to 1, one number a word, label or
            question; and what else was likely, best first, such as ``upos_ranked``: ``[[tag, probability], ...]`` a
            word.
        """

    @abstractmethod
    def counts(self, gold: E, predicted: E) -> np.ndarray:
        """Return what one example adds to the score: a vector of counts that sum over examples.

        Bootstrap intervals resample these vectors, so any metric that is a function of sums gets one.
        """

    @abstractmethod
    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return percentages from counts summed over the test set; `metric` is one of the keys."""

    @abstractmethod
    def marks(self, example: E) -> Mapping[Hashable, str]:
        """Return the label of whatever an annotator marks (words, spans, an item), ``"_"`` where that is still open."""

    def pairs(self, one: E, other: E) -> list[tuple[str, str]]:
        """Return the labels that two annotators gave to the same units; kappa and alpha are computed from them."""
        theirs = self.marks(other)
        return [(label, theirs[place]) for place, label in self.marks(one).items() if place in theirs]

    def units(self, examples: Sequence[E]) -> dict[str, int]:
        """Return how many of each unit that annotators can be paid for are in the examples."""
        return {"token": sum(example.length for example in examples), self.unit: len(examples)}


GUESSED = "the {task} annotation here is a model's; correct it, or leave the example out"
"""Said of an example whose annotation nobody has looked at."""


def check_gold(task: Task[Any], examples: Sequence[Any]) -> None:
    """Make sure that every example holds valid gold annotation of a task.

    Raises:
        CorpusError: with the place of the first example that does not.
    """
    for error in gold_errors(task, examples):
        raise error


def gold_errors(task: Task[Any], examples: Sequence[Any]) -> Iterator[CorpusError]:
    """Yield what keeps examples from holding valid gold annotation of a task, each fault with its place."""
    for example in examples:
        where = example.where or example.id
        if not isinstance(example, task.example):
            yield CorpusError(f"task {task.name} is about {task.example.kind}; these are {example.kind}", where)
        elif not task.is_annotated(example):
            yield CorpusError(f"no {task.name} annotation here{_instead(task, examples)}", where)
        elif set(task.columns) & set(example.predicted):
            yield CorpusError(GUESSED.format(task=task.name), where)
        else:
            for fault in task.faults(example):
                yield CorpusError(fault.message, place_of(example, fault))


def place_of(example: Example, problem: Problem) -> str:
    """Return ``file:line`` of the word that a problem is about, else of the example, else the id of that."""
    if problem.word and isinstance(example, Sentence):
        return where_of(example, problem.word) or example.id
    return example.where or example.id


def _instead(task: Task[Any], examples: Sequence[Any]) -> str:
    if len(examples) > 1 and not any(map(task.is_annotated, examples)):
        return f", nor in the other {len(examples) - 1} {task.example.kind}; annotate some of them first: fewshot app"
    return "; annotate this example or leave it out"


def check_corpus(task: Task[Any], examples: Sequence[Any]) -> None:
    """Make sure that examples are gold, see `check_gold`, and that they have together what the task needs.

    Raises:
        CorpusError: with the place of the first example, when nothing of a kind is annotated in any.
    """
    check_gold(task, examples)
    if examples and (problem := task.lacking(examples)):
        raise CorpusError(problem, examples[0].where or examples[0].id)


def ranked(probabilities: np.ndarray, names: Sequence[Any], most: int) -> list[list[Any]]:
    """Return the likeliest names as ``[[name, probability], ...]``, best first, without those that round to 0.

    Args:
        probabilities: ``[names]``.
        names: of the labels or heads.
        most: how many names at most.
    """
    best = np.argsort(-probabilities, kind="stable")[:most]
    pairs = zip(best.tolist(), shares(probabilities[best]), strict=True)
    return [[names[place], share] for place, share in pairs if share]


def shares(probabilities: np.ndarray) -> list[float]:
    """Return probabilities ``[n]`` as numbers of four decimals."""
    return [round(float(value), 4) for value in probabilities]


def real_data(task: Task[Any]) -> str:
    """Say what to give ``--data`` in place of the embedded sample."""
    return "ud (downloaded once), or a folder or file" if task.in_ud else "a folder or file"


@cache
def registry() -> dict[str, Task[Any]]:
    """Return every task of this folder, without options, by name, sorted."""
    names = [f"fewshot.tasks.{module.name}" for module in pkgutil.iter_modules(fewshot.tasks.__path__)]
    kinds = [kind for name in names for kind in vars(importlib.import_module(name)).values() if _is_task(kind, name)]
    return {kind.name: kind() for kind in sorted(kinds, key=lambda kind: kind.name)}


def annotatable() -> list[str]:
    """Return the names of all tasks that people annotate: also with options that bring further columns."""
    names = []
    for base, plain in registry().items():
        beside = [option for option in plain.options if get(f"{base}+{option}").columns != plain.columns]
        sizes = range(len(beside) + 1)
        names += ["+".join([base, *some]) for size in sizes for some in combinations(beside, size)]
    return names


def _is_task(value: Any, module: str) -> bool:
    """Return whether what a module holds is a task that it defines."""
    return isinstance(value, type) and value.__module__ == module and issubclass(value, Task) and "name" in vars(value)


def base_name(name: str) -> str:
    """Return the name of a task without its options: ``dep`` of ``dep+upos``."""
    return name.partition("+")[0]


def get(name: str, labels: Sequence[str] | None = None) -> Task[Any]:
    """Return the task of that name.

    Args:
        name: of the task, with options such as ``dep+upos``.
        labels: of an open task, as a model or an annotator knows them; None: the usual ones.

    Raises:
        UnknownNameError: with the nearest names, when there is no such task or option.
        FewshotError: when an option is there twice.
    """
    base, *chosen = name.split("+")
    if base not in registry():
        raise UnknownNameError("task", base, registry())
    kind = type(registry()[base])
    for option in chosen:
        if option not in kind.options:
            raise UnknownNameError(f"option of task {base}", option, kind.options)
        if chosen.count(option) > 1:
            raise FewshotError(f"the name of a task of {base} has the option {option} more than once; write it once")
    return kind(chosen, labels)
