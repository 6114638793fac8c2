"""The prompt of a language model: task, labels, guidelines, confirmed examples, and the question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fewshot.corpora.types import Example
from fewshot.llm.client import Messages
from fewshot.llm.forms import Form, form_of
from fewshot.tasks import Task


@dataclass(frozen=True)
class Prompt:
    """Everything in a prompt apart from the example in question.

    The confirmed examples come first as turns, always in the same order, so that servers can cache them.

    Args:
        task: with the labels to choose from.
        language: its name, such as Wolof.
        guidelines: of the project, as annotators read them; may be empty.
        shots: confirmed examples.
    """

    task: Task[Any]
    language: str
    guidelines: str = ""
    shots: Sequence[Example] = ()

    @cached_property
    def form(self) -> Form[Any]:
        """The form of the task's annotations."""
        return form_of(self.task)

    @cached_property
    def system(self) -> str:
        """The system prompt."""
        parts = [
            f"You are a linguist who annotates texts in {self.language}. Task: {self.task.title}.",
            self.form.instructions(),
            f"Guidelines of this project:\n{self.guidelines.strip()}" if self.guidelines.strip() else "",
            "Answer with the JSON object alone: no explanation, no code fence.",
        ]
        return "\n\n".join(filter(None, parts))

    @cached_property
    def before(self) -> list[dict[str, str]]:
        """The turns before the question."""
        turns = [{"role": "system", "content": self.system}]
        for shot in self.shots:
            answer = json.dumps(self.form.answer(shot), ensure_ascii=False)
            turns += [
                {"role": "user", "content": self.form.question(shot)},
                {"role": "assistant", "content": answer},
            ]
        return turns

    def messages(self, example: Example) -> Messages:
        """Return all turns, ending with the question about an example."""
        return [*self.before, {"role": "user", "content": self.form.question(example)}]

    @property
    def fingerprint(self) -> str:
        """Hash of the system prompt."""
        return hashlib.sha256(self.system.encode()).hexdigest()[:16]
