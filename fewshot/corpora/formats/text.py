"""Read raw text, a sentence or a paragraph a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from sys import intern

from fewshot.corpora.files import Report, decode, fail, keep, raw_lines
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import is_tag
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError

LONGEST = 10_000
"""Most characters of a line; a longer one is no sentence."""

PROBED = 100
"""Lines that tell whether a file has paragraphs."""

PARAGRAPHS = Segmentation(paragraphs=True)

CHUNK = re.compile(r"\S+(?:\s|$)")
"""What stands between spaces, with the space behind it."""

MARKER = re.compile(rb"\s*\\[A-Za-z_]\w*(\s|$)")
"""The marker of a field of Toolbox."""

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""Control characters but the tab."""


def read(path: str | Path, how: Segmentation = PLAIN, lang: str = "", report: Report = fail) -> Iterator[Sentence]:
    """Yield the sentences of a file, one line at a time, so that a large file is never held as a whole.

    Args:
        path: a UTF-8 file; blank lines, also those of spaces of any kind, are skipped.
        how: lines become sentences and words.
        lang: code of the language.
        report: told of each bad line.

    Returns:
        The sentences, named ``<file stem>-<line>``, of paragraphs ``<file stem>-<line>-<sentence>``. Each keeps its
        text, but for spaces at its ends and invisible characters that stand alone between spaces; its words are
        everything in it but spaces, so that CoNLL-U written from it holds the text.

    Raises:
        CorpusError: with ``file:line``, for a line that is not UTF-8, holds a control character, is longer than
            `LONGEST`, or has characters outside the words of a regular expression; and when there is no text.
    """
    path = Path(path)
    for look, what, suffix in LAYOUT:
        if number := look(list(islice(raw_lines(path), PROBED))):
            raise CorpusError(f"this line looks like {what}; name such a file {suffix}", path, number)
    is_empty = True
    for row in raw_lines(path):
        made = list(keep(partial(_sentences, path, how, lang), [row], report))
        is_empty = is_empty and made == [[]]
        for sentences in made:
            yield from sentences
    if is_empty:
        raise CorpusError("the file is empty", path)


def _tagged(lines: Sequence[tuple[int, bytes]]) -> int | None:
    """Return the number of the first line of words and entity tags; None for running text.

    Nearly all lines of such a file have two to four columns of which the last is a tag.
    """
    rows = [(number, line.decode("utf-8", "replace").split()) for number, line in lines]
    tagged = [row for row in rows if 2 <= len(row[1]) <= 4 and is_tag(row[1][-1])]
    has_tag = any(columns[-1] != UNANNOTATED for _, columns in tagged)
    return tagged[0][0] if has_tag and len(tagged) > 0.9 * len(rows) else None


def _conllu(lines: Sequence[tuple[int, bytes]]) -> int | None:
    """Return the number of the first line of ten columns, where nearly all but comments have so many; else None."""
    rows = [(number, line) for number, line in lines if not line.startswith(b"#")]
    words = [number for number, line in rows if line.count(b"\t") == 9]
    return words[0] if len(words) > 0.9 * len(rows) else None


def _toolbox(lines: Sequence[tuple[int, bytes]]) -> int | None:
    """Return the number of the first line that begins with a marker, where most lines do; else None."""
    fields = [number for number, line in lines if MARKER.match(line)]
    return fields[0] if len(fields) > 0.5 * len(lines) else None


LAYOUT = (
    (_tagged, "a word and its tag", ".bio or .conll"),
    (_conllu, "CoNLL-U", ".conllu"),
    (_toolbox, "Toolbox", ".sfm"),
)
"""What finds the first line of another format, what that is, and the suffix of its files."""


def has_paragraphs(path: str | Path, lang: str) -> bool:
    """Return whether most of the first `PROBED` lines hold several sentences; lines that are not UTF-8 do not count."""
    several = []
    for number, line in islice(raw_lines(Path(path)), PROBED):
        with suppress(CorpusError):
            several.append(len(PARAGRAPHS.sentences(decode(Path(path), number, line), lang)) > 1)
    return sum(several) > len(several) / 2


def is_visible(text: str) -> bool:
    """Return whether a text has more than white space and invisible format characters, such as a zero-width space."""
    return any(not char.isspace() and unicodedata.category(char) != "Cf" for char in text)


def _sentences(path: Path, how: Segmentation, lang: str, row: tuple[int, bytes]) -> list[Sentence]:
    """Return the sentences of a line; none of a line of spaces."""
    number, line = row
    text = decode(path, number, line).replace("\ufeff", "").strip()  # marks of files that were put together
    if not text:
        return []
    text = CHUNK.sub(lambda chunk: chunk[0] if is_visible(chunk[0]) else "", text).strip()
    control = CONTROL.search(text)
    if control:
        raise CorpusError(f"control character U+{ord(control[0]):04X}; remove it", path, number)
    if len(text) > LONGEST:
        wanted = "paragraph" if how.paragraphs else "sentence"
        raise CorpusError(f"{len(text)} characters; write one {wanted} a line, of {LONGEST} at most", path, number)
    found = []
    for place, sentence in enumerate(how.sentences(text, lang), start=1):
        try:
            words = tuple(map(intern, how.segmenter(sentence)))  # a million sentences hold each word once
        except CorpusError as error:
            raise CorpusError(error.message, path, number) from None
        if any(map(is_visible, words)):
            name = f"{path.stem}-{number}-{place}" if how.paragraphs else f"{path.stem}-{number}"
            found.append(Sentence(name, sentence, words, where=f"{path}:{number}"))
    if not found:
        raise CorpusError("no word on this line; remove it", path, number)
    return found


FORMAT = Format(
    name="text",
    title="raw text, one sentence a line",
    rank=13,
    suffixes=(".txt",),
    holds={Sentence.kind: Sentence.columns},
    read=lambda path, how: read(path, how.segmentation, how.lang, how.report),
    write=None,
)
