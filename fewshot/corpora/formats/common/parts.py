"""Records of sentences that are parts of one file, which a writer reassembles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from fewshot.corpora.types import Sentence, original_lines


def digest(data: bytes) -> str:
    """Return a hash of a file."""
    return blake2b(data, digest_size=12).hexdigest()


def write_part(file: str, number: int, of: int, **more: Any) -> str:
    """Return the first line of a record: digest of the file, number of the sentence from 1, their count."""
    return json.dumps({"file": file, "number": number, "of": of, **more}, ensure_ascii=False)


def read_part(sentence: Sentence, format: str) -> dict[str, Any]:
    """Return the data given to `write_part`; empty for a sentence from another format."""
    lines = original_lines(sentence, format)
    data: dict[str, Any] = json.loads(lines[0]) if lines else {}
    return data


def are_whole(parts: Sequence[dict[str, Any]]) -> bool:
    """Return whether the parts are all sentences of one file, in order."""
    first = parts[0] if parts else {}
    numbers = [(part.get("file"), part.get("number")) for part in parts]
    return bool(first) and numbers == [(first["file"], number) for number in range(1, first["of"] + 1)]
