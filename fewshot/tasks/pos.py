"""POS: universal part-of-speech tags, scored by accuracy over words (Lauscher et al. 2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Problem, Task, ranked, shares
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price

if TYPE_CHECKING:
    from fewshot.heads import Head


class POS(Task[Sentence]):
    """One tag a word."""

    name = "pos"
    title: ClassVar[str] = "POS tagging"
    metric: ClassVar[str] = "accuracy"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    nominal: ClassVar[str] = "words"
    in_ud: ClassVar[bool] = True
    labels = UPOS
    columns: ClassVar = ("upos",)
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

    def check(self, example: Sentence) -> str | None:
        """Find a tag outside the universal set."""
        return next((problem.message for problem in self._unknown(example)), None)

    def errors(self, example: Sentence) -> list[Problem]:
        """Find every word without a tag, or with one outside the universal set."""
        return [*missing(example.words, example.upos, "UPOS"), *self._unknown(example)]

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a tag."""
        return any(tag != UNANNOTATED for tag in example.upos)

    def inputs(self, example: Sentence) -> list[Input]:
        """Return the words."""
        return [Input((example.words,))]

    def targets(self, example: Sentence) -> list[list[int]]:
        """Return label ids, ``IGNORE`` for words without a tag."""
        from fewshot.heads.classifier import IGNORE

        return [[IGNORE if tag == UNANNOTATED else self.labels.index(tag) for tag in example.upos]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over words."""
        from fewshot.heads import Classifier

        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example: Sentence, predictions: Sequence[Sequence[int]]) -> Sentence:
        """Set the tags."""
        (labels,) = predictions
        return example.annotated(upos=tuple(self.labels[label] for label in labels))

    def suggestion(
        self, example: Sentence, predictions: Sequence[Sequence[int]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return ``upos``, and three tags a word."""
        (labels,), (tags,) = predictions, probabilities
        return {
            "annotation": {"upos": [self.labels[label] for label in labels]},
            "confidence": shares(tags[np.arange(len(labels)), labels]),
            "upos_ranked": [ranked(row, self.labels, 3) for row in tags],
        }

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[correct, annotated]`` words."""
        pairs = [(a, b) for a, b in zip(gold.upos, predicted.upos, strict=True) if a != UNANNOTATED]
        return np.array([sum(a == b for a, b in pairs), len(pairs)])

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of words with the right tag, in percent."""
        correct, total = counts
        return {"accuracy": 100.0 * correct / max(total, 1)}

    def marks(self, example: Sentence) -> dict[Hashable, str]:
        """Return the tag of each word."""
        return dict(enumerate(example.upos))

    def _unknown(self, example: Sentence) -> Iterator[Problem]:
        for number, (word, tag) in enumerate(zip(example.words, example.upos, strict=True), start=1):
            if tag != UNANNOTATED and tag not in self.labels:
                yield Problem("error", f"UPOS {tag!r} of {word!r} is none of {', '.join(self.labels)}", number)


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
