"""QA: the answer to a question as a span of its paragraph, by exact match (Lauscher et al. 2020, 3.1).

Examples are articles: k counts articles, pool and test set are split by article. Answers are compared as in the
official scripts of SQuAD v1.1 (English) and MLQA (other languages); see `normalised`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fewshot.corpora.types import Answer, Article, Paragraph, Question
from fewshot.corpora.words import is_unsegmented, spans, words
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Problem, Task, shares
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price

if TYPE_CHECKING:
    from fewshot.heads import Head
    from fewshot.heads.span import ScoredSpan

ARTICLES = {
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "ar": "ال",  # also inside of words, as in the script
}
"""Articles of the scripts of SQuAD v1.1 and MLQA, by language."""


class QA(Task[Article]):
    """The first and the last word of the answer to each question."""

    name = "qa"
    title = "question answering"
    metric = "em"
    example: ClassVar = Article
    unit: ClassVar[str] = "article"
    view: ClassVar = View("words", limit=384, second=64, stride=128)  # Lauscher et al. 2020, section 3.1
    reads: ClassVar[tuple[str, ...]] = ("paragraph", "question")
    hub: ClassVar[str] = "question-answering"
    labels = ()
    columns: tuple[str, ...] = ("answers",)
    editor: ClassVar[str] = "answers"
    price = Price(
        unit="paragraph", dollars=0.60, wage=9.00, source="Rajpurkar et al. 2016: 4 minutes a paragraph at $9/h"
    )
    time = AnnotationTime(
        item=60.0,
        token=0.4,
        edit=25.0,
        spread=0.8,
        source="guess, with Rajpurkar et al. 2016: 4 minutes a paragraph of 140 tokens and five questions",
    )
    curve = CurvePrior(slope=0.020, slope_sd=0.030, noise=0.006, drift=0.02)
    symmetric: tuple[str, ...] = ("em", "f1")

    def check(self, example: Article) -> str | None:
        """Return an error for a missing answer, or an answer outside its paragraph or without a word."""
        return next(_faults(example), None)

    def errors(self, example: Article) -> list[Problem]:
        """Return every question without an answer, and every invalid answer."""
        return [Problem("error", fault) for fault in _faults(example)]

    def is_annotated(self, example: Article) -> bool:
        """Return whether any question has an answer."""
        return any(question.settled for _, question in _questions(example))

    def inputs(self, example: Article) -> list[Input]:
        """Return paragraph and question, one pair per question."""
        inputs = []
        for paragraph in example.paragraphs:
            context = words(paragraph.context)
            inputs += [Input((context, words(question.text))) for question in paragraph.questions]
        return inputs

    def targets(self, example: Article) -> list[list[tuple[int, int]]]:
        """Return the first and last word of each distinct answer, for each question.

        An answer that begins or ends inside a word is extended to the whole word.
        """
        targets = []
        for paragraph in example.paragraphs:
            places = spans(paragraph.context)
            targets += [sorted({_words_of(a, places) for a in question.answers}) for question in paragraph.questions]
        return targets

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a span head over the words of the paragraph."""
        from fewshot.heads import Span

        return Span(hidden, dropout)

    def annotate(self, example: Article, predictions: Sequence[Sequence[ScoredSpan]]) -> Article:
        """Set the answer of each question to the text of its span."""
        remaining = iter(predictions)
        paragraphs = []
        for paragraph in example.paragraphs:
            places = spans(paragraph.context)
            questions = []
            for question in paragraph.questions:
                bounds = [(places[best.start][0], places[best.end][1]) for best in next(remaining)]
                answers = tuple(Answer(paragraph.context[start:end], start) for start, end in bounds)
                questions.append(replace(question, answers=answers, impossible=False))
            paragraphs.append(replace(paragraph, questions=tuple(questions)))
        return replace(example, paragraphs=tuple(paragraphs))

    def suggestion(
        self, example: Article, predictions: Sequence[Sequence[ScoredSpan]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return the ``answers`` of each question; a question without an answer has confidence 0."""
        answers = {}
        for _, question in _questions(self.annotate(example, predictions)):
            if question.answers:
                answers[question.id] = [asdict(answer) for answer in question.answers]
        best = [spans[0] if len(spans) else 0.0 for spans in probabilities]
        return {"annotation": {"answers": answers}, "confidence": shares(np.array(best))}

    def counts(self, gold: Article, predicted: Article) -> np.ndarray:
        """Return ``[exact matches, summed F1, questions]``, with the gold answer closest to the prediction.

        No answer matches an impossible question. Questions that are open in both do not count, else they do not match.
        """
        total = np.zeros(3)
        for (_, asked), (_, answered) in zip(_questions(gold), _questions(predicted), strict=True):
            if asked.impossible and not answered.answers:
                total += 1
            elif asked.settled or answered.answers:
                right, guesses = ([normalised(a.text, gold.lang) for a in q.answers] for q in (asked, answered))
                pairs = list(product(right, guesses))
                total += max((a == b for a, b in pairs), default=0), max((f1(a, b) for a, b in pairs), default=0), 1
        return total

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return exact match and mean F1 over questions, in percent."""
        exact, overlap, questions = counts
        return {"em": 100.0 * exact / max(questions, 1), "f1": 100.0 * overlap / max(questions, 1)}

    def marks(self, example: Article) -> dict[Hashable, str]:
        """Return the normalised first answer to each question that is not open."""
        return {
            question.id: " ".join(normalised(question.answers[0].text, example.lang)) if question.answers else ""
            for _, question in _questions(example)
            if question.settled
        }

    def units(self, examples: Sequence[Article]) -> dict[str, int]:
        """Return tokens, articles, paragraphs and questions."""
        paragraphs = [paragraph for example in examples for paragraph in example.paragraphs]
        questions = sum(len(paragraph.questions) for paragraph in paragraphs)
        return super().units(examples) | {"paragraph": len(paragraphs), "question": questions}


def normalised(text: str, lang: str) -> tuple[str, ...]:
    """Return the words of an answer for comparison: in lower case, without punctuation and articles.

    English follows the script of SQuAD v1.1 (Rajpurkar et al. 2016), which removes ASCII punctuation; other and unknown
    languages follow that of MLQA (Lewis et al. 2020), which removes Unicode punctuation. MLQA splits Chinese into
    characters: here every letter of a script without spaces is a word, with its vowel signs, whatever the language.
    """
    text = "".join(char for char in text.lower() if not _is_punctuation(char, lang))
    text = re.sub(ARTICLES[lang], " ", text) if lang in ARTICLES else text
    for start, end in reversed(spans(text, marked=False)):
        if is_unsegmented(text[start]):
            text = f"{text[:start]} {text[start:end]} {text[end:]}"
    return tuple(text.split())


def f1(guess: Sequence[str], right: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall over words, 0 if an answer has none."""
    common = (Counter(guess) & Counter(right)).total()
    return 2 * common / (len(guess) + len(right)) if common else 0.0


def _faults(article: Article) -> Iterator[str]:
    for paragraph, question in _questions(article):
        if not question.settled:
            yield f"question {question.id!r} has no answer; answer it or leave it out"
        for answer in question.answers:
            if not (answer.start >= 0 and answer.text and paragraph.context.startswith(answer.text, answer.start)):
                yield f"question {question.id!r}: {answer.text!r} is not at offset {answer.start} of the paragraph"
            elif not words(answer.text):
                yield f"question {question.id!r}: the answer {answer.text!r} holds no word; mark at least one"


def _is_punctuation(char: str, lang: str) -> bool:
    return char in string.punctuation or (lang != "en" and unicodedata.category(char)[0] == "P")


def _questions(article: Article) -> Iterator[tuple[Paragraph, Question]]:
    return ((paragraph, question) for paragraph in article.paragraphs for question in paragraph.questions)


def _words_of(answer: Answer, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the first word that ends after the answer's start, and the last that starts before its end."""
    first = bisect_right(places, answer.start, key=lambda place: place[1])
    last = bisect_left(places, answer.start + len(answer.text), key=lambda place: place[0]) - 1
    return first, last
