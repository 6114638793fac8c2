"""The form of a choice: one label for a text or a pair of texts, or several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from fewshot.corpora.types import SEPARATOR, Document, Pair
from fewshot.llm.forms.base import Form, known_label, one_of, record

E = TypeVar("E", Pair, Document)


class ChoiceForm(Form[E]):
    """``{"label": "entailment"}``; of several labels ``{"label": ["sports", "health"]}``."""

    def instructions(self) -> str:
        """Return the labels and the form."""
        number, form = ("all that fit", "[...]") if self.task.several else ("one label", "...")
        return (
            f"Give each {' and '.join(self.task.reads)} {number} of {', '.join(self.task.choices)}.\n"
            f'Answer as in {{"label": {form}}}'
        )

    def schema(self, example: E) -> dict[str, Any]:
        """Return the schema of one label, or of a list."""
        label, most = one_of(self.task.choices), len(self.task.choices)
        labels = {"type": "array", "items": label, "minItems": 1, "maxItems": most}
        return record(label=labels if self.task.several else label)

    def question(self, example: E) -> str:
        """Return the texts with their names."""
        return "\n".join(f"{name}: {text}" for name, text in zip(self.task.reads, example.content[:-1], strict=True))

    def answer(self, example: E) -> dict[str, Any]:
        """Return the label, or the list of several."""
        return {"label": example.label.split(SEPARATOR) if self.task.several else example.label}

    def read(self, example: E, answer: Mapping[str, Any]) -> E:
        """Return the example with the label, or with several."""
        given = answer["label"] if self.task.several else [answer["label"]]
        known = dict.fromkeys(known_label(name.strip(), self.task.choices) for name in given)
        return replace(example, label=SEPARATOR.join(known))
