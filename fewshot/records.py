"""Records on disk: JSON and TOML, whose types are checked before use.

What a record holds is said by a ``TypedDict`` or a dataclass; keys beyond it are passed over, as a later version may
write them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from fewshot.errors import FewshotError

NAMES = {
    dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number", float: "a number",
    NoneType: "null",
}  # fmt: skip
"""What people call the types of JSON; those of TOML beyond them are dates and times."""


def load(path: Path, kind: Any, remedy: str, toml: bool = False) -> Any:
    """Return what a file of JSON holds; None where there is no file.

    Args:
        kind: what it should hold, see `wrong`.
        remedy: what to do where it holds something else.
        toml: whether it is a file of TOML.

    Raises:
        FewshotError: when it cannot be read, or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FewshotError(f"{path}: cannot be read: {error.strerror}; mend the permissions") from None
    except UnicodeDecodeError as error:
        raise FewshotError(f"{path}: not valid {'TOML' if toml else 'JSON'}: {error}; {remedy}") from None
    return parse(text, kind, str(path), remedy, toml)


def parse(text: str | bytes, kind: Any, where: str, remedy: str, toml: bool = False) -> Any:
    """Return what a text in JSON says.

    Args:
        kind: what it should say, see `wrong`.
        where: the file, or its line, for the message.
        remedy: what to do where it says something else.
        toml: whether the text is in TOML.

    Raises:
        FewshotError: when it says something else.
    """
    try:
        value = tomllib.loads(str(text)) if toml else json.loads(text)
        problem = wrong(value, kind)
    except (ValueError, RecursionError) as error:
        problem = f"not valid {'TOML' if toml else 'JSON'}: {error}"
    if problem:
        raise FewshotError(f"{where}: {problem}; {remedy}")
    return value


def wrong(value: Any, kind: Any, name: str = "") -> str:
    """Return what is wrong with a value, empty where it is of a kind.

    Args:
        kind: ``Any``, ``str``, ``bool``, ``int``, ``float`` (also a whole number), lists, tuples and mappings
            of such, a ``TypedDict``, a dataclass, or several of these.
        name: of the value within its record.
    """
    if kind is Any:
        return ""
    if is_typeddict(kind) or is_dataclass(kind):
        return _wrong_record(value, kind, name)
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, UnionType):
        problem = [wrong(value, each, name) for each in inner]
        return "" if "" in problem else problem[0]
    if origin in (list, tuple):
        if not isinstance(value, list):
            return _other(value, list, name)
        items = ((f"{name}[{place}]", item, inner[0]) for place, item in enumerate(value)) if inner else ()
        return next(filter(None, (wrong(item, of, at) for at, item, of in items)), "")
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            return _other(value, dict, name)
        entries = ((f"{name}.{key}".lstrip("."), item, inner[1]) for key, item in value.items()) if inner else ()
        return next(filter(None, (wrong(item, of, at) for at, item, of in entries)), "")
    fits = isinstance(value, (int, float) if origin is float else origin)
    return "" if fits and (origin is bool or not isinstance(value, bool)) else _other(value, origin, name)


def _wrong_record(value: Any, kind: Any, name: str) -> str:
    if not isinstance(value, dict):
        return _other(value, dict, name)
    kinds, needed = _kinds(kind)
    missing = [key for key in kinds if key in needed and key not in value]
    if missing:
        return f"{f'{name}.{missing[0]}'.lstrip('.')!r} is missing"
    given = ((key, of) for key, of in kinds.items() if key in value)
    return next(filter(None, (wrong(value[key], of, f"{name}.{key}".lstrip(".")) for key, of in given)), "")


@cache
def _kinds(kind: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return the kinds of a record's keys, and which of them it cannot do without."""
    kinds = get_type_hints(kind)
    if is_typeddict(kind):
        marked = get_type_hints(kind, include_extras=True)  # __required_keys__ reads no annotations that are texts
        optional = {name for name, of in marked.items() if get_origin(of) is NotRequired}
        return kinds, frozenset(set(kinds) - optional if kind.__total__ else ())
    own = {field.name: field for field in fields(kind)}
    needed = (name for name, field in own.items() if field.default is MISSING and field.default_factory is MISSING)
    return {name: kinds[name] for name in own}, frozenset(needed)


def _other(value: Any, kind: type, name: str) -> str:
    problem = NAMES.get(type(value), "a date or time")
    return f"{repr(name) if name else 'this'} is {problem}, not {NAMES[kind]}"
