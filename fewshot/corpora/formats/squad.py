"""Read and write articles with questions in the JSON format of SQuAD v1.1 (Rajpurkar et al. 2016)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields
from fewshot.corpora.files import Report, fail, keep, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import Answer, Article, Paragraph, Question
from fewshot.errors import CorpusError

VERSION = "1.1"

HINT = "SQuAD v1.1 has data, paragraphs, context, qas, answers"


def read(path: str | Path, report: Report = fail) -> list[Article]:
    """Read a file of articles.

    Args:
        path: a UTF-8 file. Further keys are ignored; a question without answers (``[]``, ``null``, no such key) is
            one that nobody has answered, unless it has SQuAD 2.0's ``is_impossible``.
        report: told of each article, paragraph or question that is bad.

    Returns:
        The articles in file order, named by their title, or ``<file stem>-<number>`` where there is none. Parts of a
        file that share a title are one article.

    Raises:
        CorpusError: with ``file:line`` where the file is not JSON, else with file, article and question, for anything
            that is missing or empty, an answer that is not where its offset says, a repeated question id, no question.
    """
    path = Path(path)
    data = fields.field(fields.load(path), "data", list, str(path), HINT)
    articles: defaultdict[str, list[Paragraph]] = defaultdict(list)
    seen: set[str] = set()
    for number, article in enumerate(data, start=1):
        title = fields.name(article, "title", f"{path.stem}-{number}")
        for paragraphs in keep(partial(_paragraphs, _where(path, title), report, seen), [article], report):
            articles[title] += paragraphs
    if not seen:
        raise CorpusError("no question in this file", path)
    return [Article(title, tuple(parts), where=_where(path, title)) for title, parts in articles.items() if parts]


def write(articles: Iterable[Article], path: str | Path) -> None:
    """Write articles, atomically.

    Raises:
        CorpusError: when the file cannot be written.
    """
    data = [
        {
            "title": article.id,
            "paragraphs": [
                {
                    "context": paragraph.context,
                    "qas": [
                        {
                            "id": question.id,
                            "question": question.text,
                            "answers": [{"text": a.text, "answer_start": a.start} for a in question.answers],
                            **({"is_impossible": True} if question.impossible else {}),
                        }
                        for question in paragraph.questions
                    ],
                }
                for paragraph in article.paragraphs
            ],
        }
        for article in articles
    ]
    write_text(path, json.dumps({"version": VERSION, "data": data}, ensure_ascii=False, indent=1) + "\n")


def _where(path: Path, title: str) -> str:
    return f"{path}: article {title!r}"


def _paragraphs(where: str, report: Report, seen: set[str], article: Any) -> list[Paragraph]:
    values = fields.field(article, "paragraphs", list, where, HINT)
    return list(keep(partial(_paragraph, where, report, seen), values, report))


def _paragraph(where: str, report: Report, seen: set[str], values: Any) -> Paragraph:
    context = fields.text(values, "context", where, HINT)
    questions = fields.field(values, "qas", list, where, HINT)
    return Paragraph(context, tuple(keep(partial(_question, context, where, seen), questions, report)))


def _question(context: str, where: str, seen: set[str], values: Any) -> Question:
    key = str(fields.field(values, "id", (str, int), f"{where}, a question", HINT))
    if key in seen:
        raise CorpusError(f"question id {key!r} is used twice; give each question its own", where)
    where = f"{where}, question {key!r}"
    text = fields.text(values, "question", where, HINT)
    answers = fields.field(values, "answers", list, where, HINT) if values.get("answers") is not None else []
    impossible = not answers and values.get("is_impossible") is True
    question = Question(key, text, tuple(_answer(each, context, where) for each in answers), impossible)
    seen.add(key)
    return question


def _answer(values: Any, context: str, where: str) -> Answer:
    text, start = fields.text(values, "text", where, HINT), fields.field(values, "answer_start", int, where, HINT)
    if start < 0 or not context.startswith(text, start):
        places = [place for place in range(len(context)) if context.startswith(text, place)]
        nearest = min(places, key=lambda place: abs(place - start), default=None)
        right = "nowhere in the paragraph" if nearest is None else f"at {nearest}"
        raise CorpusError(f"the answer {text!r} is not at answer_start {start} but {right}; correct the file", where)
    return Answer(text, start)


FORMAT = Format(
    name="squad",
    title="SQuAD 1.1",
    rank=8,
    suffixes=(".json",),
    holds={Article.kind: Article.columns},
    read=lambda path, how: read(path, how.report),
    write=lambda articles, path, columns: write(articles, path),
    begins="{",
)
