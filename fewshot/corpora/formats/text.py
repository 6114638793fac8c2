"""Read raw text, one sentence or paragraph per line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from sys import intern
from typing import TypeAlias

from fewshot.corpora.files import Report, check_line_end, decode, fail, keep, raw_lines
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import is_tag
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.corpora.words import DICTIONARY_RUN
from fewshot.errors import CorpusError, FewshotError

MAX_CHARACTERS = 10_000
"""Most characters of a line; a longer line is not a sentence."""

PROBE_LINES = 100
"""Number of lines from which paragraphs and other formats are detected."""

MIN_LINES = 5
"""Fewest lines of columns that are taken for a table."""

Lines: TypeAlias = Sequence[tuple[int, bytes]]
"""Numbers and bytes of the first lines of a file."""

FindLine: TypeAlias = Callable[[Lines], int | None]
"""Returns the number of the first line of another format; None for running text."""

PARAGRAPHS = Segmentation(paragraphs=True)

CHUNK = re.compile(r"\S+(?:\s|$)")
"""Characters between spaces, with the next space."""

MARKER = re.compile(rb"\s*\\[A-Za-z_]\w*(\s|$)")
"""The marker of a Toolbox field."""

TAGGED = re.compile(rb"\S+[/_]([A-Z][A-Z\d$.:+-]*|[!-/:-@]{1,2})")
"""A word with a tag behind it, ``dog/NN`` or ``./.``; variants such as ``his/her`` have no capitals."""

AROUND = b"\xef\xbb\xbf \t"
"""Bytes that may stand before the first character of a file."""

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""Control characters except the tab."""


def read(
    path: str | Path, segmentation: Segmentation = PLAIN, lang: str = "", report: Report = fail
) -> Iterator[Sentence]:
    """Yield the sentences of a file as a stream; the file is never in memory as a whole.

    Sentences of paragraphs are named ``<file stem>-<line>-<sentence>``. A sentence keeps its text, except for
    surrounding spaces and isolated invisible characters; its words cover everything but spaces, so that CoNLL-U keeps
    the text.

    Raises:
        CorpusError: with ``file:line``, for a line that is not UTF-8, holds a control character, is longer than
            `MAX_CHARACTERS`, or has characters outside the words of a regular expression; and when there is no text.
    """
    path = Path(path)
    for find_line, content, advice in DETECTORS:
        if number := find_line(list(islice(raw_lines(path), PROBE_LINES))):
            raise CorpusError(f"this line looks like {content}; {advice}", path, number)
    is_empty = True
    for row in raw_lines(path):
        made = list(keep(partial(_sentences, path, segmentation, lang), [row], report))
        is_empty = is_empty and made == [[]]
        for sentences in made:
            yield from sentences
    if is_empty:
        raise CorpusError("the file is empty", path)


def _ending_in(is_tag: Callable[[str], bool]) -> FindLine:
    """Return a function that finds the first line of words and tags, None for running text.

    Nearly all lines of such a file have several columns ending in a tag, as many in each line; a few lines of a text
    may end in a word that looks like a tag, such as "S-Bahn".
    """

    def find_line(lines: Lines) -> int | None:
        rows = [(number, line.decode("utf-8", "replace").split()) for number, line in lines]
        tagged = [row for row in rows if len(row[1]) > 1 and is_tag(row[1][-1])]
        has_tag = any(columns[-1] != UNANNOTATED for _, columns in tagged)
        is_table = len(tagged) >= MIN_LINES and len({len(columns) for _, columns in tagged}) == 1
        return tagged[0][0] if has_tag and is_table and len(tagged) > 0.9 * len(rows) else None

    return find_line


def _conllu(lines: Lines) -> int | None:
    """Return the number of the first line of ten columns if nearly all lines have ten; else None."""
    rows = [(number, line) for number, line in lines if not line.startswith(b"#")]
    words = [number for number, line in rows if line.count(b"\t") == 9]
    return words[0] if len(words) > 0.9 * len(rows) else None


def _table(lines: Lines) -> int | None:
    """Return the number of the first line of a table of words and tags, None for running text.

    Nearly all lines of such a file have as many tabs, one word between them, and a column of tags behind the first.
    Texts behind a speaker or a number, and lists of words, are none.
    """
    rows = [(number, line.strip().split(b"\t")) for number, line in lines if not line.startswith((b"<", b"#"))]
    words = [(number, cells) for number, cells in rows if all(len(cell.split()) == 1 for cell in cells)]
    is_table = len(words) >= MIN_LINES and len(words) > 0.9 * len(rows) and len({len(cells) for _, cells in words}) == 1
    are_tags = [_are_tags(column) for column in zip(*(cells for _, cells in words), strict=False)]
    return words[0][0] if is_table and any(are_tags[1:]) and not are_tags[0] else None


def _are_tags(column: Sequence[bytes]) -> bool:
    """Return whether most cells are in capitals, as tags are except for those of punctuation."""
    return sum(cell.isupper() for cell in column) > 0.7 * len(column)


def _tags_behind_words(lines: Lines) -> int | None:
    """Return the number of the first line if nearly all words have a tag behind them; else None."""
    words = [word for _, line in lines for word in line.split()]
    tagged = sum(TAGGED.fullmatch(word) is not None for word in words)
    return lines[0][0] if len(words) >= MIN_LINES and tagged > 0.9 * len(words) else None


def _toolbox(lines: Lines) -> int | None:
    """Return the number of the first line with a marker if most lines have one; else None."""
    fields = [number for number, line in lines if MARKER.match(line)]
    return fields[0] if len(fields) > 0.5 * len(lines) else None


def _beginning(pattern: bytes, most: int = 1) -> FindLine:
    """Return a function of lines: the number of the first of some lines that begins so, else None."""
    begins = re.compile(pattern, re.IGNORECASE)
    return lambda lines: next((number for number, line in lines[:most] if begins.match(line.lstrip(AROUND))), None)


CONLLU = "write words and tags as CoNLL-U, named .conllu"

DETECTORS: tuple[tuple[FindLine, str, str], ...] = (
    (_ending_in(is_tag), "a word and its tag", "name such a file .bio or .conll"),
    (_ending_in(UPOS.__contains__), "a word and its UPOS", CONLLU),
    (_conllu, "CoNLL-U", "name such a file .conllu"),
    (_toolbox, "Toolbox", "name such a file .sfm"),
    (_beginning(rb'\{"'), "JSON Lines", "name such a file .jsonl"),
    (_beginning(rb'\[\{"'), "JSON", "name such a file .json"),
    (_beginning(rb"<\?xml"), "XML", "name such a file .flextext or .eaf"),
    (_beginning(rb"<(!doctype|html|tei|doc|document|annotation_document)\b"), "HTML or XML", "take the markup out"),
    (_beginning(rb"\{\\rtf"), "RTF", "save it as plain text in UTF-8"),
    (_beginning(rb"(\d\d:)?\d\d:\d\d[.,]\d{3} *-->", MIN_LINES), "subtitles", "write their texts without times"),
    (_beginning(rb"\(\s*((root|top|s)\s*(\(|$)|\(\s*[a-z]+\s*(\(|$))"), "a tree in brackets", CONLLU),
    (_beginning(b"#FORMAT=WebAnno"), "WebAnno TSV", "name such a file .tsv"),
    (_tags_behind_words, "words with tags behind them", f"{CONLLU}, or delete the tags"),
    (_table, "columns of words and tags", f"{CONLLU}, or delete the columns of tags and the tabs"),
)
"""For each other format: the function that returns its first line, its name, and what to do."""


def has_paragraphs(path: str | Path, lang: str) -> bool:
    """Return whether most of the first lines have several sentences; skip lines that are not UTF-8."""
    several = []
    for number, line in islice(raw_lines(Path(path)), PROBE_LINES):
        with suppress(CorpusError):
            several.append(len(PARAGRAPHS.sentences(decode(Path(path), number, line), lang)) > 1)
    return sum(several) > len(several) / 2


def has_spaced_words(path: str | Path) -> bool:
    """Return whether spaces separate the words of a text whose script is usually written without spaces.

    This is so if the dictionary finds less than half as many further borders of words as there are spaces.
    """
    spaces, others = 0, 0
    for number, line in islice(raw_lines(Path(path)), PROBE_LINES):
        with suppress(FewshotError):
            chunks = list(filter(DICTIONARY_RUN.search, decode(Path(path), number, line).split()))
            words = sum(len(list(filter(DICTIONARY_RUN.search, PLAIN.segmenter(chunk)))) for chunk in chunks)
            spaces, others = spaces + max(len(chunks) - 1, 0), others + words - len(chunks)
    return others < spaces / 2


def is_visible(text: str) -> bool:
    """Return whether a text has more than white space and invisible format characters."""
    return any(not char.isspace() and unicodedata.category(char) != "Cf" for char in text)


def _sentences(path: Path, segmentation: Segmentation, lang: str, row: tuple[int, bytes]) -> list[Sentence]:
    number, line = row
    text = decode(path, number, line).replace("\ufeff", "").strip()  # byte order marks of concatenated files
    if not text:
        return []
    text = CHUNK.sub(lambda chunk: chunk[0] if is_visible(chunk[0]) else "", text).strip()
    check_line_end(text, path, number)
    control = CONTROL.search(text)
    if control:
        raise CorpusError(f"control character U+{ord(control[0]):04X}; remove it", path, number)
    if len(text) > MAX_CHARACTERS:
        wanted = "paragraph" if segmentation.paragraphs else "sentence"
        raise CorpusError(
            f"{len(text)} characters; write one {wanted} per line, with at most {MAX_CHARACTERS}", path, number
        )
    sentences = []
    for place, sentence in enumerate(segmentation.sentences(text, lang), start=1):
        try:
            words = tuple(map(intern, segmentation.segmenter(sentence)))  # share equal words among sentences
        except CorpusError as error:
            raise CorpusError(error.message, path, number) from None
        if any(map(is_visible, words)):
            name = f"{path.stem}-{number}-{place}" if segmentation.paragraphs else f"{path.stem}-{number}"
            sentences.append(Sentence(name, sentence, words, where=f"{path}:{number}"))
    if not sentences:
        raise CorpusError("no word on this line; remove it", path, number)
    return sentences


FORMAT = Format(
    name="text",
    title="raw text, one sentence a line",
    rank=13,
    suffixes=(".txt",),
    holds={Sentence.kind: Sentence.columns},
    read=lambda path, options: read(path, options.segmentation, options.lang, options.report),
    write=None,
)
