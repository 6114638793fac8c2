"""What an editor sends, checked before anything of it is believed: a window can be made to send whatever one likes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from annotate.editing import content
from annotate.store.changes import CHANGE, UNDONE
from fewshot import records
from fewshot.errors import FewshotError

LONGEST = 1_000_000
"""Most characters of an annotation in JSON."""

CLIENT = 64
"""Most characters of a page's name for itself."""

LARGEST = 2**31 - 1
"""Largest number that each database keeps in a column of whole numbers."""

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""What texts hardly hold: control characters, and half a character where a tool has cut one."""

MOST_JOINED = 20
"""Most sentences that are joined to one."""

BREAK = re.compile("[\t\r\n]")
"""What a word or label cannot hold beside these; an answer can."""

NUMBERS = ("item", "seq", "seen", "edits", "suggestion", "second")
"""What an event has of whole numbers."""

NEVER_SENT = "the editor sent what it never sends ({}); reload the page"

WAYS = (None, "next", "back", "skip")
"""Where an editor may ask to go."""


class Look(TypedDict):
    """A look at the newest version, or a wish for another item."""

    item: int
    seq: int
    go: NotRequired[str | None]
    left: NotRequired[bool]


class Annotation(TypedDict, total=False):
    """What all tasks' annotations may hold; `annotate.editing.content` knows the columns."""

    words: list[str]
    ranges: list[list[int | str]]
    ends: list[int]
    joined: int
    misc: list[str | None]
    deps: list[str | None]


class Save(Look):
    """A whole annotation, see ``runtime.js``."""

    client: str
    seen: int
    annotation: Annotation
    done: bool
    edits: int
    seconds: float
    suggestion: NotRequired[int | None]
    second: NotRequired[int | None]


def check(event: Any) -> Mapping[str, Any]:
    """Return what an editor sent if it is what ``runtime.js`` sends.

    Raises:
        FewshotError: when it is not; nothing of it is to be stored then.
    """
    found = records.wrong(event, Look)
    if not found and event["seq"]:
        found = records.wrong(event, Save)
    if found := found or _wrong(event):
        raise FewshotError(NEVER_SENT.format(found))
    return dict(event)


def check_texts(annotation: Mapping[str, Any], example: Any) -> None:
    """Raise where an annotation holds a control character that its example does not hold."""
    for name, value in annotation.items():
        text = "".join(_texts(value))
        odd = set(CONTROL.findall(text))
        is_broken = name != "answers" and BREAK.search(text)
        if is_broken or (odd and odd - set("".join(_texts(content.to_json(example))))):
            raise FewshotError(NEVER_SENT.format("'annotation' holds a control character"))


def _wrong(event: Mapping[str, Any]) -> str:
    whole = {name: event[name] for name in NUMBERS if event.get(name) is not None}
    if bad := [name for name, number in whole.items() if not (isinstance(number, int) and 0 <= number <= LARGEST)]:
        return f"{bad[0]!r} is no number of ours"
    if event.get("go") not in WAYS:
        return "'go' is no way"
    if not event["seq"]:
        return ""
    if not 0 <= event["seconds"] <= LARGEST:
        return "'seconds' is no time"
    client = event["client"]
    if not 0 < len(client) <= CLIENT or CONTROL.search(client) or client.startswith((CHANGE, UNDONE)):
        return "'client' is no name"
    if not 0 <= event["annotation"].get("joined", 0) <= MOST_JOINED:
        return f"'joined' is more than {MOST_JOINED} sentences"
    try:
        size = len(json.dumps(event["annotation"]))
    except RecursionError:
        return "'annotation' is too deep"
    if size > LONGEST:
        return f"'annotation' has {size:,} characters, {LONGEST:,} are the most"
    return ""


def _texts(value: Any) -> list[str]:
    found, rest = [], [value]
    while rest:
        each = rest.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            rest += [*each, *each.values()]
        elif isinstance(each, list):
            rest += each
    return found
