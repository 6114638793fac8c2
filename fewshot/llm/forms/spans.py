"""Spans: a list of entities, each from one word to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.llm.forms.base import Form, numbered, one_of, plain, record, rows, same
from fewshot.llm.reading import AnswerError
from fewshot.tasks import Task
from fewshot.tasks.ner import spans


class Spans(Form[Sentence]):
    """``{"entities": [{"text": "Abdoulaye Wade", "first": 3, "last": 4, "type": "PER"}]}``."""

    def told(self, task: Task[Sentence]) -> str:
        """Name the types."""
        return "\n".join(
            [
                "Find the entities: text as it is written, numbers of their first and last word, and type, one of "
                f"{', '.join(task.choices)}. Entities do not overlap; a sentence may have none.",
                'Answer as in {"entities": [{"text": ..., "first": 3, "last": 4, "type": ...}, ...]}',
            ]
        )

    def schema(self, task: Task[Sentence], example: Sentence) -> dict[str, Any]:
        """Return a list of entities, of which a word is in one at most."""
        kinds = {"text": "string", "first": "integer", "last": "integer", "type": one_of(task.choices)}
        return record(entities=rows(0, len(example.words), **kinds))

    def question(self, task: Task[Sentence], example: Sentence) -> str:
        """Return the numbered words."""
        return numbered(example)

    def answer(self, task: Task[Sentence], example: Sentence) -> dict[str, Any]:
        """Return the entities, first to last."""
        tags = ["O" if tag == UNANNOTATED else tag for tag in to_iob2(example.entities)]
        found = sorted((start, end, kind) for kind, start, end in spans(tags))
        return {
            "entities": [
                {"text": " ".join(example.words[start:end]), "first": start + 1, "last": end, "type": kind}
                for start, end, kind in found
            ]
        }

    def read(self, task: Task[Sentence], example: Sentence, answer: Mapping[str, Any]) -> Sentence:
        """Return the sentence with IOB2 tags; words outside of entities have ``O``."""
        tags = ["O"] * len(example.words)
        for entity in answer["entities"]:
            first, last, kind = entity["first"], entity["last"], plain(entity["type"], "type")
            if not 1 <= first <= last <= len(tags):
                raise AnswerError(f"words {first} to {last} are none of this sentence (1-{len(tags)})")
            text = " ".join(example.words[first - 1 : last])
            if same(text) != same(entity["text"]):
                raise AnswerError(f"words {first} to {last} are {text!r}, not {entity['text'][:50]!r}")
            if any(tag != "O" for tag in tags[first - 1 : last]):
                raise AnswerError(f"{text!r} overlaps another entity")
            tags[first - 1 : last] = [f"B-{kind}", *[f"I-{kind}"] * (last - first)]
        return example.annotated(entities=tuple(tags))

    def nothing(self, example: Sentence) -> Sentence:
        """Return the sentence without entities: what gold has of them is missed."""
        return example.annotated(entities=("O",) * len(example.words))
