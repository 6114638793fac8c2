"""What a language model is told: the task, its labels, guidelines, confirmed examples, and the one in question."""

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
    """All that a language model is told beside the example in question.

    The confirmed examples come first, as turns that went well, and always in the same order: servers keep what they
    have read of a prompt, so that all but the last turn is read once.

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
        """How the task is asked for."""
        return form_of(self.task)

    @cached_property
    def system(self) -> str:
        """What comes before all examples."""
        parts = [
            f"You are a linguist who annotates texts in {self.language}. Task: {self.task.title}.",
            self.form.told(self.task),
            f"Guidelines of this project:\n{self.guidelines.strip()}" if self.guidelines.strip() else "",
            "Answer with the JSON object alone: no explanation, no code fence.",
        ]
        return "\n\n".join(filter(None, parts))

    @cached_property
    def before(self) -> list[dict[str, str]]:
        """The turns before the question."""
        turns = [{"role": "system", "content": self.system}]
        for shot in self.shots:
            answer = json.dumps(self.form.answer(self.task, shot), ensure_ascii=False)
            turns += [
                {"role": "user", "content": self.form.question(self.task, shot)},
                {"role": "assistant", "content": answer},
            ]
        return turns

    def messages(self, example: Example) -> Messages:
        """Return the turns that end with the question about an example."""
        return [*self.before, {"role": "user", "content": self.form.question(self.task, example)}]

    @property
    def fingerprint(self) -> str:
        """Hash of what is told beside the examples."""
        return hashlib.sha256(self.system.encode()).hexdigest()[:16]
