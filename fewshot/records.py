"""JSON and TOML files whose contents are validated against a ``TypedDict`` or a dataclass.

Unknown keys are ignored, as later versions may write them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from fewshot.errors import FewshotError

TYPE_NAMES = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number", float: "a number",
    NoneType: "null",
}  # fmt: skip
"""Names of the JSON types for users; further types of TOML are dates and times."""


def load(path: Path, kind: Any, remedy: str, toml: bool = False) -> Any:
    """Return the contents of a JSON file, or None if the file is missing.

    Args:
        kind: expected type, see `find_mismatch`.
        remedy: advice for invalid contents.

    Raises:
        FewshotError: when the file cannot be read or has other contents.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors of Windows write a byte order mark
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FewshotError(f"{path}: cannot be read: {error.strerror}; correct the permissions") from None
    except UnicodeDecodeError as error:
        raise FewshotError(f"{path}: not valid {'TOML' if toml else 'JSON'}: {error}; {remedy}") from None
    return parse(text, kind, str(path), remedy, toml)


def parse(text: str | bytes, kind: Any, where: str, remedy: str, toml: bool = False) -> Any:
    """Return the value of a JSON text.

    Args:
        kind: expected type, see `find_mismatch`.
        where: file or line, for the message.
        remedy: advice for an invalid text.

    Raises:
        FewshotError: when the text is invalid or of another type.
    """
    try:
        value = tomllib.loads(str(text)) if toml else json.loads(text)
        problem = find_mismatch(value, kind)
    except (ValueError, RecursionError) as error:
        problem = f"not valid {'TOML' if toml else 'JSON'}: {error}"
    if problem:
        raise FewshotError(f"{where}: {problem}; {remedy}")
    return value


def find_mismatch(value: Any, kind: Any, name: str = "") -> str:
    """Return why a value is not of a type; empty if it is.

    Args:
        kind: ``Any``, ``str``, ``bool``, ``int``, ``float`` (also a whole number), lists, tuples and mappings of these,
            a ``TypedDict``, a dataclass, or a union of these.
        name: path of the value within its record.
    """
    if kind is Any:
        return ""
    if is_typeddict(kind) or is_dataclass(kind):
        return _wrong_record(value, kind, name)
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        mismatches = [find_mismatch(value, option, name) for option in inner]
        return "" if "" in mismatches else mismatches[0]
    if origin in (list, tuple):
        if not isinstance(value, list):
            return _mismatch(value, list, name)
        items = ((f"{name}[{index}]", item) for index, item in enumerate(value)) if inner else ()
        return next(filter(None, (find_mismatch(item, inner[0], path) for path, item in items)), "")
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            return _mismatch(value, dict, name)
        entries = ((f"{name}.{key}".lstrip("."), item) for key, item in value.items()) if inner else ()
        return next(filter(None, (find_mismatch(item, inner[1], path) for path, item in entries)), "")
    if isinstance(value, float) and not isfinite(value):
        return f"{repr(name) if name else 'this'} is not a finite number"
    fits = isinstance(value, (int, float) if origin is float else origin)
    return "" if fits and (origin is bool or not isinstance(value, bool)) else _mismatch(value, origin, name)


def _wrong_record(value: Any, kind: Any, name: str) -> str:
    if not isinstance(value, dict):
        return _mismatch(value, dict, name)
    kinds, needed = _kinds(kind)
    missing = [key for key in kinds if key in needed and key not in value]
    if missing:
        return f"{f'{name}.{missing[0]}'.lstrip('.')!r} is missing"
    present = ((key, own) for key, own in kinds.items() if key in value)
    return next(filter(None, (find_mismatch(value[key], own, f"{name}.{key}".lstrip(".")) for key, own in present)), "")


@cache
def _kinds(kind: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return the types of a record's keys, and the required keys."""
    kinds = get_type_hints(kind)
    if is_typeddict(kind):
        marked = get_type_hints(kind, include_extras=True)  # __required_keys__ ignores annotations in string form
        optional = {name for name, hint in marked.items() if get_origin(hint) is NotRequired}
        return kinds, frozenset(set(kinds) - optional if kind.__total__ else ())
    own = {field.name: field for field in fields(kind)}
    needed = (name for name, field in own.items() if field.default is MISSING and field.default_factory is MISSING)
    return {name: kinds[name] for name in own}, frozenset(needed)


def _mismatch(value: Any, kind: type, name: str) -> str:
    actual = TYPE_NAMES.get(type(value), "a date or time")
    return f"{repr(name) if name else 'this'} is {actual}, not {TYPE_NAMES[kind]}"
