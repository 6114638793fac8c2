"""Parse JSON from any tool and check its fields, with clear errors."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from sys import intern
from typing import Any

from fewshot.corpora.files import read_lines
from fewshot.corpora.types import BEGUN, UNANNOTATED
from fewshot.errors import CorpusError

LABELS = ("label", "gold_label", "labels")
"""Keys under which tools store a label; only ``label`` is read."""

UNREAD = (*LABELS, "annotations", "annotation", "category", "categories", "class", "cats", "topic", "accept")
"""Keys that hold a label in other tools, checked when there is no ``label``."""

TEXTS = {
    "words": ("tokens", "token", "forms"),
    "text": ("data", "sentence", "content", "document"),
    "premise": ("sentence1",),
    "hypothesis": ("sentence2",),
}
"""Keys of other tools for each key that is read."""

KINDS = {list: "a list", dict: "an object", str: "a text", int: "a number"}
"""Names of JSON types in messages."""

EMPTY: tuple[Any, ...] = (None, "", [])
"""Values that count as missing."""

STATUS = "label_status"
"""Key of the mark of begun annotation."""

SURROGATE = re.compile("[\ud800-\udfff]")
"""A lone surrogate: half of a character, left by a tool that cut text between UTF-16 units."""


NULL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""U+0000 as JSON writes it."""


def load(path: Path) -> Any:
    """Return the content of a JSON file; raise `CorpusError` with ``file:line`` when it is invalid."""
    return parse("".join(read_lines(path)).removeprefix("\ufeff"), path)


def parse(text: str, path: Path, line: int | None = None) -> Any:
    """Parse a JSON text.

    Args:
        path: of the file, for messages.
        line: of the file, when the text is a single line of it.

    Raises:
        CorpusError: with ``file:line``, when the text is not JSON, or an object has a key twice.
    """
    try:
        return json.loads(text, object_pairs_hook=partial(_object, path, line))
    except json.JSONDecodeError as error:
        raise CorpusError(f"not valid JSON: {error.msg}", path, line or error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets a thousand deep
        raise CorpusError(f"not JSON of this kind: {error}", path, line) from None


def _object(path: Path, line: int | None, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a repeated key, of which only the last value would be read."""
    values = dict(pairs)
    if len(values) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise CorpusError(f"an object has the key {key!r} twice; keep one of them", path, line)
    return values


def field(holder: Any, key: str, kind: type | tuple[type, ...], where: str, hint: str = "") -> Any:
    """Return the value of a field.

    Args:
        holder: the value that should be an object.
        kind: accepted types: list, dict, str, int.
        hint: describes the expected format, for the message.

    Raises:
        CorpusError: when the field is missing or has another type.
    """
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        name = " or ".join(KINDS[type_] for type_ in (kind if isinstance(kind, tuple) else (kind,)))
        message = f"{name} {key!r} is missing" if value is None else f"{key!r} is {str(value)[:40]!r}, not {name}"
        raise CorpusError(message + (f"; {hint}" if hint else ""), where)
    return value


def text(holder: Any, key: str, where: str, hint: str = "") -> str:
    """Return the value of a text field.

    Raises:
        CorpusError: when the text is missing, empty or has a lone surrogate.
    """
    value = str(field(holder, key, str, where, hint or renames(holder, key)))
    if not value.strip():
        raise CorpusError(f"empty {key}; give it a text, or remove the entry", where)
    if SURROGATE.search(value):
        raise CorpusError(f"{key} holds half a character (a lone surrogate); write it whole", where)
    return value


def check_characters(written: str, where: str) -> None:
    """Refuse JSON with a lone surrogate, which no UTF-8 file can hold, or with U+0000, which no text has."""
    if NULL.search(written):
        raise CorpusError("control character U+0000; remove it", where)
    if half := SURROGATE.search(written):
        near = written[max(half.start() - 20, 0) : half.start()]
        raise CorpusError(f"half a character (a lone surrogate) after {near!r}; write it whole", where)


def renames(holder: Any, *keys: str) -> str:
    """Return advice on which field to rename to one of the keys; empty when no known alias is present."""
    if not isinstance(holder, dict):
        return ""
    aliases = ((old, key) for key in keys for old in TEXTS.get(key, ()) if holder.get(old))
    return next((f"rename {old!r} to {key!r}" for old, key in aliases), "")


def words(holder: Any, key: str, where: str, gaps: bool = False) -> tuple[str, ...]:
    """Return a field that holds a list of words or labels, without surrounding spaces.

    Args:
        gaps: whether entries may be empty.

    Raises:
        CorpusError: when the list is missing, or an entry is not a text, is empty, or holds a tab or line end.
    """
    values = field(holder, key, list, where)
    for number, value in enumerate(values, start=1):
        if not isinstance(value, str) or not (value.strip() or gaps) or any(char in value for char in "\t\r\n"):
            raise CorpusError(
                f"{key}: {value!r} (number {number}) is not a word or label without tabs and line ends", where
            )
        if SURROGATE.search(value):
            raise CorpusError(
                f"{key}: number {number} holds half a character (a lone surrogate); write it whole", where
            )
    return tuple(intern(value.strip()) for value in values)


def name(holder: Any, key: str, default: str) -> str:
    """Return a field that holds a name (text or number), or ``default``."""
    value = holder.get(key) if isinstance(holder, dict) else None
    usable = isinstance(value, (str, int)) and not isinstance(value, bool) and not SURROGATE.search(str(value))
    return str(value) if usable and str(value).strip() else default


def label(holder: dict[str, Any], where: str) -> str:
    """Return the label of an object, a text or whole number; ``_`` when missing or -1.

    Raises:
        CorpusError: when the label has another type, or is stored under a key of another tool: annotation is never
            skipped silently.
    """
    value = holder.get("label")
    if value in EMPTY or (value == -1 and isinstance(value, int)):
        given = (key for key, value in holder.items() if value not in EMPTY and key != "label")
        names = LABELS if "label" in holder else UNREAD
        if unread := next((key for key in given if key.strip().lower() in names), None):
            raise CorpusError(f"labels are read from 'label', not from {unread!r}; rename the key", where)
        return UNANNOTATED
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        hint = "write one label in quotes"
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            hint = f"write {'|'.join(value)[:40]!r}, and choose the task topic+several"
        raise CorpusError(f"the label {str(value)[:40]} is not a text; {hint}", where)
    return one_line(name(holder, "label", UNANNOTATED), where)


def one_line(label: str, where: str) -> str:
    """Return a label without surrounding spaces; refuse tabs and line ends."""
    if any(char in label.strip() for char in "\t\r\n"):
        raise CorpusError(f"the label {label.strip()[:40]!r} holds a tab or line end; write it in one line", where)
    return label.strip()


def is_begun(holder: Mapping[str, Any]) -> bool:
    """Return whether an object marks its annotation as begun."""
    return holder.get(STATUS) == BEGUN


def with_status(holder: Mapping[str, Any], begun: bool) -> dict[str, Any]:
    """Return an object with or without the mark of begun annotation."""
    kept = {key: value for key, value in holder.items() if key != STATUS or value != BEGUN}
    return kept | ({STATUS: BEGUN} if begun else {})


def rename(holder: dict[str, Any], key: str, names: Mapping[str, str]) -> None:
    """Replace the name in a field by its new name, if ``names`` has one."""
    old = holder.get(key)
    if isinstance(old, (str, int)) and (new := names.get(str(old), str(old))) != str(old):
        holder[key] = new
