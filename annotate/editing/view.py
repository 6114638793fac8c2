"""The JSON that describes the open item to an editor, see ``components/editors/``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import regex

from annotate.editing import content, guidelines, session, uploaded, validation
from annotate.editing.joining import Next
from annotate.editing.state import State
from annotate.language import _
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.documents import misc, nodes
from fewshot.corpora.documents.annotate import relative_deps
from fewshot.corpora.documents.model import is_tight
from fewshot.corpora.formats import conllu
from fewshot.corpora.formats.common.interlinear import GLOSSES
from fewshot.corpora.formats.conllu_columns import with_asked
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.types import UNANNOTATED, Article, Pair, Sentence, ranges_of

IDLE_SECONDS = 120
"""Seconds without a key press or mouse movement after which active time stops."""


def view(project: Project, opened: session.OpenItem) -> dict[str, Any]:
    """Return the JSON of an open item."""
    item, labels = opened.item, project.labels[opened.item.task]
    task = tasks.get(item.task, labels)
    return {
        "item": item.id,
        "editor": task.editor,
        "scope": project.scope,
        "title": _(task.title),
        "columns": list(task.columns),
        "lang": project.lang,
        "dir": session.direction(text(opened.example)),
        **values(project, opened),
        "suggestion": opened.suggestion,
        "second": opened.second,
        "usual": opened.usual,
        **({"features": opened.features} if "feats" in (*task.columns, *opened.correctable) else {}),
        "done": item.status == "done",
        "labels": [
            {"name": label.name, "key": label.key, "definition": label.definition, "example": label.example}
            for label in guidelines.label_info(task, labels, opened.frequent)
        ],
        **({"corrects": list(opened.correctable)} if opened.correctable else {}),
        **({"tags": _tags()} if "upos" in opened.correctable else {}),
        **({"asks_tags": True} if opened.asks_tags else {}),
        **({"nested": True} if project.nested else {}),
        **({"several": True} if task.several else {}),
        "idle": IDLE_SECONDS,
        "acks": dict(opened.acks),
        "revision": {"id": opened.revision.id, "client": opened.revision.client} if opened.revision else None,
        "problems": _warnings(task, project, opened),
        "text": opened.text and asdict(opened.text),
        "following": [_next(sentence, project.hides_gold) for sentence in opened.following],
    }


def values(project: Project, known: session.OpenItem | State) -> dict[str, Any]:
    """Return the JSON of an item's example, with the annotation of other tasks, and of its own annotation."""
    return {
        "example": example(known.example, project.hides_gold),
        "annotation": known.annotation and content.with_words(known.annotation, known.example),
    }


def example(shown: Any, hides_gold: bool = False) -> dict[str, Any]:
    """Return the JSON of an example; if gold is hidden, without columns, DEPS and some MISC of the file."""
    if isinstance(shown, Sentence):
        words, source, hidden = conllu.to_model(shown).words, shown.source, [UNANNOTATED] * len(shown.words)
        seen = shown if hides_gold else with_asked(shown, Sentence.asked)
        return {
            "text": shown.text,
            "words": list(shown.words),
            "ranges": [list(each) for each in ranges_of(shown)],
            "ends": list(shown.ends),
            "joined": shown.joined,
            "misc": uploaded.shown_misc(shown, hides_gold),
            "tight": [is_tight(word) for word in words],
            "fixed": [*misc.DERIVED, *(GLOSSES if shown.interlinear else ())],
            "upos": list(shown.upos),
            "deps": [relative_deps(word) for word in source.words] if source and not hides_gold else hidden,
            "nodes": nodes.values_of(source) if source and not hides_gold else hidden,
            **{column: list(getattr(seen, column) or hidden) for column in Sentence.asked},
        }
    if isinstance(shown, Pair):
        return {"premise": shown.premise, "hypothesis": shown.hypothesis}
    if isinstance(shown, Article):
        paragraphs = (
            {"context": each.context, "questions": [{"id": asked.id, "text": asked.text} for asked in each.questions]}
            for each in shown.paragraphs
        )
        return {"paragraphs": list(paragraphs)}
    return {"text": shown.text}


def _tags() -> list[dict[str, str]]:
    """Return the tags that words of a tree can be given."""
    return [{"name": tag.name, "definition": tag.definition} for tag in guidelines.label_info(tasks.get("pos"))]


def _next(sentence: Next, hides_gold: bool) -> dict[str, Any]:
    """Return the JSON of a following sentence; if it cannot be joined, only the reason."""
    known: dict[str, Any] = {"annotation": None, "refused": sentence.refused, "spaced": sentence.spaced}
    if sentence.refused:
        return known
    if sentence.annotation:
        known["annotation"] = content.with_words(sentence.annotation, sentence.example)
    return example(sentence.example, hides_gold) | known


def words(opened: session.OpenItem) -> list[str]:
    """Return number and form of each word of a sentence, with this annotator's repairs."""
    annotation = opened.annotation or {}
    known = annotation["words"] if "words" in annotation else getattr(opened.example, "words", ())
    return [f"{number} {word}" for number, word in enumerate(known, start=1)]


def text(shown: Any) -> str:
    """Return the text of an example: a sentence with joined ones, the first paragraph of an article."""
    if isinstance(shown, Article):
        return shown.paragraphs[0].context if shown.paragraphs else ""
    if isinstance(shown, Sentence):
        return with_following(shown, len(shown.following)).text
    return str(shown.premise if isinstance(shown, Pair) else shown.text)


def beginning(text: str, most: int) -> str:
    """Return a text on one line, or its beginning of at most `most` graphemes with an ellipsis.

    It ends with a word, unless the text has long parts without a space.
    """
    graphemes = regex.findall(r"\X", " ".join(text.split()))
    if len(graphemes) <= most:
        return "".join(graphemes)
    cut = "".join(graphemes[: most - 1])
    words = cut.rpartition(" ")[0]
    return f"{words if len(words) > len(cut) / 2 else cut}…"


def whole(shown: Any) -> str:
    """Return the whole text of an example, with each part on a line of its own."""
    if isinstance(shown, Article):
        return "\n\n".join(paragraph.context for paragraph in shown.paragraphs)
    return f"{shown.premise}\n{shown.hypothesis}" if isinstance(shown, Pair) else text(shown)


def texts(store: Store, project: Project, ids: Iterable[int]) -> dict[int, str]:
    """Return the `text` of examples by their ids."""
    rows = store.examples(project.id, ids=set(ids))
    return {row.id: text(content.from_json(row.content)) for row in rows}


def warnings(problems: Iterable[validation.Problem]) -> list[dict[str, Any]]:
    """Return the JSON of the warnings among problems; the editor itself shows errors."""
    return [
        {"level": each.level, "message": each.message, "word": each.word - 1 if each.word else None}
        for each in problems
        if each.level == "warning"
    ]


def _warnings(task: tasks.Task[Any], project: Project, opened: session.OpenItem) -> list[dict[str, Any]]:
    """Return the warnings about the saved annotation."""
    if opened.annotation is None:
        return []
    annotated = content.annotated(opened.item.task, opened.example, dict(opened.annotation))
    return warnings(validation.problems(task, annotated, project.level, compared=not project.hides_gold))
