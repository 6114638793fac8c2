"""Recognize the kind of a typed query: a text, a regular expression, or a pattern."""

from __future__ import annotations

import re

from annotate.search.queries import EXPRESSION, PATTERN, TEXT
from annotate.store import Project
from fewshot.corpora.types import Sentence

QUOTED, SLASHED = re.compile(r'"(.+)"', re.DOTALL), re.compile("/(.+)/(i?)", re.DOTALL)
NODE = r"(?:[^\W\d][\w']*|\*)"
IS_PATTERN = re.compile(
    rf"\s*(?:(?:pattern|rule\s+\w+)\s*\{{|{NODE}\s*(?:\[|->|-\[|<|>|:\s*{NODE}\s*-[>\[]|\.\s*\w+\s*(?:=|<>)))"
)
"""The beginning of a pattern or a rule."""


def recognize(project: Project, typed: str) -> tuple[str, str]:
    """Return the kind of a query, and the query.

    ``"..."`` is a text, ``/.../`` an expression (``/.../i`` ignores case), what begins like a pattern is one, and
    everything else a text.
    """
    if text := QUOTED.fullmatch(typed):
        return TEXT, text[1]
    if expression := SLASHED.fullmatch(typed):
        return EXPRESSION, ("(?i)" if expression[2] else "") + expression[1]
    return PATTERN if project.kind == Sentence.kind and IS_PATTERN.match(typed) else TEXT, typed
