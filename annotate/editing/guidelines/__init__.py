"""Definition, example and key of labels; ``pos.toml`` has those of POS.

A task without a file has that of the task it derives from, if any. In an example the word that has the label stands in
``*stars*``; in those of relations its head stands in ``[brackets]``. Languages differ: a project's own guidelines come
before these lines. A task whose labels name no keys is answered with the keys 1 to 9, in the order of its labels.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import chain, repeat
from typing import Any

from fewshot.tasks import Task
from fewshot.tasks.dep import ROOT

KEYS = "123456789"
"""Keys of labels that have none of their own, by position."""


FREE_KEYS = "hgfryjkuinvbx"
"""Keys that a frequent label may take, besides letters of its name: no editor has them for something else."""

MAX_FREQUENT = 10
"""Number of a project's most frequent relations that have keys."""


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


def label_info(task: Task[Any], labels: Sequence[str] = (), frequent: Sequence[str] = ()) -> list[LabelInfo]:
    """Return what annotators are told of each label, in the order given.

    Args:
        labels: a label space, for entities their types; empty for the labels that the guidelines name.
        frequent: labels of a project, the most frequent first, of which the first ones get keys if they have none.
    """
    known = next(filter(None, map(_texts, task.lineage)), {})
    keys = chain("" if any("key" in texts for texts in known.values()) else KEYS, repeat(""))
    infos = [LabelInfo(name, **{"key": next(keys), **known.get(name, {})}) for name in labels or known]
    more = _more_keys({info.name: info.key for info in infos}, frequent[:MAX_FREQUENT])
    return [replace(info, key=more.get(info.name, info.key)) for info in infos]


def _more_keys(keys: Mapping[str, str], frequent: Sequence[str]) -> dict[str, str]:
    """Return changed keys: a frequent label gets a free one, or that of a label that is not frequent.

    Args:
        keys: of all labels, empty for labels without one.
    """
    more: dict[str, str] = {}
    for name in frequent:
        if name not in keys or keys[name] or name == ROOT:
            continue
        taken = {key for label, key in {**keys, **more}.items() if label in frequent or label in more}
        letters = [letter for letter in (*name, *FREE_KEYS) if letter in FREE_KEYS and letter not in taken]
        if letters:
            free = next((letter for letter in letters if letter not in keys.values()), letters[0])
            more |= {label: "" for label, key in keys.items() if key == free} | {name: free}
    return more


@cache
def _texts(task: str) -> Mapping[str, Mapping[str, str]]:
    """Return key, definition and example of a task's labels by label; nothing where it has no file."""
    file = resources.files(__name__).joinpath(f"{task}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
