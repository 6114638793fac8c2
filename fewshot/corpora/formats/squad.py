"""Read and write articles with questions in the JSON format of SQuAD v1.1 (Rajpurkar et al. 2016)."""

from __future__ import annotations

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields
from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.formats.common.layout import NEW_LAYOUT, dump, layout_of
from fewshot.corpora.formats.common.parts import digest
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import Answer, Article, Paragraph, Question, Record, file_lines
from fewshot.errors import CorpusError

NEW_HEAD = {"layout": NEW_LAYOUT, "whole": {"version": "1.1"}}
"""First line of an article's record: the layout and the keys of the file besides ``data``.

For articles of a file also ``file`` (hash of its texts) and ``places`` (indices of the article's parts).
"""

MAX_DISTANCE = 10_000
"""Most characters between the stated and the actual position of an answer."""

OTHER_ANSWERS = ("answer", "detected_answers")
"""Keys of other tools for the answers of a question."""

HINT = "SQuAD v1.1 has data, paragraphs, context, qas, answers"


def read(path: str | Path, report: Report = fail) -> list[Article]:
    """Read a file of articles.

    Articles are named by title; parts with one title are one article. A question without answers (``[]``, ``null``, no
    key) is unanswered, unless it has ``is_impossible`` of SQuAD 2.0. So is a predicted question (``predicted`` is true)
    if people answered others of the article.

    Args:
        report: receives the error of each bad article, paragraph or question.

    Raises:
        CorpusError: with article and question, for a missing or empty value, an answer that is not at its offset, a
            repeated question id, or a file without questions.
    """
    path = Path(path)
    source = "".join(read_lines(path))
    whole = fields.parse(source.removeprefix("\ufeff"), path)
    data = fields.field(whole, "data", list, str(path), HINT)
    articles: defaultdict[str, list[Paragraph]] = defaultdict(list)
    parts: defaultdict[str, dict[int, Any]] = defaultdict(dict)
    seen: dict[str, bool] = {}
    for number, article in enumerate(data, start=1):
        title = fields.name(article, "title", f"{path.stem}-{number}")
        for paragraphs in keep(partial(_paragraphs, _where(path, title), report, seen), [article], report):
            articles[title] += paragraphs
            parts[title][number] = article
    filled = {title: paragraphs for title, paragraphs in articles.items() if any(each.questions for each in paragraphs)}
    if not filled:
        raise CorpusError("no question in this file", path)
    texts = (paragraph.context for paragraphs in filled.values() for paragraph in paragraphs)
    head = {"layout": layout_of(source, whole), "whole": {**whole, "data": []}, "file": digest("".join(texts).encode())}
    for title in articles.keys() - filled.keys():
        parts[next(iter(filled))] |= parts[title]  # an article without a question is kept with the first that has some
    return [
        _article(title, paragraphs, _where(path, title), head, parts[title], seen)
        for title, paragraphs in filled.items()
    ]


def write(articles: Iterable[Article], path: str | Path) -> None:
    """Write articles.

    Articles of this format keep position, layout and further keys, also those besides ``data``. Predicted questions
    have the key ``predicted``, begun articles the key ``label_status``.
    """
    first: dict[str, Any] = NEW_HEAD
    rows: list[tuple[tuple[int, int, int], Any]] = []
    files: dict[str, int] = {}
    copies: Counter[tuple[int, int]] = Counter()
    for number, article in enumerate(articles):
        seen: dict[str, bool] = {}
        head, *parts = map(json.loads, file_lines(article, FORMAT.name) or _new_record_lines(article))
        first = first if rows else head
        file = files.setdefault(head.get("file", f"new {number}"), len(files))
        for place, part in zip(head.get("places", range(len(parts))), parts, strict=True):
            rows.append(((copies[file, place], file, place), _with_current_answers(part, article, seen)))
            copies[file, place] += 1
    data = [part for _, part in sorted(rows, key=lambda row: row[0])]
    write_text(path, dump(first["whole"] | {"data": data}, first["layout"]))


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an article with title and question ids replaced."""
    head, *parts = map(json.loads, record.lines)
    for part in parts:
        fields.rename(part, "title", ids)
        for _, values in _questions(part):
            fields.rename(values, "id", ids)
    return Record(record.format, tuple(map(_text, [head, *parts])))


def _new_record_lines(article: Article) -> list[str]:
    paragraphs = [
        {
            "context": paragraph.context,
            "qas": [{"id": asked.id, "question": asked.text, "answers": []} for asked in paragraph.questions],
        }
        for paragraph in article.paragraphs
    ]
    return [_text(NEW_HEAD), _text({"title": article.id, "paragraphs": paragraphs})]


def _with_current_answers(part: dict[str, Any], article: Article, seen: dict[str, bool]) -> dict[str, Any]:
    questions = {asked.id: asked for paragraph in article.paragraphs for asked in paragraph.questions}
    for context, values in _questions(part):
        with contextlib.suppress(CorpusError):  # this question could not be read
            question = questions.get(_question(context, "", seen, values).id)
            if question:
                _answer_in(values, question, bool(article.predicted))
    return fields.with_status(part, article.begun) if any(_questions(part)) else part


def _questions(part: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield context and object of an article's questions; paragraphs that could not be read have none."""
    for paragraph in part["paragraphs"]:
        if isinstance(paragraph, dict) and isinstance(paragraph.get("qas"), list):
            for values in paragraph["qas"]:
                if isinstance(values, dict):
                    yield str(paragraph.get("context")), values


def _answer_in(values: dict[str, Any], question: Question, predicted: bool) -> None:
    """Set the answers of a question in its object; unchanged values stay as they are."""
    given = values.get("answers") or ()
    if values.get("predicted") is True and not question.settled and not (predicted and given):
        return  # an undecided guess
    old = [(answer["text"], answer["answer_start"]) for answer in given]
    new = [(answer.text, answer.start) for answer in question.answers]
    if old != new:
        known = dict(zip(old, given, strict=True))
        values["answers"] = [known.get((text, start), {"text": text, "answer_start": start}) for text, start in new]
    if (old != new or not old) and question.impossible != bool(values.get("is_impossible")):
        values["is_impossible"] = question.impossible
    if predicted and question.settled:
        values["predicted"] = True
    elif values.get("predicted") is True:
        del values["predicted"]


def _text(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)


def _article(
    title: str,
    paragraphs: Sequence[Paragraph],
    where: str,
    head: dict[str, Any],
    parts: Mapping[int, Any],
    is_guess: Mapping[str, bool],
) -> Article:
    """Return an article; ``is_guess`` says, by question id, whether a model has answered."""
    lines = map(_text, [head | {"places": sorted(parts)}, *(parts[place] for place in sorted(parts))])
    begun = any(fields.is_begun(part) for part in parts.values() if any(_questions(part)))
    answered = [asked.id for paragraph in paragraphs for asked in paragraph.questions if asked.settled]
    guessed = {id for id in answered if is_guess[id]}
    predicted = ("answers",) if guessed and len(guessed) == len(answered) else ()
    if not predicted and guessed:
        paragraphs = [_without_answers(paragraph, guessed) for paragraph in paragraphs]
    return Article(title, tuple(paragraphs), "", where, Record(FORMAT.name, tuple(lines)), predicted, begun)


def _without_answers(paragraph: Paragraph, ids: Collection[str]) -> Paragraph:
    questions = (
        replace(question, answers=(), impossible=False) if question.id in ids else question
        for question in paragraph.questions
    )
    return replace(paragraph, questions=tuple(questions))


def _where(path: Path, title: str) -> str:
    return f"{path}: article {title!r}"


def _paragraphs(where: str, report: Report, seen: dict[str, bool], article: Any) -> list[Paragraph]:
    values = fields.field(article, "paragraphs", list, where, HINT)
    made = list(keep(partial(_paragraph, where, report, seen), values, report))
    fields.check_characters(_text(article), where)
    return made


def _paragraph(where: str, report: Report, seen: dict[str, bool], values: Any) -> Paragraph:
    context = fields.text(values, "context", where, HINT)
    questions = fields.field(values, "qas", list, where, HINT)
    return Paragraph(context, tuple(keep(partial(_question, context, where, seen), questions, report)))


def _question(context: str, where: str, seen: dict[str, bool], values: Any) -> Question:
    key = str(fields.field(values, "id", (str, int), f"{where}, a question", HINT))
    if key in seen:
        raise CorpusError(f"question id {key!r} is used twice; give each question its own", where)
    where = f"{where}, question {key!r}"
    text = fields.text(values, "question", where, HINT)
    answers = fields.field(values, "answers", list, where, HINT) if values.get("answers") is not None else []
    is_open = not answers and not values.get("is_impossible")
    if is_open and (unread := next(filter(values.get, OTHER_ANSWERS), None)):
        wanted = '"answers": [{"text": "...", "answer_start": 0}]'
        raise CorpusError(f"answers are read from 'answers', not from {unread!r}; write {wanted}", where)
    is_impossible = values.get("is_impossible")
    if is_impossible not in (None, True, False):  # 1 and 0 are equal to these
        raise CorpusError(f"'is_impossible' is {str(is_impossible)[:40]!r}; write true or false, without quotes", where)
    impossible = not answers and bool(is_impossible)
    question = Question(key, text, tuple(_answer(answer, context, where) for answer in answers), impossible)
    seen[key] = values.get("predicted") is True
    return question


def _answer(values: Any, context: str, where: str) -> Answer:
    if isinstance(values, dict) and values.get("text") == "":
        raise CorpusError('an answer without a text; write "answers": [] where there is none', where)
    text, start = fields.text(values, "text", where, HINT), fields.field(values, "answer_start", int, where, HINT)
    if start < 0 or not context.startswith(text, start):
        nearest = _nearest(text, context, start)
        right = "nowhere near it in the paragraph" if nearest is None else f"at {nearest}"
        raise CorpusError(f"the answer {text!r} is not at answer_start {start} but {right}; correct the file", where)
    return Answer(text, start)


def _nearest(text: str, context: str, start: int) -> int | None:
    """Return the position of a text nearest to another position, at most `MAX_DISTANCE` characters away."""
    start = min(max(start, 0), len(context))
    first = max(start - MAX_DISTANCE, 0)
    before = context[first : start + len(text)][::-1].find(text[::-1])  # `rfind` may be quadratic
    behind = context.find(text, start, start + MAX_DISTANCE + len(text))
    places = [min(start + len(text), len(context)) - before - len(text)] if before >= 0 else []
    places += [behind] if behind >= 0 else []
    return min(places, key=lambda place: abs(place - start), default=None)


FORMAT = Format(
    name="squad",
    title="SQuAD 1.1",
    rank=8,
    suffixes=(".json",),
    holds={Article.kind: Article.columns},
    read=lambda path, options: read(path, options.report),
    write=lambda articles, path, columns: write(articles, path),
    rename=rename,
    begins="{",
)
