"""Read and write CoNLL-style entity files: one ``token TAB tag`` a line, a blank line between sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import is_tag, to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError

DOCUMENT = "-DOCSTART-"
"""Token of the lines that begin a document in CoNLL-2003."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    """Read a file of entity tags: IOB1, IOB2, BIOES or BILOU; the tags stay as they are in the file.

    Args:
        path: a UTF-8 file; the token is the first column, the tag the last; columns are separated by tabs, or by
            single spaces in lines without a tab, as in CoNLL-2002 and 2003. Lines that start with ``#`` and hold no
            tab are comments, unless they are two or four columns of which the last is a tag.
        report: told of each sentence with a bad line.

    Returns:
        The sentences in file order, named ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for a line without a tag, a tag of no such scheme, an empty file.
    """
    path = Path(path)
    blocks = enumerate(_blocks(read_lines(path)), start=1)
    sentences = list(keep(lambda block: _sentence(path, *block), blocks, report))
    if not sentences:
        raise CorpusError("no sentence in this file; is it one token and tag a line?", path)
    return sentences


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write ``word TAB tag`` lines in IOB2, atomically; unannotated words are written as ``_``.

    Raises:
        CorpusError: when a word holds a tab or line end, or the file cannot be written.
    """
    write_text(path, (_block(sentence, path) for sentence in sentences))


def _block(sentence: Sentence, path: str | Path) -> str:
    if any(char in word for word in sentence.words for char in "\t\r\n"):
        raise CorpusError(f"{sentence.id}: a word with a tab or line end cannot be written", path)
    rows = zip(sentence.words, to_iob2(sentence.entities), strict=True)
    return "".join(f"{word}\t{tag}\n" for word, tag in rows) + "\n"


def _blocks(lines: list[str]) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield the rows of each sentence: number of the line, its columns."""
    bodies = [line.rstrip("\r\n") for line in lines]
    bodies[0] = bodies[0].removeprefix("\ufeff")
    for filled, rows in groupby(enumerate(bodies, start=1), key=lambda row: bool(row[1].strip())):
        split = [(number, _columns(body)) for number, body in rows if filled and not _is_comment(body)]
        words = [row for row in split if row[1][0] != DOCUMENT]
        if words:
            yield words


def _columns(body: str) -> list[str]:
    return body.split("\t") if "\t" in body else body.rstrip(" ").split(" ")


def _is_comment(body: str) -> bool:
    if not body.startswith("#") or "\t" in body:
        return False
    columns = _columns(body)
    return len(columns) not in (2, 4) or columns[-1] == UNANNOTATED or not is_tag(columns[-1])


def _sentence(path: Path, number: int, rows: list[tuple[int, list[str]]]) -> Sentence:
    for line, columns in rows:
        if len(columns) < 2 or not columns[0]:
            raise CorpusError("expected 'token TAB tag' on this line", path, line)
        if not is_tag(columns[-1].strip()):
            message = f"{columns[-1].strip()!r} is no entity tag (O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)"
            raise CorpusError(message, path, line)
    words = tuple(columns[0] for _, columns in rows)
    return Sentence(
        id=f"{path.stem}-{number}",
        text=" ".join(words),
        words=words,
        entities=tuple(columns[-1].strip() for _, columns in rows),
        where=f"{path}:{rows[0][0]}",
    )


FORMAT = Format(
    name="bio",
    title="IOB2 with tabs",
    rank=2,
    suffixes=(".bio", ".iob2"),
    holds={Sentence.kind: ("entities",)},
    read=lambda path, how: read(path, how.report),
    write=lambda sentences, path, columns: write(sentences, path),
)
