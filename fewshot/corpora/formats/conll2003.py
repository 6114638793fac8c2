"""Write named entities as CoNLL-2003, which INCEpTION reads; `bio.read` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fewshot.corpora.files import write_text
from fewshot.corpora.formats import bio
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write ``word UPOS O tag`` lines, separated by spaces, with a blank line after each sentence, atomically.

    Words that nobody has annotated are outside any entity: the format knows no others.

    Raises:
        CorpusError: when a word holds a space, or the file cannot be written.
    """
    blocks = []
    for sentence in sentences:
        rows = zip(sentence.words, sentence.upos, to_iob2(sentence.entities), strict=True)
        lines = [f"{word} {upos} O {'O' if tag == UNANNOTATED else tag}\n" for word, upos, tag in rows]
        if any(len(line.split()) != 4 for line in lines):
            raise CorpusError(f"{sentence.id}: a word with a space cannot be written as CoNLL-2003; use WebAnno", path)
        blocks.append("".join(lines) + "\n")
    write_text(path, "".join(blocks))


FORMAT = Format(
    name="conll2003",
    title="CoNLL-2003",
    rank=3,
    suffixes=(".conll",),
    holds={Sentence.kind: ("entities",)},
    read=lambda path, how: bio.read(path, how.report),
    write=lambda sentences, path, columns: write(sentences, path),
)
