"""Labels of a project: from its files, from its form, and added later."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotate.editing.guidelines import label_info
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.types import SEPARATOR, UNANNOTATED
from fewshot.errors import FewshotError

ANY = re.compile(UNANNOTATED), "is anything but _"
"""Pattern of invalid labels, and the rule that a message states."""

RULES = {
    "spans": (re.compile(rf"(?s){UNANNOTATED}|O|.*[\s|].*"), "has no spaces and no |, and is neither O nor _"),
    "tree": (
        re.compile(rf"(?s){UNANNOTATED}|(root)?:.*|.*\s.*"),
        "has no spaces, is not _, and no subtype of the root",
    ),
}
"""The same for editors with stricter rules."""


def check(task: str, names: Iterable[str]) -> None:
    """Check labels that somebody has typed.

    Raises:
        FewshotError: for a label that files cannot hold, and for any label of a task with fixed labels.
    """
    kind = tasks.get(task)
    wrong, rule = RULES.get(kind.editor, ANY)
    for name in names:
        if not kind.open:
            raise FewshotError(f"{name!r} cannot be a label of {kind.title}, which has fixed labels")
        if kind.several and SEPARATOR in name:
            raise FewshotError(f"{name!r} cannot be a label of {kind.title}; a bar stands between two labels")
        if wrong.fullmatch(name):
            raise FewshotError(f"{name!r} cannot be a label of {kind.title}; a label {rule}")


def collected(labels: Mapping[str, set[str]], examples: Iterable[Any]) -> Iterator[Any]:
    """Yield examples, and add their labels to ``labels`` by task."""
    kinds = [kind for kind in map(tasks.get, labels) if kind.open]
    for example in examples:
        for kind in kinds:
            labels[kind.name] |= kind.labels_of(example)
        yield example


def usual(task: str) -> list[str]:
    """Return the default labels of a task."""
    kind = tasks.get(task)
    return list(kind.choices) or [label.name for label in label_info(kind)]


def of_data(task: str, in_data: Sequence[str], is_gold: bool) -> list[str]:
    """Return the labels of data, or the default ones.

    Data that are annotated in part, with some of the default labels alone, may need the others later.
    """
    return usual(task) if needs_default(task, in_data, is_gold) else list(in_data)


def needs_default(task: str, in_data: Collection[str], is_gold: bool) -> bool:
    """Return whether a project needs the default labels, beside those of its data; see `of_data`."""
    return not in_data or (set(in_data) < set(usual(task)) and not is_gold)


def initial(task: str, chosen: Sequence[str], in_data: Collection[str], is_gold: bool) -> list[str]:
    """Return the labels of a new project: the chosen ones, and those in its data, see `of_data`.

    Args:
        is_gold: whether all examples of the data are annotated.

    Raises:
        FewshotError: when a task without fixed labels would have fewer than two.
    """
    kind = tasks.get(task)
    if not kind.open:
        return list(kind.choices)
    if not chosen and needs_default(task, in_data, is_gold):
        chosen = usual(task)
    names = list(tasks.get(task, chosen).with_labels(in_data).choices)
    require(task, names)
    return names


def require(task: str, names: Sequence[str]) -> None:
    """Raise FewshotError if a project cannot be annotated with these labels."""
    kind = tasks.get(task)
    if len(names) < 2 and not kind.choices:
        raise FewshotError(f"{kind.title} needs at least two labels, and has {len(names)}; type more")


def add(store: Store, project: Project, task: str, names: Iterable[str]) -> list[str]:
    """Add labels to a project; the present ones stay, with their keys.

    Returns:
        The new labels; empty for a task with fixed labels.
    """
    new: list[str] = []

    def extended(now: Sequence[str] | None) -> list[str] | None:
        kind = tasks.get(task, now)
        new.extend(label for label in kind.with_labels(names).choices if label not in kind.choices)
        return [*kind.choices, *new] if new else None

    store.change_labels(project.id, task, extended)
    return new
