"""Comments of CoNLL-U sentences with a meaning for this project."""

from __future__ import annotations

import re
from collections.abc import Iterable

SAYS_FEATS, ANNOTATED = "# annotated = FEATS", re.compile(r"#\s*annotated\s*=\s*FEATS\s*$")
"""The comment that blank features mean none."""

SENT_ID = re.compile(r"^(\ufeff?#\s*sent_id\s*=\s*)([^\r\n]*)")
"""The comment with the id of a sentence."""

HELP = re.compile(r"(?:text|literal|note)_[\w-]+|translit|ref")
"""Keys of comments with translations and interlinear glosses."""


def comment(line: str) -> tuple[str, str]:
    """Return key and value of a comment; a comment without an equals sign is a key."""
    key, _, value = line.lstrip("\ufeff").removeprefix("#").partition("=")
    return key.strip(), value.strip()


def begins(lines: Iterable[str], unit: str) -> bool:
    """Return whether a comment marks the beginning of a ``newdoc`` or ``newpar``."""
    return any(comment(line)[0].partition(" ")[0] == unit for line in lines)
