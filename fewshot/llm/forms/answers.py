"""The form of answers: text copied from a paragraph for each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fewshot.corpora.spelling import SpellingMap, composed
from fewshot.corpora.types import Answer, Article, Question
from fewshot.llm.forms.base import Form, record, rows
from fewshot.llm.reading import AnswerError


class AnswersForm(Form[Article]):
    """``{"answers": [{"n": 1, "text": "in Dakar"}, ...]}``; an empty text means no answer."""

    def instructions(self) -> str:
        """Return the rules for answers."""
        return "\n".join(
            [
                "Answer each numbered question about the paragraph above it with the shortest part of that paragraph "
                "which answers it, copied letter by letter; with an empty text if nothing in the paragraph does.",
                'Answer with one row for each question, in order, as in {"answers": [{"n": 1, "text": ...}, ...]}',
            ]
        )

    def schema(self, example: Article) -> dict[str, Any]:
        """Return the schema of a row of number and answer for each question."""
        count = sum(1 for _ in _questions(example))
        return record(answers=rows(count, count, n="integer", text="string"))

    def question(self, example: Article) -> str:
        """Return each paragraph with its questions, numbered through the article."""
        lines, number = list[str](), 0
        for paragraph in example.paragraphs:
            lines.append(f"Paragraph: {paragraph.context}")
            for question in paragraph.questions:
                number += 1
                lines.append(f"Question {number}: {question.text}")
        return "\n".join(lines)

    def answer(self, example: Article) -> dict[str, Any]:
        """Return the first answer to each settled question."""
        questions = enumerate((question for _, question in _questions(example)), start=1)
        return {
            "answers": [
                {"n": number, "text": question.answers[0].text if question.answers else ""}
                for number, question in questions
                if question.settled
            ]
        }

    def read(self, example: Article, answer: Mapping[str, Any]) -> Article:
        """Return the article with an answer, or none, to each question, at the first place of its text."""
        given, questions = answer["answers"], list(_questions(example))
        if [row["n"] for row in given] != list(range(1, len(questions) + 1)):
            raise AnswerError(f"there must be one row for each of {len(questions)} questions, numbered in order")
        pairs = zip(questions, given, strict=True)
        settled = [_settle(row["n"], context, question, row["text"]) for (context, question), row in pairs]
        return _with_questions(example, iter(settled))

    def unanswered(self, example: Article) -> Article:
        """Return the article with empty answers, which are wrong even for a question without an answer."""
        empty = (Answer("", 0),)
        questions = (replace(question, answers=empty, impossible=False) for _, question in _questions(example))
        return _with_questions(example, questions)


def _questions(article: Article) -> Iterator[tuple[str, Question]]:
    return ((part.context, question) for part in article.paragraphs for question in part.questions)


def _settle(number: int, context: str, question: Question, text: str) -> Question:
    text = text.strip()
    if not text:
        return replace(question, answers=(), impossible=True)
    start, end = _place(text, context)
    if start < 0:
        raise AnswerError(f"answer {number}, {text[:50]!r}, is not copied from its paragraph")
    return replace(question, answers=(Answer(context[start:end], start),), impossible=False)


def _place(text: str, context: str) -> tuple[int, int]:
    """Return the first place of a text in a paragraph, in any spelling of its characters; -1 for none."""
    start = context.find(text)
    if start >= 0:
        return start, start + len(text)
    other, wanted = composed(context), composed(text)
    first = other.find(wanted)
    return SpellingMap(other, context).span(first, first + len(wanted)) if first >= 0 else (first, first)


def _with_questions(article: Article, questions: Iterator[Question]) -> Article:
    parts = (replace(part, questions=tuple(next(questions) for _ in part.questions)) for part in article.paragraphs)
    return replace(article, paragraphs=tuple(parts))
