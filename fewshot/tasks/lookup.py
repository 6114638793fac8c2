"""Find tasks by name: every class of this folder that has a name of its own."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any

import fewshot.tasks
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.tasks.base import Task


@cache
def registry() -> dict[str, Task[Any]]:
    """Return every task of this folder, without options, by name, sorted."""
    names = [f"fewshot.tasks.{module.name}" for module in pkgutil.iter_modules(fewshot.tasks.__path__)]
    kinds = [kind for name in names for kind in vars(importlib.import_module(name)).values() if _is_task(kind, name)]
    return {kind.name: kind() for kind in sorted(kinds, key=lambda kind: kind.name)}


def annotatable() -> list[str]:
    """Return the names of all tasks for people, also with options that change what people annotate."""
    names = []
    for base, plain in registry().items():
        kinds = {option: get(f"{base}+{option}") for option in plain.options}
        extra = [name for name, kind in kinds.items() if (kind.columns, kind.several) != (plain.columns, plain.several)]
        sizes = range(len(extra) + 1)
        names += ["+".join([base, *chosen]) for size in sizes for chosen in combinations(extra, size)]
    return names


def _is_task(value: Any, module: str) -> bool:
    """Return whether a value is a task that the module defines."""
    return isinstance(value, type) and value.__module__ == module and issubclass(value, Task) and "name" in vars(value)


def base_name(name: str) -> str:
    """Return the name of a task without its options: ``dep`` of ``dep+upos``."""
    return name.partition("+")[0]


def get(name: str, labels: Sequence[str] | None = None) -> Task[Any]:
    """Return the task of a name.

    Args:
        name: with options, such as ``dep+upos``.
        labels: of an open task; None: the default ones.

    Raises:
        FewshotError: when there is no such task or option (with the nearest names), or an option is repeated.
    """
    base, *chosen = name.split("+")
    if base not in registry():
        raise UnknownNameError("task", base, registry())
    kind = type(registry()[base])
    for option in chosen:
        if option not in kind.options:
            raise UnknownNameError(f"option of task {base}", option, kind.options)
        if chosen.count(option) > 1:
            raise FewshotError(f"task {base} has the option {option} more than once; write it once")
    return kind(chosen, labels)
