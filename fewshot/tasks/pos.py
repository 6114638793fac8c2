"""POS: universal part-of-speech tags, scored by accuracy over words (Lauscher et al. 2020, 3.1).

Options add columns (features, lemmas, language-specific tags, see `fewshot.tasks.word_columns`), as further labels of
the word whose losses are summed (UDify: Kondratyuk & Straka 2019).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Problem, Task, ranked, shares
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price
from fewshot.tasks.word_columns import WORD_COLUMNS, WordColumn

if TYPE_CHECKING:
    from fewshot.heads import Head

UPOS_COLUMN = "upos"

MAX_ALTERNATIVES = 3
"""Most labels of each column in a suggestion."""


class POS(Task[Sentence]):
    """One tag per word; with options also features, lemma and language-specific tag."""

    name = "pos"
    title = "POS tagging"
    metric = "accuracy"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    nominal: ClassVar[str] = "words"
    in_ud: ClassVar[bool] = True
    options: ClassVar = {column.option: column.help for column in WORD_COLUMNS}
    labels: tuple[str, ...] = UPOS
    columns: tuple[str, ...] = ("upos",)
    editor: ClassVar[str] = "tags"
    price = Price(
        unit="token",
        dollars=0.005,
        wage=11.37,
        source="Hovy et al. 2014: $0.05 for 10 tokens, crowdsourced; minutes at the $11.37/h of Bontcheva et al. 2017",
    )
    time = AnnotationTime(
        item=0.0,
        token=0.85,
        edit=1.75,
        spread=0.5,
        source="estimate from published 2.6 s/token from scratch, 1.2 with suggestions, of which a fifth taken to be "
        "edited",
    )
    curve = CurvePrior(slope=0.202, slope_sd=0.101, noise=0.065, drift=0.02)

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        super().__init__(chosen, labels)
        self.extra_columns = tuple(column for column in WORD_COLUMNS if column.option in self.chosen)
        self.columns = (UPOS_COLUMN, *(column.name for column in self.extra_columns))
        if self.extra_columns:
            self.metric = self.extra_columns[0].metric
            self.title = " and ".join(column.title for column in self.extra_columns)
        if self.metric == "ufeats":
            self.symmetric = ("ufeats",)
        self.given = tuple(label for label in labels or () if self._owner(label))
        self.labels = (*self.choices, *self.given)
        self.numbers = {label: number for number, label in enumerate(self.labels)}
        self.places: dict[str, list[int]] = {column: [] for column in self.columns}
        for number, label in enumerate(self.labels):
            owner = self._owner(label)
            self.places[owner.name if owner else UPOS_COLUMN].append(number)

    @property
    def choices(self) -> tuple[str, ...]:
        """The tags."""
        return type(self).labels

    def with_labels(self, choices: Iterable[str]) -> Self:
        """Return the task with further labels of its extra columns; the tags do not change."""
        new = {label for label in choices if label not in self.numbers and self._owner(label)}
        return type(self)(sorted(self.chosen), [*self.given, *sorted(new)]) if new else self

    def with_training_labels(self, examples: Iterable[Sentence]) -> Self:
        """Return the task with the labels of the extra columns in examples."""
        columns = (column.labels(example) for example in examples for column in self.extra_columns)
        return self.with_labels({label for column in columns for label in column if label is not None})

    def similar_labels(self, label: str) -> list[int]:
        """Return the places of the most similar labels of the same column."""
        owner = self._owner(label)
        places = self.places[owner.name if owner else UPOS_COLUMN]
        others = [self.labels[place] for place in places]
        return [places[near] for near in owner.like(label, others)] if owner else places

    def find_missing(self, examples: Sequence[Sentence]) -> str | None:
        """Return a message about an extra column that is empty in all examples."""
        for column in self.extra_columns:
            if all(set(column.values(example)) == {UNANNOTATED} for example in examples):
                return (
                    f"{column.conllu} is empty everywhere, and task {self.name} needs it; "
                    f"annotate it, or leave +{column.option} out"
                )
        return None

    def check(self, example: Sentence) -> str | None:
        """Return an error for a tag outside the universal set, or an invalid value."""
        return next((problem.message for problem in self.faults(example)), None)

    def errors(self, example: Sentence) -> list[Problem]:
        """Return every word that lacks a column, and all that `check` finds."""
        return [*self._missing(example), *self.faults(example)]

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a tag."""
        return any(tag != UNANNOTATED for tag in example.upos)

    def is_whole(self, example: Sentence) -> bool:
        """Return whether no word lacks a column."""
        return not any(self._missing(example))

    def inputs(self, example: Sentence) -> list[Input]:
        """Return the words."""
        return [Input((example.words,))]

    def targets(self, example: Sentence) -> list[list[Any]]:
        """Return label ids, a list per word for several columns; ``IGNORE`` where there is no annotation."""
        from fewshot.heads.classifier import IGNORE

        tags = [None if tag == UNANNOTATED else tag for tag in example.upos]
        columns = [
            [IGNORE if label is None else self.numbers.get(label, IGNORE) for label in labels]
            for labels in (tags, *(column.labels(example) for column in self.extra_columns))
        ]
        return [columns[0] if len(columns) == 1 else [list(row) for row in zip(*columns, strict=True)]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over words, or one per column."""
        from fewshot.heads import Classifier, Joint

        if len(self.columns) == 1:
            return Classifier(hidden, len(self.labels), dropout)
        return Joint(hidden, list(self.places.values()), dropout)

    def annotate(self, example: Sentence, predictions: Sequence[Sequence[Any]]) -> Sentence:
        """Set the tags, and the other columns."""
        return example.annotated(**self._filled(example, predictions[0]))

    def suggestion(
        self, example: Sentence, predictions: Sequence[Sequence[Any]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return the columns, and three values of each per word; confidences are products over the columns."""
        (labels,), (likely,) = predictions, probabilities
        chosen = np.take_along_axis(likely, np.array(labels).reshape(len(labels), -1), axis=1)
        suggestion: dict[str, Any] = {
            "annotation": {column: list(values) for column, values in self._filled(example, labels).items()},
            "confidence": shares(chosen.prod(1)),
        }
        values = {column.name: column.value for column in self.extra_columns}
        for name, places in self.places.items():
            names, value = [self.labels[place] for place in places], values.get(name, _tag)
            rows = zip(example.words, (ranked(row[places], names, MAX_ALTERNATIVES) for row in likely), strict=True)
            suggestion[f"{name}_ranked"] = [[[value(label, form), share] for label, share in row] for form, row in rows]
        return suggestion

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[right, annotated]`` words of each column.

        Any lemma is right for a word without a gold lemma, unless no word of the sentence has one.
        """
        right = [tag == guess for tag, guess in zip(gold.upos, predicted.upos, strict=True) if tag != UNANNOTATED]
        counts = [sum(right), len(right)]
        for column in self.extra_columns:
            values = column.values(gold)
            blank_counts = column.blank_is_right and set(values) != {UNANNOTATED}
            right = [
                column.is_right(value, guess)
                for value, guess, tag in zip(values, column.values(predicted), gold.upos, strict=True)
                if value != UNANNOTATED or (blank_counts and tag != UNANNOTATED)
            ]
            counts += [sum(right), len(right)]
        return np.array(counts)

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of words with the right tag, and the right value of each extra column, in percent."""
        names = ("accuracy", *(column.metric for column in self.extra_columns))
        rows = zip(names, counts.reshape(-1, 2), strict=True)
        return {name: 100.0 * right / max(total, 1) for name, (right, total) in rows}

    def marks(self, example: Sentence) -> dict[Hashable, str]:
        """Return the tag of each word."""
        return dict(enumerate(example.upos))

    def _owner(self, label: str) -> WordColumn | None:
        """Return the extra column of a label; None for a tag, and for columns that the task lacks."""
        if label in self.choices:
            return None
        return next((column for column in self.extra_columns if column.owns(label)), None)

    def _filled(self, example: Sentence, labels: Sequence[Any]) -> dict[str, tuple[str, ...]]:
        """Return the columns of decoded label ids."""
        rows = [[label] for label in labels] if len(self.columns) == 1 else labels
        names = zip(*([self.labels[label] for label in row] for row in rows), strict=True)
        values = (_tag, *(column.value for column in self.extra_columns))
        return {
            column: tuple(map(value, labels, example.words))
            for column, value, labels in zip(self.columns, values, names, strict=True)
        }

    def _missing(self, example: Sentence) -> Iterator[Problem]:
        """Yield every open column of a word; the lemma ``_`` of the form ``_`` is not open, as in CoNLL-U."""
        yield from missing_tags(example.words, example.upos, "UPOS")
        for column in self.extra_columns:
            rows = zip(example.words, column.values(example), strict=True)
            values = [UNANNOTATED if column.is_open(form, value) else "" for form, value in rows]
            yield from missing_tags(example.words, values, column.wanted)

    def faults(self, example: Sentence) -> Iterator[Problem]:
        """Yield all that `check` finds, with the word."""
        columns = [(column, column.values(example)) for column in self.extra_columns]
        for place, (word, tag) in enumerate(zip(example.words, example.upos, strict=True)):
            if tag != UNANNOTATED and tag not in self.choices:
                yield Problem("error", f"UPOS {tag!r} of {word!r} is none of {', '.join(self.choices)}", place + 1)
            for column, values in columns:
                if values[place] != UNANNOTATED and (fault := column.fault(word, values[place])):
                    yield Problem("error", fault, place + 1)


def _tag(label: str, form: str) -> str:
    return label


def missing_tags(words: Sequence[str], tags: Sequence[str], what: str) -> Iterator[Problem]:
    """Yield an error, which names the kind of tag, for each word whose tag is ``"_"``."""
    for number, (word, tag) in enumerate(zip(words, tags, strict=True), start=1):
        if tag == UNANNOTATED:
            yield Problem("error", f"{word!r} (word {number}) has no {what}; choose one", number)
