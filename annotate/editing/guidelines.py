"""Definition, example and key of every label, from ``guidelines.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, repeat

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


def label_info(task: str, labels: Sequence[str] = ()) -> list[LabelInfo]:
    """Return what annotators are told of each label, in the order given.

    Args:
        task: its name, with or without options: ``dep``, ``ner+crf``.
        labels: a label space, for entities their types; empty for the labels that the guidelines name.
    """
    known = _guidelines().get(task.partition("+")[0], {})
    keys = chain("" if any("key" in texts for texts in known.values()) else KEYS, repeat(""))
    return [LabelInfo(name, **{"key": next(keys), **known.get(name, {})}) for name in labels or known]


@cache
def _guidelines() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return key, definition and example by task and label."""
    return tomllib.loads(resources.files("annotate.editing").joinpath("guidelines.toml").read_text(encoding="utf-8"))
