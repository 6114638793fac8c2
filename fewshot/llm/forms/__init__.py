"""The JSON forms of annotations in questions and answers: one file for each editor of the app."""

from typing import Any

from fewshot.errors import FewshotError
from fewshot.llm.forms.answers import AnswersForm
from fewshot.llm.forms.base import Form
from fewshot.llm.forms.choice import ChoiceForm
from fewshot.llm.forms.spans import SpansForm
from fewshot.llm.forms.tags import TagsForm
from fewshot.llm.forms.tree import TreeForm
from fewshot.tasks import Task

FORMS: dict[str, type[Form[Any]]] = {
    "tags": TagsForm, "tree": TreeForm, "spans": SpansForm, "choice": ChoiceForm, "answers": AnswersForm,
}  # fmt: skip
"""By the editor of a task, see `Task.editor`."""


def form_of(task: Task[Any]) -> Form[Any]:
    """Return the form of a task; `FewshotError` for a task with an editor of its own."""
    if task.editor not in FORMS:
        raise FewshotError(f"language models cannot annotate {task.name}; leave --llm out")
    return FORMS[task.editor](task)


__all__ = ["FORMS", "Form", "form_of"]
