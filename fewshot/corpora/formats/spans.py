"""Write sentences as JSON Lines with entities as character spans, for tools without words."""

from __future__ import annotations

from fewshot.corpora.formats import jsonl
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import Sentence

FORMAT = Format(
    name="spans",
    title="JSON Lines with character offsets",
    rank=7,
    suffixes=jsonl.FORMAT.suffixes,
    holds={Sentence.kind: ("entities",)},
    read=jsonl.FORMAT.read,
    write=lambda sentences, path, columns: jsonl.write(sentences, path, columns, stretches=True),
    nested=True,
)
