"""Detect and reproduce the layout of a JSON file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

PROBE_CHARACTERS = 5_000
"""Characters at the beginning of a file from which the layout is detected."""

AROUND = "\ufeff \t\r\n"
"""Characters that may surround the value of a file."""

INDENTS: tuple[tuple[int | str | None, tuple[str, str] | None], ...] = (
    (1, None), (2, None), (3, None), (4, None), ("\t", None), (None, None), (None, (",", ":")),
)  # fmt: skip

STYLES: list[dict[str, Any]] = [
    {"ensure_ascii": is_ascii, "indent": indent, "separators": separators}
    for is_ascii in (False, True)
    for indent, separators in INDENTS
]
"""Arguments of ``json.dumps`` that tools use; the first is for new files."""

ESCAPE = re.compile(r"\\.")
"""An escaped character of JSON; PHP, pandas and ujson escape slashes."""

Layout = dict[str, Any]
"""``style``: arguments of ``json.dumps``; ``slash``: how a slash is written, if it is escaped; ``end``: line end;
``before``, ``behind``: surrounding text."""

NEW_LAYOUT: Layout = {"style": STYLES[0], "end": "\n", "before": "", "behind": "\n"}
"""The layout of a new file."""


def layout_of(text: str, value: Any, styles: Sequence[dict[str, Any]] = STYLES) -> Layout:
    """Return the layout of a JSON text, given its value; the first of the styles, if none fits."""
    body = text.strip(AROUND)
    before = text[: len(text) - len(text.lstrip(AROUND))]
    end = "\r\n" if "\r\n" in body else "\n"
    start = body[: 2 * PROBE_CHARACTERS].replace(end, "\n")
    has_escaped = any(match[0] == r"\/" for match in ESCAPE.finditer(body))
    if has_escaped:
        start = ESCAPE.sub(lambda match: "/" if match[0] == r"\/" else match[0], start)
    style = next((style for style in styles if start.startswith(_beginning(value, style))), styles[0])
    slash = {"slash": r"\/"} if has_escaped else {}
    return {"style": style, **slash, "end": end, "before": before, "behind": text[len(before) + len(body) :]}


def dump(value: Any, layout: Layout) -> str:
    """Return a value as JSON in a layout."""
    body = json.dumps(value, **layout["style"]).replace("\n", layout["end"])  # inside strings it is escaped
    body = body.replace("/", layout.get("slash", "/"))  # only strings have slashes
    return f"{layout['before']}{body}{layout['behind']}"


def _beginning(value: Any, style: dict[str, Any]) -> str:
    text = ""
    for piece in json.JSONEncoder(**style).iterencode(value):
        text += piece
        if len(text) > PROBE_CHARACTERS:
            break
    return text[:PROBE_CHARACTERS]
