"""Read and write articles with questions in the JSON format of SQuAD v1.1 (Rajpurkar et al. 2016)."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fewshot.corpora.files import read_lines, write_text
from fewshot.corpora.types import Answer, Article, Paragraph, Question
from fewshot.errors import CorpusError

VERSION = "1.1"

KINDS = {list: "a list", dict: "an object", str: "a text", int: "a number"}
"""What people call the types of JSON."""


SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: what is left where a tool that counts in UTF-16 has cut one."""


def read(path: str | Path) -> list[Article]:
    """Read a file of articles.

    Args:
        path: a UTF-8 file. Further keys are ignored; a question without answers is one that nobody has answered.

    Returns:
        The articles in file order, named by their title, or ``<file stem>-<number>`` where there is none. Parts of a
        file that share a title are one article.

    Raises:
        CorpusError: with ``file:line`` where the file is not JSON, else with file, article and question, for anything
            that is missing or empty, an answer that is not where its offset says, a repeated question id, no question.
    """
    path = Path(path)
    try:
        root = json.loads("".join(read_lines(path)).removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise CorpusError(f"not valid JSON: {error.msg}", path, error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets a thousand deep
        raise CorpusError(f"not JSON of SQuAD: {error}", path) from None
    articles: defaultdict[str, list[Paragraph]] = defaultdict(list)
    for number, article in enumerate(_field(root, "data", list, str(path)), start=1):
        title = str((isinstance(article, dict) and article.get("title")) or f"{path.stem}-{number}")
        where = _where(path, title)
        articles[title] += (_paragraph(each, where) for each in _field(article, "paragraphs", list, where))
    found = [Article(title, tuple(paragraphs), where=_where(path, title)) for title, paragraphs in articles.items()]
    seen: set[str] = set()
    for where, question in _questions(found):
        if question.id in seen:
            raise CorpusError(f"{where}: question id {question.id!r} is used twice; give each question its own")
        seen.add(question.id)
    if not seen:
        raise CorpusError("no question in this file", path)
    return found


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


def _questions(articles: Iterable[Article]) -> Iterator[tuple[str, Question]]:
    for article in articles:
        for paragraph in article.paragraphs:
            for question in paragraph.questions:
                yield article.where, question


def _paragraph(values: Any, where: str) -> Paragraph:
    context = _text(values, "context", where)
    return Paragraph(context, tuple(_question(each, context, where) for each in _field(values, "qas", list, where)))


def _question(values: Any, context: str, where: str) -> Question:
    key = str(_field(values, "id", (str, int), f"{where}, a question"))
    where = f"{where}, question {key!r}"
    answers = _field(values, "answers", list, where) if "answers" in values else []
    return Question(key, _text(values, "question", where), tuple(_answer(each, context, where) for each in answers))


def _answer(values: Any, context: str, where: str) -> Answer:
    text, start = _text(values, "text", where), _field(values, "answer_start", int, where)
    if start < 0 or not context.startswith(text, start):
        places = [place for place in range(len(context)) if context.startswith(text, place)]
        nearest = min(places, key=lambda place: abs(place - start), default=None)
        right = "nowhere in the paragraph" if nearest is None else f"at {nearest}"
        raise CorpusError(f"{where}: the answer {text!r} is not at answer_start {start} but {right}; correct the file")
    return Answer(text, start)


def _text(holder: Any, key: str, where: str) -> str:
    text = str(_field(holder, key, str, where))
    if not text.strip():
        raise CorpusError(f"{where}: empty {key}")
    if SURROGATE.search(text):
        raise CorpusError(f"{where}: {key} holds half a character (a lone surrogate); write it whole")
    return text


def _field(holder: Any, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):  # True is an int
        name = " or ".join(KINDS[each] for each in (kind if isinstance(kind, tuple) else (kind,)))
        raise CorpusError(f"{where}: {name} {key!r} is missing; SQuAD v1.1 has data, paragraphs, context, qas, answers")
    return value
