"""The form of a choice: one label for a text or a pair of texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from fewshot.corpora.types import Document, Pair
from fewshot.llm.forms.base import Form, known_label, one_of, record

E = TypeVar("E", Pair, Document)


class ChoiceForm(Form[E]):
    """``{"label": "entailment"}``."""

    def instructions(self) -> str:
        """Return the labels and the form."""
        return (
            f"Give each {' and '.join(self.task.reads)} one label of {', '.join(self.task.choices)}.\n"
            'Answer as in {"label": ...}'
        )

    def schema(self, example: E) -> dict[str, Any]:
        """Return the schema of one label."""
        return record(label=one_of(self.task.choices))

    def question(self, example: E) -> str:
        """Return the texts with their names."""
        return "\n".join(f"{name}: {text}" for name, text in zip(self.task.reads, example.content[:-1], strict=True))

    def answer(self, example: E) -> dict[str, Any]:
        """Return the label."""
        return {"label": example.label}

    def read(self, example: E, answer: Mapping[str, Any]) -> E:
        """Return the example with the label."""
        return replace(example, label=known_label(answer["label"].strip(), self.task.choices))
