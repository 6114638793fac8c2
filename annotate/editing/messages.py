"""Validation of the messages that editors send: a browser can be made to send anything."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from annotate.editing import content
from annotate.store.changes import CHANGE, UNDONE
from fewshot import records
from fewshot.errors import FewshotError

MAX_ANNOTATION_CHARACTERS = 1_000_000
"""Maximum characters of an annotation in JSON."""

MAX_CLIENT_CHARACTERS = 64
"""Maximum characters of the id by which a page names itself."""

MAX_INTEGER = 2**31 - 1
"""Largest value of an integer column in every database."""

CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters and halves of characters that some tool has cut."""

MAX_JOINED = 20
"""Maximum number of sentences that can be joined to a sentence."""

BREAKS = re.compile("[\t\r\n]")
"""Characters that a word or label cannot contain either; an answer can."""

INTEGER_FIELDS = ("item", "seq", "seen", "edits", "suggestion", "second")
"""Integer fields of a message."""

INVALID_MESSAGE = "the editor sent what it never sends ({}); reload the page"

DIRECTIONS = (None, "next", "back", "skip")
"""Values of ``go``, beside the id of an item."""


class Look(TypedDict):
    """A request for the newest version of an item, or for another item."""

    item: int
    seq: int
    go: NotRequired[str | int | None]
    left: NotRequired[bool]


class Annotation(TypedDict, total=False):
    """Keys that annotations of all tasks may have, beside the columns of the task."""

    words: list[str]
    ranges: list[list[int | str]]
    ends: list[int]
    joined: int
    misc: list[str | None]
    deps: list[str | None]


class Save(Look):
    """A complete annotation, see ``runtime.js``."""

    client: str
    seen: int
    annotation: Annotation
    done: bool
    edits: int
    seconds: float
    suggestion: NotRequired[int | None]
    second: NotRequired[int | None]


def check(event: Any) -> Mapping[str, Any]:
    """Return the message of an editor if it is valid.

    Raises:
        FewshotError: when the message is not one that ``runtime.js`` sends; nothing of it must be stored.
    """
    problem = records.find_mismatch(event, Look)
    if not problem and event["seq"]:
        problem = records.find_mismatch(event, Save)
    if problem := problem or _value_problem(event):
        raise FewshotError(INVALID_MESSAGE.format(problem))
    return dict(event)


def check_texts(annotation: Mapping[str, Any], example: Any) -> None:
    """Raise FewshotError if an annotation contains a control character that its example does not contain."""
    for name, value in annotation.items():
        text = "".join(_texts(value))
        odd = set(CONTROL_CHARACTERS.findall(text))
        is_broken = name != "answers" and BREAKS.search(text)
        if is_broken or (odd and odd - set("".join(_texts(content.to_json(example))))):
            raise FewshotError(INVALID_MESSAGE.format("'annotation' holds a control character"))


def _value_problem(event: Mapping[str, Any]) -> str:
    whole = {name: event[name] for name in INTEGER_FIELDS if event.get(name) is not None}
    whole |= {"go": event["go"]} if type(event.get("go")) is int else {}
    if bad := [name for name, number in whole.items() if not (isinstance(number, int) and 0 <= number <= MAX_INTEGER)]:
        return f"{bad[0]!r} is out of range"
    if "go" not in whole and event.get("go") not in DIRECTIONS:
        return "'go' is unknown"
    if not event["seq"]:
        return ""
    if not 0 <= event["seconds"] <= MAX_INTEGER:
        return "'seconds' is out of range"
    client = event["client"]
    if (
        not 0 < len(client) <= MAX_CLIENT_CHARACTERS
        or CONTROL_CHARACTERS.search(client)
        or client.startswith((CHANGE, UNDONE))
    ):
        return "'client' is invalid"
    if not 0 <= event["annotation"].get("joined", 0) <= MAX_JOINED:
        return f"'joined' is more than {MAX_JOINED} sentences"
    try:
        size = len(json.dumps(event["annotation"]))
    except RecursionError:
        return "'annotation' is nested too deeply"
    if size > MAX_ANNOTATION_CHARACTERS:
        return f"'annotation' has {size:,} characters; the maximum is {MAX_ANNOTATION_CHARACTERS:,}"
    return ""


def _texts(value: Any) -> list[str]:
    """Return all strings in a JSON value, without recursion, since the value may be nested deeply."""
    texts, rest = [], [value]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            rest += [*part, *part.values()]
        elif isinstance(part, list):
            rest += part
    return texts
