"""POS: universal part-of-speech tags, scored by accuracy over words (Lauscher et al. 2020, section 3.1).

Options put other columns beside the tags, as further labels of the word whose losses are summed (UDify: Kondratyuk &
Straka 2019): features, lemmas, language-specific tags, see `fewshot.tasks.word_columns`. They are scored as in the
CoNLL 2018 shared task (Zeman et al. 2018), on gold words.
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

OFFERED = 3
"""Labels of each column that annotators are offered."""


class POS(Task[Sentence]):
    """One tag a word; with options also its features, its lemma, and the tag that its language has for it."""

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
    curve = CurvePrior(slope=0.200, slope_sd=0.100, noise=0.066, drift=0.02)

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        super().__init__(chosen, labels)
        self.beside = tuple(column for column in WORD_COLUMNS if column.option in self.chosen)
        self.columns = (UPOS_COLUMN, *(column.name for column in self.beside))
        if self.beside:
            self.metric, self.title = self.beside[0].metric, " and ".join(column.title for column in self.beside)
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
        """Return the tags."""
        return type(self).labels

    def with_labels(self, choices: Iterable[str]) -> Self:
        """Return the task with labels of other columns beside those that it has; its tags stay as they are."""
        new = {label for label in choices if label not in self.numbers and self._owner(label)}
        return type(self)(sorted(self.chosen), [*self.given, *sorted(new)]) if new else self

    def taught(self, examples: Iterable[Sentence]) -> Self:
        """Return the task with the labels of other columns in examples, which nobody can list before."""
        columns = (column.labels(example) for example in examples for column in self.beside)
        return self.with_labels({label for column in columns for label in column if label is not None})

    def like(self, label: str) -> list[int]:
        """Return the places of the labels that a new one of their column is most like."""
        owner = self._owner(label)
        places = self.places[owner.name if owner else UPOS_COLUMN]
        others = [self.labels[place] for place in places]
        return [places[near] for near in owner.like(label, others)] if owner else places

    def lacking(self, examples: Sequence[Sentence]) -> str | None:
        """Find a column that is empty in all examples."""
        for column in self.beside:
            if all(set(column.values(each)) == {UNANNOTATED} for each in examples):
                return (
                    f"{column.conllu} is empty everywhere, and task {self.name} needs it; "
                    f"annotate it, or leave +{column.option} out"
                )
        return None

    def check(self, example: Sentence) -> str | None:
        """Find a tag outside the universal set, or what is not written as UD writes it."""
        return next((problem.message for problem in self.faults(example)), None)

    def errors(self, example: Sentence) -> list[Problem]:
        """Find every word that lacks a column, and all that `check` finds."""
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
        """Return label ids, of several columns a list of them a word; ``IGNORE`` for what nobody has annotated."""
        from fewshot.heads.classifier import IGNORE

        tags = [None if tag == UNANNOTATED else tag for tag in example.upos]
        columns = [
            [IGNORE if label is None else self.numbers.get(label, IGNORE) for label in labels]
            for labels in (tags, *(column.labels(example) for column in self.beside))
        ]
        return [columns[0] if len(columns) == 1 else [list(row) for row in zip(*columns, strict=True)]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over words, or one a column."""
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
        """Return the columns, and three values of each a word; a word is as sure as all its columns together."""
        (labels,), (likely,) = predictions, probabilities
        chosen = np.take_along_axis(likely, np.array(labels).reshape(len(labels), -1), axis=1)
        found: dict[str, Any] = {
            "annotation": {column: list(values) for column, values in self._filled(example, labels).items()},
            "confidence": shares(chosen.prod(1)),
        }
        values = {column.name: column.value for column in self.beside}
        for name, places in self.places.items():
            names, value = [self.labels[place] for place in places], values.get(name, _tag)
            rows = zip(example.words, (ranked(row[places], names, OFFERED) for row in likely), strict=True)
            found[f"{name}_ranked"] = [[[value(label, form), share] for label, share in row] for form, row in rows]
        return found

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[right, annotated]`` words of each column.

        Any lemma is right of a word where gold has none, unless no word of the sentence has one: then nobody has
        annotated them.
        """
        tags = [one == other for one, other in zip(gold.upos, predicted.upos, strict=True) if one != UNANNOTATED]
        counts = [sum(tags), len(tags)]
        for column in self.beside:
            values = column.values(gold)
            blank_counts = column.blank_is_right and set(values) != {UNANNOTATED}
            known = [
                column.is_right(one, other)
                for one, other, tag in zip(values, column.values(predicted), gold.upos, strict=True)
                if one != UNANNOTATED or (blank_counts and tag != UNANNOTATED)
            ]
            counts += [sum(known), len(known)]
        return np.array(counts)

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of words with the right tag, and the right value of each other column, in percent."""
        names = ("accuracy", *(column.metric for column in self.beside))
        rows = zip(names, counts.reshape(-1, 2), strict=True)
        return {name: 100.0 * right / max(total, 1) for name, (right, total) in rows}

    def marks(self, example: Sentence) -> dict[Hashable, str]:
        """Return the tag of each word."""
        return dict(enumerate(example.upos))

    def _owner(self, label: str) -> WordColumn | None:
        """Return the column beside the tags that a label is of; None of a tag, and of columns that the task lacks."""
        if label in self.choices:
            return None
        return next((column for column in self.beside if column.owns(label)), None)

    def _filled(self, example: Sentence, labels: Sequence[Any]) -> dict[str, tuple[str, ...]]:
        """Return the columns of decoded label ids, one or a list of them a word."""
        rows = [[label] for label in labels] if len(self.columns) == 1 else labels
        names = zip(*([self.labels[label] for label in row] for row in rows), strict=True)
        values = (_tag, *(column.value for column in self.beside))
        return {
            column: tuple(map(value, found, example.words))
            for column, value, found in zip(self.columns, values, names, strict=True)
        }

    def _missing(self, example: Sentence) -> Iterator[Problem]:
        """Yield every column of a word that is open; the lemma ``_`` of the form ``_`` is one, as in CoNLL-U."""
        yield from missing(example.words, example.upos, "UPOS")
        for column in self.beside:
            rows = zip(example.words, column.values(example), strict=True)
            values = [UNANNOTATED if column.is_open(form, value) else "" for form, value in rows]
            yield from missing(example.words, values, column.wanted)

    def faults(self, example: Sentence) -> Iterator[Problem]:
        """Yield all that `check` finds, with the word."""
        columns = [(column, column.values(example)) for column in self.beside]
        for place, (word, tag) in enumerate(zip(example.words, example.upos, strict=True)):
            if tag != UNANNOTATED and tag not in self.choices:
                yield Problem("error", f"UPOS {tag!r} of {word!r} is none of {', '.join(self.choices)}", place + 1)
            for column, values in columns:
                if values[place] != UNANNOTATED and (fault := column.fault(word, values[place])):
                    yield Problem("error", fault, place + 1)


def _tag(label: str, form: str) -> str:
    return label


def missing(words: Sequence[str], tags: Sequence[str], what: str) -> Iterator[Problem]:
    """Yield an error for each word whose tag is ``"_"``.

    Args:
        words: of the sentence.
        tags: one a word.
        what: people call the tag.
    """
    for number, (word, tag) in enumerate(zip(words, tags, strict=True), start=1):
        if tag == UNANNOTATED:
            yield Problem("error", f"{word!r} (word {number}) has no {what}; choose one", number)
