"""Validation of the messages that editors send: a browser can be made to send anything."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
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
"""Characters that a word or label cannot contain either."""

WITH_BREAKS = ("answers", "nodes")
"""Keys of an annotation whose values can contain `BREAKS`: passages of the text, and lines of CoNLL-U."""

INTEGER_FIELDS = ("item", "seq", "seen", "edits", "suggestion", "second")
"""Integer fields of a message."""

INVALID_MESSAGE = "the editor sent what it never sends ({}); reload the page"

DIRECTIONS = (None, "next", "back", "skip", "task before", "task after")
"""Values of ``go``, beside the id of an item."""


class Move(TypedDict):
    """A request to draw the page again, with the same item or another one.

    Args:
        turn: by which the editor recognizes the page's answer.
    """

    item: int
    turn: str
    go: NotRequired[str | int | None]


class Annotation(TypedDict, total=False):
    """Keys that an annotation of words may have besides the columns of its task."""

    words: list[str]
    ranges: list[list[int | str]]
    ends: list[int]
    joined: int
    misc: list[str | None]
    nodes: list[str | None]
    deps: list[str | None]
    upos: list[str | None]
    lemmas: list[str | None]
    xpos: list[str | None]
    feats: list[str | None]


class Save(TypedDict):
    """A complete annotation, see ``docs/developers/saving.md``.

    Args:
        changed: places of the words whose value of a column differs from what the window has loaded or saved; None for
            other words than these, and for examples without words.
        left: whether the window shows another item already.
    """

    item: int
    client: str
    seq: int
    scope: str
    seen: int
    annotation: Annotation
    done: bool
    edits: int
    seconds: float
    suggestion: NotRequired[int | None]
    second: NotRequired[int | None]
    changed: NotRequired[dict[str, list[int]] | None]
    left: NotRequired[bool]


def check_save(event: Any) -> Mapping[str, Any]:
    """Return an annotation that an editor sent, if the message is valid.

    Raises:
        FewshotError: when the message is not one that ``runtime.js`` sends; nothing of it must be stored.
    """
    return _checked(event, Save, _save_problem)


def check_move(event: Any) -> Mapping[str, Any]:
    """Return an editor's request to the page, see `Move`; raise as `check_save` does."""
    return _checked(event, Move, _move_problem)


def check_texts(annotation: Mapping[str, Any], example: Any) -> None:
    """Raise FewshotError if an annotation contains a control character that its example does not contain."""
    for name, value in annotation.items():
        text = "".join(_texts(value))
        odd = set(CONTROL_CHARACTERS.findall(text))
        is_broken = name not in WITH_BREAKS and BREAKS.search(text)
        if is_broken or (odd and odd - set("".join(_texts(content.to_json(example))))):
            raise FewshotError(INVALID_MESSAGE.format("'annotation' holds a control character"))


def _checked(event: Any, kind: Any, find_problem: Callable[[Mapping[str, Any]], str]) -> Mapping[str, Any]:
    if problem := records.find_mismatch(event, kind) or _range_problem(event) or find_problem(event):
        raise FewshotError(INVALID_MESSAGE.format(problem))
    return dict(event)


def _range_problem(event: Mapping[str, Any]) -> str:
    whole = {name: event[name] for name in INTEGER_FIELDS if event.get(name) is not None}
    whole |= {"go": event["go"]} if isinstance(event.get("go"), int) else {}
    if bad := [name for name, number in whole.items() if not (isinstance(number, int) and 0 <= number <= MAX_INTEGER)]:
        return f"{bad[0]!r} is out of range"
    return ""


def _move_problem(event: Mapping[str, Any]) -> str:
    return "" if isinstance(event.get("go"), int) or event.get("go") in DIRECTIONS else "'go' is unknown"


def _save_problem(event: Mapping[str, Any]) -> str:
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
