"""POS: universal part-of-speech tags, scored by accuracy over words (Lauscher et al. 2020, section 3.1).

Options put features and lemmas beside the tags, as further labels of the word whose losses are summed: FEATS as a
whole, and what is done to the form to get its lemma (UDify: Kondratyuk & Straka 2019). They are scored as in
the CoNLL 2018 shared task (Zeman et al. 2018), on gold words.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Problem, Task, ranked, shares
from fewshot.tasks.edit_scripts import applied, is_script, script_of
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price
from fewshot.tasks.morphology import WRITTEN, nearest, universal

if TYPE_CHECKING:
    from fewshot.heads import Head

UPOS_COLUMN, FEATS, LEMMAS = "upos", "feats", "lemmas"
"""Columns of a sentence, in the order in which they are learned."""

BESIDE = {
    "feats": (FEATS, "FEATS", "ufeats", "morphological tagging"),
    "lemma": (LEMMAS, "LEMMA", "lemmas", "lemmatization"),
}
"""Of an option: its column, the name of that in CoNLL-U, its score, and what tables call a task that has it."""

OFFERED = 3
"""Labels of each column that annotators are offered."""


class POS(Task[Sentence]):
    """One tag a word; with options also its features, and its lemma."""

    name = "pos"
    title = "POS tagging"
    metric = "accuracy"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    nominal: ClassVar[str] = "words"
    in_ud: ClassVar[bool] = True
    options: ClassVar = {
        "feats": "morphological features too, whole, as one label a word (Kondratyuk & Straka 2019)",
        "lemma": "lemmas too, as edits of the form (Chrupała et al. 2008, Straka 2018)",
    }
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
    curve = CurvePrior(slope=0.222, slope_sd=0.111, noise=0.078)

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        super().__init__(chosen, labels)
        beside = [BESIDE[option] for option in BESIDE if option in self.chosen]
        self.columns = (UPOS_COLUMN, *(column for column, *_ in beside))
        if beside:
            self.metric, self.title = beside[0][2], " and ".join(title for *_, title in beside)
        if self.metric == "ufeats":
            self.symmetric = ("ufeats",)
        self.given = tuple(label for label in labels or () if self._column(label) in self.columns[1:])
        self.labels = (*self.choices, *self.given)
        self.numbers = {label: number for number, label in enumerate(self.labels)}
        self.places: dict[str, list[int]] = {column: [] for column in self.columns}
        for number, label in enumerate(self.labels):
            self.places[self._column(label)].append(number)

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the tags."""
        return type(self).labels

    def with_labels(self, choices: Iterable[str]) -> Self:
        """Return the task with features and edits of forms beside those that it has; its tags stay as they are."""
        new = {label for label in choices if label not in self.numbers and self._column(label) in self.columns[1:]}
        return type(self)(sorted(self.chosen), [*self.given, *sorted(new)]) if new else self

    def taught(self, examples: Iterable[Sentence]) -> Self:
        """Return the task with the features and edits of forms in examples, which nobody can list before."""
        columns = (_known(example, column) for example in examples for column in self.columns[1:])
        return self.with_labels({label for column in columns for label in column if label is not None})

    def like(self, label: str) -> list[int]:
        """Return the places of the features that have most in common with new ones, or of all edits of forms."""
        places = self.places[self._column(label)]
        if is_script(label):
            return places
        return [places[near] for near in nearest(label, [self.labels[place] for place in places])]

    def lacking(self, examples: Sequence[Sentence]) -> str | None:
        """Find a column that is empty in all examples."""
        for option in self.options:
            column, name, *_ = BESIDE[option]
            if option in self.chosen and all(set(_values(each, column)) == {UNANNOTATED} for each in examples):
                return f"{name} is empty everywhere, and task {self.name} needs it; annotate it, or leave +{option} out"
        return None

    def check(self, example: Sentence) -> str | None:
        """Find a tag outside the universal set, or features that are not written as UD writes them."""
        return next((problem.message for problem in self._wrong(example)), None)

    def errors(self, example: Sentence) -> list[Problem]:
        """Find every word that lacks a column, and all that `check` finds."""
        return [*self._missing(example), *self._wrong(example)]

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

        columns = [
            [IGNORE if label is None else self.numbers.get(label, IGNORE) for label in _known(example, column)]
            for column in self.columns
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
        for column, places in self.places.items():
            names = [self.labels[place] for place in places]
            rows = zip(example.words, (ranked(row[places], names, OFFERED) for row in likely), strict=True)
            found[f"{column}_ranked"] = [[[_value(label, form), share] for label, share in row] for form, row in rows]
        return found

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[right, annotated]`` words of each column.

        Any lemma is right of a word where gold has none, unless no word of the sentence has one: then nobody has
        annotated them.
        """
        counts = []
        for column in self.columns:
            rows = zip(_values(gold, column), _values(predicted, column), gold.upos, strict=True)
            any_lemma = column == LEMMAS and set(_values(gold, column)) != {UNANNOTATED}
            known = [
                _is_right(column, one, other)
                for one, other, tag in rows
                if one != UNANNOTATED or (any_lemma and tag != UNANNOTATED)
            ]
            counts += [sum(known), len(known)]
        return np.array(counts)

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of words with the right tag, features and lemma, in percent."""
        names = ("accuracy", *(BESIDE[option][2] for option in self.options if option in self.chosen))
        rows = zip(names, counts.reshape(-1, 2), strict=True)
        return {name: 100.0 * right / max(total, 1) for name, (right, total) in rows}

    def marks(self, example: Sentence) -> dict[Hashable, str]:
        """Return the tag of each word."""
        return dict(enumerate(example.upos))

    def _column(self, label: str) -> str:
        """Return the column that a label is of."""
        if label in self.choices:
            return UPOS_COLUMN
        return LEMMAS if is_script(label) else FEATS

    def _filled(self, example: Sentence, labels: Sequence[Any]) -> dict[str, tuple[str, ...]]:
        """Return the columns of decoded label ids, one or a list of them a word."""
        rows = [[label] for label in labels] if len(self.columns) == 1 else labels
        names = zip(*([self.labels[label] for label in row] for row in rows), strict=True)
        forms = example.words
        return {column: tuple(map(_value, values, forms)) for column, values in zip(self.columns, names, strict=True)}

    def _missing(self, example: Sentence) -> Iterator[Problem]:
        """Yield every column of a word that is open; the lemma ``_`` of the form ``_`` is one, as in CoNLL-U."""
        yield from missing(example.words, example.upos, "UPOS")
        if FEATS in self.columns:
            yield from missing(example.words, _values(example, FEATS), "choice of features")
        if LEMMAS in self.columns:
            rows = zip(example.words, _values(example, LEMMAS), strict=True)
            lemmas = [lemma if form != UNANNOTATED else "low line" for form, lemma in rows]
            yield from missing(example.words, lemmas, "lemma")

    def _wrong(self, example: Sentence) -> Iterator[Problem]:
        rows = zip(example.words, example.upos, _values(example, FEATS), strict=True)
        for number, (word, tag, feats) in enumerate(rows, start=1):
            if tag != UNANNOTATED and tag not in self.choices:
                yield Problem("error", f"UPOS {tag!r} of {word!r} is none of {', '.join(self.choices)}", number)
            if FEATS in self.columns and feats != UNANNOTATED and not WRITTEN.fullmatch(feats):
                message = f"features {feats!r} of {word!r} are not written as in Case=Nom|Number=Sing"
                yield Problem("error", message, number)


def _values(example: Sentence, column: str) -> tuple[str, ...]:
    """Return a column, blank where it was not read."""
    values: tuple[str, ...] = getattr(example, column)
    return values or (UNANNOTATED,) * len(example.words)


def _known(example: Sentence, column: str) -> list[str | None]:
    """Return the label of each word in a column, None where nobody has annotated it."""
    values = [None if value == UNANNOTATED else value for value in _values(example, column)]
    if column != LEMMAS:
        return values
    return [lemma and script_of(form, lemma) for form, lemma in zip(example.words, values, strict=True)]


def _value(label: str, form: str) -> str:
    """Return what a label says of a form: the lemma that a script makes of it, or the label itself."""
    return applied(label, form) if is_script(label) else label


def _is_right(column: str, gold: str, predicted: str) -> bool:
    if column == FEATS:
        return universal(gold) == universal(predicted)
    return gold == predicted or (column == LEMMAS and gold == UNANNOTATED)


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
