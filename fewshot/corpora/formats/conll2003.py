"""Write named entities as CoNLL-2003 for INCEpTION; `bio.read` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fewshot.corpora.files import write_text
from fewshot.corpora.formats import bio
from fewshot.corpora.formats.common.blocks import join_blocks
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write ``word UPOS O tag`` lines, separated by spaces, with a blank line after each sentence.

    Open words of other sources become ``O``: the format cannot express them.

    Raises:
        CorpusError: for a word or label with a space, or a word that a reader would take for a document or byte order
            mark.
    """
    texts = (bio.text(sentence, FORMAT.name) or _block(sentence, path) for sentence in sentences)
    write_text(path, join_blocks(texts, bio.is_row, bio.is_end))


def _block(sentence: Sentence, path: str | Path) -> str:
    bio.check_words(sentence, path)
    rows = zip(sentence.words, sentence.upos, to_iob2(sentence.entities), strict=True)
    lines = [f"{word} {upos} O {'O' if tag == UNANNOTATED else tag}\n" for word, upos, tag in rows]
    if any(len(line.split()) != 4 for line in lines):
        values = (*sentence.words, *sentence.upos, *sentence.entities)
        bad = next((value for value in values if len(value.split()) != 1), "")
        raise CorpusError(f"{sentence.id}: {bad!r} has a space and cannot be written as CoNLL-2003; use WebAnno", path)
    return "".join([*bio.comment(sentence), *lines, "\n"])


FORMAT = Format(
    name="conll2003",
    title="CoNLL-2003",
    rank=3,
    suffixes=(".conll",),
    holds={Sentence.kind: ("entities",)},
    read=lambda path, options: bio.read(path, options.report, "conll2003"),
    write=lambda sentences, path, columns: write(sentences, path),
    gaps=False,
)
