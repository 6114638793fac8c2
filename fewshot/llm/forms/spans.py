"""The form of spans: a list of entities with their first and last words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fewshot.corpora.iob import outermost, to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.llm.forms.base import Form, comparable, known_label, numbered, one_of, plain, record, rows
from fewshot.llm.reading import AnswerError
from fewshot.tasks.ner import spans


class SpansForm(Form[Sentence]):
    """``{"entities": [{"text": "Abdoulaye Wade", "first": 3, "last": 4, "type": "PER"}]}``."""

    def instructions(self) -> str:
        """Return the types and the form."""
        return "\n".join(
            [
                "Find the entities: text as it is written, numbers of their first and last word, and type, one of "
                f"{', '.join(self.task.choices)}. Entities do not overlap; a sentence may have none.",
                'Answer as in {"entities": [{"text": ..., "first": 3, "last": 4, "type": ...}, ...]}',
            ]
        )

    def schema(self, example: Sentence) -> dict[str, Any]:
        """Return the schema of a list of at most as many entities as words."""
        kinds = {"text": "string", "first": "integer", "last": "integer", "type": one_of(self.task.choices)}
        return record(entities=rows(0, len(example.words), **kinds))

    def question(self, example: Sentence) -> str:
        """Return the numbered words."""
        return numbered(example)

    def answer(self, example: Sentence) -> dict[str, Any]:
        """Return the outermost entities, first to last."""
        tags = ["O" if tag == UNANNOTATED else tag for tag in outermost(to_iob2(example.entities))]
        return {
            "entities": [
                {"text": " ".join(example.words[start:end]), "first": start + 1, "last": end, "type": kind}
                for start, end, kind in sorted((start, end, kind) for kind, start, end in spans(tags))
            ]
        }

    def read(self, example: Sentence, answer: Mapping[str, Any]) -> Sentence:
        """Return the sentence with IOB2 tags."""
        tags = ["O"] * len(example.words)
        for entity in answer["entities"]:
            first, last = entity["first"], entity["last"]
            kind = known_label(plain(entity["type"], "type"), self.task.choices)
            if not 1 <= first <= last <= len(tags):
                raise AnswerError(f"words {first} to {last} are none of this sentence (1-{len(tags)})")
            text = " ".join(example.words[first - 1 : last])
            if comparable(text) != comparable(entity["text"]):
                raise AnswerError(f"words {first} to {last} are {text!r}, not {entity['text'][:50]!r}")
            if any(tag != "O" for tag in tags[first - 1 : last]):
                raise AnswerError(f"{text!r} overlaps another entity")
            tags[first - 1 : last] = [f"B-{kind}", *[f"I-{kind}"] * (last - first)]
        return example.annotated(entities=tuple(tags))

    def unanswered(self, example: Sentence) -> Sentence:
        """Return the sentence without entities, so that all gold entities are missed."""
        return example.annotated(entities=("O",) * len(example.words))
