"""Read and write CoNLL-style entity files: one ``token TAB tag`` a line, a blank line between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from fewshot.corpora.files import read_lines, write_text
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError

TAG = re.compile(r"[BIESLU]-.+")
"""A tag inside an entity: B begins, I goes on, E and L end, S and U stand alone."""


def read(path: str | Path) -> list[Sentence]:
    """Read a file of entity tags: IOB1, IOB2, BIOES or BILOU; the tags stay as they are in the file.

    Args:
        path: a UTF-8 file; the token is the first tab-separated column, the tag the last. Lines that start
            with ``#`` and hold no tab are comments.

    Returns:
        The sentences in file order, named ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for a line without a tag, a tag of no such scheme, an empty file.
    """
    path = Path(path)
    sentences: list[Sentence] = []
    rows: list[tuple[str, str]] = []
    first = 1
    for number, line in enumerate([*read_lines(path), "\n"], start=1):
        body = line.rstrip("\r\n").removeprefix("\ufeff")
        if body.strip() and not (body.startswith("#") and "\t" not in body):
            if not rows:
                first = number
            rows.append(_row(path, number, body))
        elif rows and not body.strip():
            sentences.append(_sentence(path, first, len(sentences) + 1, rows))
            rows = []
    if not sentences:
        raise CorpusError("no sentence in this file; is it one token and tag a line?", path)
    return sentences


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write ``word TAB tag`` lines, atomically; unannotated words are written as ``_``."""
    blocks = ("".join(f"{word}\t{tag}\n" for word, tag in zip(s.words, s.entities, strict=True)) for s in sentences)
    write_text(path, "".join(block + "\n" for block in blocks))


def _row(path: Path, number: int, body: str) -> tuple[str, str]:
    columns = body.split("\t")
    if len(columns) < 2 or not columns[0]:
        raise CorpusError("expected 'token TAB tag' on this line", path, number)
    token, tag = columns[0], columns[-1].strip()
    if tag not in ("O", UNANNOTATED) and not TAG.fullmatch(tag):
        raise CorpusError(f"{tag!r} is no entity tag (O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)", path, number)
    return token, tag


def _sentence(path: Path, first: int, number: int, rows: list[tuple[str, str]]) -> Sentence:
    words = tuple(word for word, _ in rows)
    return Sentence(
        id=f"{path.stem}-{number}",
        text=" ".join(words),
        words=words,
        entities=tuple(tag for _, tag in rows),
        where=f"{path}:{first}",
    )
