"""From the text of an answer to its JSON, which models wrap into fences, prose and thoughts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fewshot import records
from fewshot.errors import FewshotError

THOUGHTS = re.compile(r"\A(?:(?!<think>).)*?</think>|<think>.*?</think>", re.DOTALL)
"""What open models write before they answer; some servers leave out the tag that opens it."""

TRAILING = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
"""A text in quotes, which stays, or a comma behind which nothing comes."""

KINDS = {"object": dict, "array": list, "string": str, "integer": int}
"""What the types of a JSON schema are here."""


class AnswerError(FewshotError):
    """What is wrong with an answer, in words that the model itself is told."""


def read(text: str, schema: Mapping[str, Any]) -> Any:
    """Return what an answer says.

    Args:
        text: with one object of JSON in it, from its first opening brace to its last closing one.
        schema: JSON schema of the object: types and properties are held to it, labels are the business of the task.

    Raises:
        AnswerError: when there is no such object.
    """
    text = THOUGHTS.sub("", text)
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0 or end <= start:
        raise AnswerError("there is no JSON object in it")
    try:
        value = json.loads(TRAILING.sub(lambda found: found[1] or "", text[start:end]))
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"it is not valid JSON ({' '.join(str(error).split())[:100]})") from None
    if wrong := _wrong(value, schema, ""):
        raise AnswerError(wrong)
    return value


def _wrong(value: Any, schema: Mapping[str, Any], name: str) -> str:
    """Return what is wrong with a value of JSON, empty where it is as a schema says."""
    kind = KINDS[schema["type"]]
    if found := records.find_mismatch(value, kind, name):
        return found
    if kind is list:
        items = ((f"{name}[{place}]", item, schema["items"]) for place, item in enumerate(value))
    elif kind is dict:
        missing = [key for key in schema["required"] if key not in value]
        if missing:
            return f"{f'{name}.{missing[0]}'.lstrip('.')!r} is missing"
        items = ((f"{name}.{key}".lstrip("."), value[key], of) for key, of in schema["properties"].items())
    else:
        return ""
    return next(filter(None, (_wrong(item, of, at) for at, item, of in items)), "")
