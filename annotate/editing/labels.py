"""Labels of a project: those of its file and of its form, and those that are added later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotate.editing.guidelines import label_info
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.types import UNANNOTATED
from fewshot.errors import FewshotError

ANY = re.compile(UNANNOTATED), "is anything but _"
"""What is no label of any task, and what is one."""

RULES = {
    "spans": (re.compile(rf"(?s){UNANNOTATED}|O|.*[\s|].*"), "has no spaces and no |, and is neither O nor _"),
    "tree": (
        re.compile(rf"(?s){UNANNOTATED}|(root)?:.*|.*\s.*"),
        "has no spaces, is not _, and no subtype of the root",
    ),
}
"""The same by editor, where more is none."""


def check(task: str, names: Iterable[str]) -> None:
    """Refuse a label that somebody has typed and that files could not hold, or whose task has labels of its own alone.

    Raises:
        FewshotError: that names it.
    """
    kind = tasks.get(task)
    wrong, rule = RULES.get(kind.editor, ANY)
    for name in names:
        if not kind.open:
            raise FewshotError(f"{name!r} cannot be a label of {kind.title}, which takes no others than its own")
        if wrong.fullmatch(name):
            raise FewshotError(f"{name!r} cannot be a label of {kind.title}; a label {rule}")


def noted(found: Mapping[str, set[str]], examples: Iterable[Any]) -> Iterator[Any]:
    """Pass examples on, and collect the labels that they came with, by task."""
    kinds = [kind for kind in map(tasks.get, found) if kind.open]
    for example in examples:
        for kind in kinds:
            found[kind.name] |= kind.labels_of(example)
        yield example


def usual(task: str) -> list[str]:
    """Return the labels that a project has unless it is told others."""
    kind = tasks.get(task)
    return list(kind.choices) or [one.name for one in label_info(kind)]


def first(task: str, chosen: Sequence[str], found: Iterable[str]) -> list[str]:
    """Return the labels of a new project: those chosen and those of its data; without either the usual ones.

    Raises:
        FewshotError: for a task that has none of its own, where there are not two.
    """
    kind = tasks.get(task)
    if not kind.open:
        return list(kind.choices)
    if not chosen and not found:
        chosen = usual(task)
    names = list(tasks.get(task, chosen).with_labels(found).choices)
    require(task, names)
    return names


def require(task: str, names: Sequence[str]) -> None:
    """Raise unless a project can be annotated with some labels."""
    kind = tasks.get(task)
    if len(names) < 2 and not kind.choices:
        raise FewshotError(f"{kind.title} has no labels yet; type at least two")


def add(store: Store, project: Project, task: str, names: Iterable[str]) -> list[str]:
    """Add labels to those of a project; what it has stays, with its keys.

    Returns:
        Those that are new; none for a task whose labels are not the user's business.
    """
    now = store.project(project.id)  # somebody else may have added some
    kind = tasks.get(task, now.labels.get(task))
    more = kind.with_labels(names).choices
    new = [label for label in more if label not in kind.choices]
    if new:
        store.update_project(project.id, labels=now.labels | {task: [*kind.choices, *new]})
    return new
