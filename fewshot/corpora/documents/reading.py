"""Read files as documents, and write documents as CoNLL-U."""

from __future__ import annotations

from pathlib import Path

from fewshot.corpora.documents.conllu import lines_of, parse
from fewshot.corpora.documents.model import ConlluDocument
from fewshot.corpora.documents.rows import is_row, rows_of
from fewshot.corpora.files import decode_rows, read_bytes
from fewshot.corpora.formats.common.blocks import join_blocks, split_blocks
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.formats.registry import detect, stream
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError


def read(path: str | Path) -> ConlluDocument:
    """Return the sentences of a file, of CoNLL-U or of another format that has sentences.

    Raises:
        CorpusError: with ``file:line``, when the file cannot be read.
    """
    path = Path(path)
    if detect(path, Sentence.kind).name == "conllu":
        return read_conllu(read_bytes(path), path)
    examples = list(stream(path, None, "", None))
    if other := next((example for example in examples if not isinstance(example, Sentence)), None):
        raise CorpusError(f"this file has {other.kind}, not sentences", other.where or path)
    return ConlluDocument(tuple(map(to_model, examples)))


def read_conllu(data: bytes, path: str | Path = "CoNLL-U") -> ConlluDocument:
    """Return the document in the bytes of a CoNLL-U file.

    Args:
        path: of the file, for messages.

    Raises:
        CorpusError: with ``file:line`` of the first fault.
    """
    sentences = []
    for first, lines in split_blocks(decode_rows(data, Path(path)), is_row):
        if faults := rows_of(first, lines).faults:
            raise CorpusError(faults[0][1], path, faults[0][0])
        sentences.append(parse(lines))
    if not sentences:
        raise CorpusError("no sentence in this file; is it CoNLL-U?", path)
    return ConlluDocument(tuple(sentences))


def write_conllu(document: ConlluDocument) -> bytes:
    """Return a document as CoNLL-U; what was not changed since it was read is written as it was."""
    return "".join(join_blocks(("".join(lines_of(sentence)) for sentence in document.sentences), is_row)).encode()
