"""NER: persons, organisations, locations, or the user's entity types, as IOB2 tags.

The score is the F1 of entity spans, strict IOB2 as in seqeval; token accuracy (Lauscher et al. 2020, section 3.1) is
a further metric. conlleval counts an ``I-`` that continues nothing as a span, strict IOB2 does not; gold tags are
read as IOB2 and predictions repaired to it, so that both give the same figures.

People may annotate entities inside others (`fewshot.corpora.iob`); models learn, and are scored on, the outermost ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from seqeval.scheme import IOB2, Entities

from fewshot.corpora.iob import TAG, layers, outermost, to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Problem, Task, shares
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price
from fewshot.tasks.pos import missing_tags

if TYPE_CHECKING:
    from fewshot.heads import Head

TYPES = ("PER", "ORG", "LOC")
"""Default entity types."""


def iob2(types: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of entity types."""
    return ("O", *(f"{prefix}-{kind}" for kind in types for prefix in "BI"))


class NER(Task[Sentence]):
    """One IOB2 tag per word."""

    name = "ner"
    title = "named entity recognition"
    metric = "f1"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    nominal: ClassVar[str] = "words"
    sampler: ClassVar[str] = "confused"
    symmetric: tuple[str, ...] = ("f1",)
    open = True
    labels = iob2(TYPES)
    columns: tuple[str, ...] = ("entities",)
    editor: ClassVar[str] = "spans"
    price = Price(
        unit="sentence",
        dollars=0.06,
        wage=11.37,
        source="Bontcheva et al. 2017: $0.06 a sentence, median pay $11.37/h",
    )
    time = AnnotationTime(
        item=7.0,
        token=0.35,
        edit=5.0,
        spread=0.7,
        source="guess, with Bontcheva et al. 2017: 19 s a sentence ($0.06 at $11.37/h), of 20 tokens with one entity",
    )
    curve = CurvePrior(slope=0.134, slope_sd=0.067, noise=0.073)
    options: ClassVar = {"crf": "a CRF instead of a softmax for every word (Lauscher et al. 2020, section 3.1)"}

    def _set_labels(self, labels: Sequence[str]) -> None:
        """Set the entity types, given as types or as all of their tags."""
        types = tuple(tag[2:] for tag in labels if tag[:2] == "B-")
        self.given = types if tuple(labels) == iob2(types) else tuple(labels)
        self.labels = iob2(self.given)

    @property
    def choices(self) -> tuple[str, ...]:
        """The entity types."""
        return self.given or TYPES

    @property
    def background(self) -> str:
        """``O``; none with a CRF, which scores whole sentences without word weights."""
        return "" if "crf" in self.chosen else "O"

    def labels_of(self, example: Sentence) -> set[str]:
        """Return the entity types."""
        return {tag[2:] for layer in layers(example.entities) for tag in set(layer) if TAG.fullmatch(tag)}

    def masked(self, example: Sentence) -> Sentence:
        """Return the sentence without the tags of unknown entity types; their words count as not annotated."""
        tags = to_iob2(outermost(example.entities))
        return example.annotated(entities=tuple(tag if tag in self.labels else UNANNOTATED for tag in tags))

    def similar_labels(self, label: str) -> list[int]:
        """Return the places of the tags with the same prefix."""
        return [place for place, tag in enumerate(self.labels) if tag[0] == label[0]]

    def check(self, example: Sentence) -> str | None:
        """Return an error for a tag outside the label set, in any scheme that `to_iob2` reads."""
        return next((problem.message for problem in self.faults(example)), None)

    def faults(self, example: Sentence) -> Iterator[Problem]:
        """Yield all that `check` finds, with the word."""
        for layer in layers(example.entities):
            for number, (word, tag, read) in enumerate(zip(example.words, layer, to_iob2(layer), strict=True), start=1):
                if read != UNANNOTATED and read not in self.labels:
                    message = f"entity tag {tag!r} of {word!r} is none of {', '.join(self.labels)}"
                    yield Problem("error", message, number)

    def errors(self, example: Sentence) -> list[Problem]:
        """Return every word without a tag, with an unknown tag, or with an ``I-`` that continues nothing."""
        problems = list(missing_tags(example.words, example.entities, "entity tag"))
        for layer in layers(example.entities):
            problems += self._layer_errors(example, layer)
        return problems

    def _layer_errors(self, example: Sentence, layer: Sequence[str]) -> Iterator[Problem]:
        rows = zip(example.words, ("O", *layer), layer, strict=False)
        for number, (word, before, tag) in enumerate(rows, start=1):
            if tag == UNANNOTATED:
                continue
            if tag not in self.labels:
                message = f"entity tag {tag!r} of {word!r} is none of {', '.join(self.labels)}"
            elif not _may_follow(before, tag):
                message = f"{tag} of {word!r} (word {number}) follows {before}; begin the entity with B-{tag[2:]}"
            elif tag.startswith("I-") and number - 1 in example.ends:
                message = f"{tag} of {word!r} (word {number}) begins a sentence; begin the entity with B-{tag[2:]}"
            else:
                continue
            yield Problem("error", message, number)

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a tag; a sentence without entities is annotated with ``O``."""
        return any(tag != UNANNOTATED for tag in example.entities)

    def inputs(self, example: Sentence) -> list[Input]:
        """Return the words."""
        return [Input((example.words,))]

    def targets(self, example: Sentence) -> list[list[int]]:
        """Return label ids, ``IGNORE`` for words without a tag."""
        from fewshot.heads.classifier import IGNORE

        tags = to_iob2(outermost(example.entities))
        return [[IGNORE if tag == UNANNOTATED else self.labels.index(tag) for tag in tags]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over words (Wu & Dredze 2019, section 4.3), or a CRF with valid IOB2."""
        from fewshot.heads import CRF, Classifier

        if "crf" not in self.chosen:
            return Classifier(hidden, len(self.labels), dropout)
        pairs = [[_may_follow(before, tag) for tag in self.labels] for before in self.labels]
        return CRF(hidden, len(self.labels), dropout, pairs[self.labels.index("O")], pairs)

    def annotate(self, example: Sentence, predictions: Sequence[Sequence[int]]) -> Sentence:
        """Set the tags, repaired to valid IOB2."""
        (labels,) = predictions
        return example.annotated(entities=repair([self.labels[label] for label in labels]))

    def suggestion(
        self, example: Sentence, predictions: Sequence[Sequence[int]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return ``entities``, repaired, with the confidence of the repaired tags."""
        entities = list(self.annotate(example, predictions).entities)
        places = [self.labels.index(tag) for tag in entities]
        (tags,) = probabilities
        return {"annotation": {"entities": entities}, "confidence": shares(tags[np.arange(len(places)), places])}

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[spans right, spans predicted, spans in gold, tags right, words annotated]``.

        Only outermost spans count.
        """
        return _counts(to_iob2(outermost(gold.entities)), predicted.entities)

    def agreed(self, first: Sentence, second: Sentence) -> np.ndarray:
        """Return the same counts as `counts`, of all spans; both may have tags of any scheme."""
        return _counts(to_iob2(first.entities), to_iob2(second.entities))

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return span F1, precision, recall and token accuracy, in percent."""
        right, guessed, true, tags, words = counts
        return {
            "f1": 200.0 * right / max(guessed + true, 1),
            "precision": 100.0 * right / max(guessed, 1),
            "recall": 100.0 * right / max(true, 1),
            "token_accuracy": 100.0 * tags / max(words, 1),
        }

    def marks(self, example: Sentence) -> dict[Hashable, str]:
        """Return the type of each entity; a word without a tag is open."""
        tags = to_iob2(example.entities)
        marks: dict[Hashable, str] = {place: tag for place, tag in enumerate(tags) if tag == UNANNOTATED}
        closed = ["O" if tag == UNANNOTATED else tag for tag in tags]
        for depth, layer in enumerate(layers(closed)):
            for kind, start, end in spans(layer):
                place = (start, end, depth) if (start, end) in marks else (start, end)  # two types of the same words
                marks[place] = kind
        return marks

    def pairs(self, first: Sentence, second: Sentence) -> list[tuple[str, str]]:
        """Return both tags of each word, since annotators do not choose among spans."""
        return list(zip(to_iob2(first.entities), to_iob2(second.entities), strict=True))


def _may_follow(before: str, tag: str) -> bool:
    """Return whether IOB2 allows a tag after another; sentences begin as if after ``O``."""
    return tag[0] != "I" or before[2:] == tag[2:]


def repair(tags: Sequence[str]) -> tuple[str, ...]:
    """Make predicted tags valid IOB2 (Wu & Dredze 2020, section 3).

    A lone ``I-X`` becomes ``B-X``; the last tag's type counts for a whole entity: ``B-X I-Y`` becomes ``B-Y I-Y``.
    """
    repaired = list(tags)
    start = 0
    for place, tag in enumerate(repaired):
        if not tag.startswith("I-"):
            start = place
        elif place == 0 or repaired[place - 1] == "O":
            repaired[place] = f"B-{tag[2:]}"
            start = place
        elif repaired[place - 1][2:] != tag[2:]:
            repaired[start:place] = [f"{old[0]}-{tag[2:]}" for old in repaired[start:place]]
    return tuple(repaired)


def _counts(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a != UNANNOTATED]
    true, guess = spans([a for a, _ in pairs]), spans([b for _, b in pairs])
    return np.array([len(true & guess), len(guess), len(true), sum(a == b for a, b in pairs), len(pairs)])


def spans(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    """Return ``(type, start, end)`` of every entity, strict IOB2."""
    read = Entities([list(layer) for layer in layers(tags)], IOB2)
    return {entity.to_tuple()[1:] for layer in read.entities for entity in layer}
