"""JSON from anywhere: parsed, and its fields taken, with clear errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from sys import intern
from typing import Any

from fewshot.corpora.files import read_lines
from fewshot.corpora.types import UNANNOTATED
from fewshot.errors import CorpusError

LABELS = ("label", "gold_label", "labels")
"""Keys under which tools keep a label, with ``label`` first, the only one that is read."""

UNREAD = (*LABELS, "annotations", "annotation", "category", "categories", "class", "cats", "topic", "accept")
"""Keys under which other tools keep a label, where there is no ``label``."""

TEXTS = {
    "words": ("tokens", "token", "forms"),
    "text": ("data", "sentence", "content", "document"),
    "premise": ("sentence1",),
    "hypothesis": ("sentence2",),
}
"""Keys of other tools for what is read from another key."""

KINDS = {list: "a list", dict: "an object", str: "a text", int: "a number"}
"""What people call the types of JSON."""

EMPTY: tuple[Any, ...] = (None, "", [])
"""What stands where nothing is given."""

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: what is left where a tool that counts in UTF-16 has cut one."""


def load(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        CorpusError: with ``file:line``, where it is not JSON.
    """
    return parse("".join(read_lines(path)).removeprefix("\ufeff"), path)


def parse(text: str, path: Path, line: int | None = None) -> Any:
    """Return what a text in JSON says.

    Args:
        text: in JSON.
        path: of the file it is from.
        line: of the file, where the text is one line of it.

    Raises:
        CorpusError: with ``file:line``, where it is not JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise CorpusError(f"not valid JSON: {error.msg}", path, line or error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets a thousand deep
        raise CorpusError(f"not JSON of this kind: {error}", path, line) from None


def field(holder: Any, key: str, kind: type | tuple[type, ...], where: str, hint: str = "") -> Any:
    """Return a field of an object.

    Args:
        holder: what should be an object.
        key: of the field.
        kind: what it should hold: list, dict, str, int.
        hint: what the format looks like.

    Raises:
        CorpusError: when there is no such field, or it holds something else.
    """
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        name = " or ".join(KINDS[each] for each in (kind if isinstance(kind, tuple) else (kind,)))
        message = f"{name} {key!r} is missing" if value is None else f"{key!r} is {str(value)[:40]!r}, not {name}"
        raise CorpusError(message + (f"; {hint}" if hint else ""), where)
    return value


def text(holder: Any, key: str, where: str, hint: str = "") -> str:
    """Return a field that holds a text.

    Raises:
        CorpusError: when there is no such text, or it is empty or holds half a character.
    """
    value = str(field(holder, key, str, where, hint or renames(holder, key)))
    if not value.strip():
        raise CorpusError(f"empty {key}; give it a text, or remove what has none", where)
    if SURROGATE.search(value):
        raise CorpusError(f"{key} holds half a character (a lone surrogate); write it whole", where)
    return value


def check_characters(written: str, where: str) -> None:
    """Refuse JSON with half a character in it, wherever that is: no file can hold it.

    Args:
        written: the JSON, with all characters as they are.
        where: it stands, ``file:line`` or file and task.

    Raises:
        CorpusError: with the place, and what stands before the half character.
    """
    if half := SURROGATE.search(written):
        near = written[max(half.start() - 20, 0) : half.start()]
        raise CorpusError(f"half a character (a lone surrogate) after {near!r}; write it whole", where)


def renames(holder: Any, *keys: str) -> str:
    """Return which fields of an object to rename so that it has one of some keys; empty where it has no such field."""
    found = ((old, key) for key in keys for old in TEXTS.get(key, ()) if isinstance(holder, dict) and holder.get(old))
    return next((f"rename {old!r} to {key!r}" for old, key in found), "")


def words(holder: Any, key: str, where: str, gaps: bool = False) -> tuple[str, ...]:
    """Return a field that holds a list of words or labels, without spaces around them.

    Args:
        holder: of the field.
        key: its name.
        where: for messages.
        gaps: whether some of them may be empty.

    Raises:
        CorpusError: when there is no such list, or one of them is no text, empty, or cannot stand in a column.
    """
    values = field(holder, key, list, where)
    for number, value in enumerate(values, start=1):
        if not isinstance(value, str) or not (value.strip() or gaps) or any(char in value for char in "\t\r\n"):
            raise CorpusError(
                f"{key}: {value!r} (number {number}) is no word or label; tabs and line ends are none", where
            )
        if SURROGATE.search(value):
            raise CorpusError(
                f"{key}: number {number} holds half a character (a lone surrogate); write it whole", where
            )
    return tuple(intern(value.strip()) for value in values)


def name(holder: Any, key: str, default: str) -> str:
    """Return a field that names something: a text or number; ``default`` where there is none."""
    value = holder.get(key) if isinstance(holder, dict) else None
    usable = isinstance(value, (str, int)) and not isinstance(value, bool) and not SURROGATE.search(str(value))
    return str(value) if usable and str(value).strip() else default


def label(holder: dict[str, Any], where: str) -> str:
    """Return the label of an object: a text or a whole number; ``_`` where there is none, as -1 says in data sets.

    Raises:
        CorpusError: when the label has another shape, or stands under a key of another tool; nothing that looks like
            annotation is read as none.
    """
    value = holder.get("label")
    if value in EMPTY or (value == -1 and isinstance(value, int)):
        given = (key for key, value in holder.items() if value not in EMPTY and key != "label")
        names = LABELS if "label" in holder else UNREAD
        if other := next((key for key in given if key.strip().lower() in names), None):
            raise CorpusError(f"labels are read from 'label', not from {other!r}; rename the key", where)
        return UNANNOTATED
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise CorpusError(f"the label {str(value)[:40]} is no text; write one label in quotes", where)
    return one_line(name(holder, "label", UNANNOTATED), where)


def one_line(label: str, where: str) -> str:
    """Return a label without spaces around it.

    Raises:
        CorpusError: when it holds a tab or line end.
    """
    if any(char in label.strip() for char in "\t\r\n"):
        raise CorpusError(f"the label {label.strip()[:40]!r} holds a tab or line end; write it in one line", where)
    return label.strip()


def rename(holder: dict[str, Any], key: str, names: Mapping[str, str]) -> None:
    """Give a field that names something its new name, if there is one."""
    old = holder.get(key)
    if isinstance(old, (str, int)) and (new := names.get(str(old), str(old))) != str(old):
        holder[key] = new
