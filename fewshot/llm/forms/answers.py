"""Answers: what a paragraph says to each question, copied from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fewshot.corpora.types import Answer, Article, Question
from fewshot.llm.forms.base import Form, record, rows
from fewshot.llm.reading import AnswerError
from fewshot.tasks import Task


class Answers(Form[Article]):
    """``{"answers": [{"n": 1, "text": "in Dakar"}, ...]}``, an empty text where the paragraph has no answer."""

    def told(self, task: Task[Article]) -> str:
        """Say what an answer is."""
        return "\n".join(
            [
                "Answer each numbered question about the paragraph above it with the shortest part of that paragraph "
                "which answers it, copied letter by letter; with an empty text if nothing in the paragraph does.",
                'Answer with one row for each question, in order, as in {"answers": [{"n": 1, "text": ...}, ...]}',
            ]
        )

    def schema(self, task: Task[Article], example: Article) -> dict[str, Any]:
        """Return a row of number and answer for each question."""
        each = sum(1 for _ in _questions(example))
        return record(answers=rows(each, each, n="integer", text="string"))

    def question(self, task: Task[Article], example: Article) -> str:
        """Return each paragraph, and below it its questions, which are numbered through the article."""
        lines, number = list[str](), 0
        for paragraph in example.paragraphs:
            lines.append(f"Paragraph: {paragraph.context}")
            for asked in paragraph.questions:
                number += 1
                lines.append(f"Question {number}: {asked.text}")
        return "\n".join(lines)

    def answer(self, task: Task[Article], example: Article) -> dict[str, Any]:
        """Return the first answer to each question that is settled."""
        return {
            "answers": [
                {"n": number, "text": asked.answers[0].text if asked.answers else ""}
                for number, (_, asked) in enumerate(_questions(example), start=1)
                if asked.settled
            ]
        }

    def read(self, task: Task[Article], example: Article, answer: Mapping[str, Any]) -> Article:
        """Return the article with an answer to each question, or that it has none; of equal places the first."""
        given, questions = answer["answers"], list(_questions(example))
        if [row["n"] for row in given] != list(range(1, len(questions) + 1)):
            raise AnswerError(f"there must be one row for each of {len(questions)} questions, numbered in order")
        settled = iter(
            [
                _settled(number, context, asked, row["text"])
                for number, ((context, asked), row) in enumerate(zip(questions, given, strict=True), start=1)
            ]
        )
        return _with_questions(example, settled)

    def nothing(self, example: Article) -> Article:
        """Return the article with empty answers, which are wrong of each question, also of one that has none."""
        return _with_questions(
            example, (replace(asked, answers=(Answer("", 0),), impossible=False) for _, asked in _questions(example))
        )


def _questions(article: Article) -> Iterator[tuple[str, Question]]:
    """Yield each question with its paragraph."""
    return ((part.context, asked) for part in article.paragraphs for asked in part.questions)


def _settled(number: int, context: str, asked: Question, text: str) -> Question:
    text = text.strip()
    if not text:
        return replace(asked, answers=(), impossible=True)
    start = context.find(text)
    if start < 0:
        raise AnswerError(f"answer {number}, {text[:50]!r}, is not copied from its paragraph")
    return replace(asked, answers=(Answer(text, start),), impossible=False)


def _with_questions(article: Article, questions: Iterator[Question]) -> Article:
    """Return an article with other questions in the places of its own."""
    paragraphs = (
        replace(part, questions=tuple(next(questions) for _ in part.questions)) for part in article.paragraphs
    )
    return replace(article, paragraphs=tuple(paragraphs))
