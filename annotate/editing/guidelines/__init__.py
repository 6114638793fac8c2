"""Definition, example and key of labels; ``pos.toml`` has those of POS.

A task without a file has that of the task it derives from, if any. In an example the word that has the label stands in
``*stars*``; in those of relations its head stands in ``[brackets]``. Languages differ: a project's own guidelines come
before these lines. A task whose labels name no keys is answered with the keys 1 to 9, in the order of its labels.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, repeat
from typing import Any

from fewshot.tasks import Task

KEYS = "123456789"
"""Keys of labels that have none of their own, by position."""


@dataclass(frozen=True, slots=True)
class LabelInfo:
    """What an annotator is told of a label.

    Args:
        name: the label.
        key: of the keyboard; empty where the label is typed.
        definition: one sentence; empty for a label of one's own.
        example: a few words, with ``*stars*`` around what has the label, and ``[brackets]`` around the head of a
            relation; empty for a label of one's own.
    """

    name: str
    key: str = ""
    definition: str = ""
    example: str = ""


def label_info(task: Task[Any], labels: Sequence[str] = ()) -> list[LabelInfo]:
    """Return what annotators are told of each label, in the order given.

    Args:
        labels: a label space, for entities their types; empty for the labels that the guidelines name.
    """
    known = next(filter(None, map(_texts, task.lineage)), {})
    keys = chain("" if any("key" in texts for texts in known.values()) else KEYS, repeat(""))
    return [LabelInfo(name, **{"key": next(keys), **known.get(name, {})}) for name in labels or known]


@cache
def _texts(task: str) -> Mapping[str, Mapping[str, str]]:
    """Return key, definition and example of a task's labels by label; nothing where it has no file."""
    file = resources.files(__name__).joinpath(f"{task}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
