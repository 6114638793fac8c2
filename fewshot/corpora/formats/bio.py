"""Read and write CoNLL-style entity files: one ``token TAB tag`` a line, a blank line between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError

TAG = re.compile(r"[BIESLU]-.+")
"""A tag inside an entity: B begins, I goes on, E and L end, S and U stand alone."""

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


def is_tag(tag: str) -> bool:
    """Return whether a tag is one of the schemes that are read, or ``_``."""
    return tag in ("O", UNANNOTATED) or TAG.fullmatch(tag) is not None


def to_iob2(tags: Sequence[str]) -> tuple[str, ...]:
    """Read gold tags of any usual scheme as IOB2: IOB1, IOB2 itself, BIOES, BILOU.

    B, S and U begin an entity, and so do I, E and L where there is none of their type to continue; E, L, S and U end
    one. A tag of no such scheme stays as it is.
    """
    return tuple(_to_iob2(before, tag) for before, tag in zip(("O", *tags), tags, strict=False))


def _to_iob2(before: str, tag: str) -> str:
    prefix, kind = tag[:2], tag[2:]
    if prefix not in ("B-", "I-", "E-", "L-", "S-", "U-"):
        return tag
    continues = prefix in ("I-", "E-", "L-") and before in (f"B-{kind}", f"I-{kind}")
    return f"{'I' if continues else 'B'}-{kind}"


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
