"""Extract the JSON object from an answer, in which models add fences, prose and thoughts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fewshot import records
from fewshot.errors import FewshotError

THOUGHT, THOUGHT_END = "<think>", "</think>"
"""Tags around thoughts of open models before the answer; some servers drop the opening tag."""

TRAILING = re.compile(r'("(?:\\.|[^"\\])*+"?)|,(?=\s*[}\]])', re.DOTALL)
"""A quoted text, which stays even where its end is missing, or a trailing comma."""

PYTHON_TYPES = {"object": dict, "array": list, "string": str, "integer": int}
"""Python types by the types of a JSON schema."""


class AnswerError(FewshotError):
    """An invalid answer; the message is sent to the model."""


def read(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the JSON object of an answer.

    Args:
        text: has one object, from its first opening brace to its last closing brace.
        schema: JSON schema of the object; types and properties are checked, labels are not.

    Raises:
        AnswerError: when there is no such object.
    """
    text = _without_thoughts(text)
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0 or end <= start:
        raise AnswerError("there is no JSON object in it")
    try:
        plain = TRAILING.sub(lambda match: match[1] or "", text[start:end])
        value = json.loads(plain, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"it is not valid JSON ({' '.join(str(error).split())[:100]})") from None
    if wrong := _wrong(value, schema, ""):
        raise AnswerError(wrong)
    return value


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"the key {key[:50]!r} stands twice")
        values[key] = value
    return values


def _without_thoughts(text: str) -> str:
    first, *parts = text.split(THOUGHT_END)
    if not parts:
        return text
    *closed, last = [first if THOUGHT in first else THOUGHT, *parts]
    return "".join(part.partition(THOUGHT)[0] for part in closed) + last


def _wrong(value: Any, schema: Mapping[str, Any], name: str) -> str:
    """Return what is wrong with a JSON value by a schema, or an empty text."""
    kind = PYTHON_TYPES[schema["type"]]
    if wrong := records.find_mismatch(value, kind, name):
        return wrong
    if kind is list:
        items = ((f"{name}[{place}]", item, schema["items"]) for place, item in enumerate(value))
    elif kind is dict:
        if missing := [key for key in schema["required"] if key not in value]:
            return f"{f'{name}.{missing[0]}'.lstrip('.')!r} is missing"
        items = ((f"{name}.{key}".lstrip("."), value[key], inner) for key, inner in schema["properties"].items())
    else:
        return ""
    return next(filter(None, (_wrong(item, inner, path) for path, item, inner in items)), "")
