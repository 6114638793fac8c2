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

from fewshot.corpora.files import Report, check_line_end, decode, fail, keep, raw_lines
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import is_tag
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.words import DICTIONARY_RUN
from fewshot.errors import CorpusError, FewshotError

MAX_CHARACTERS = 10_000
"""Most characters of a line; a longer line is not a sentence."""

PROBE_LINES = 100
"""Number of lines from which paragraphs and other formats are detected."""

MIN_TAGGED_LINES = 5
"""Fewest lines of a word and its tag that are taken for a file of tags."""

PARAGRAPHS = Segmentation(paragraphs=True)

CHUNK = re.compile(r"\S+(?:\s|$)")
"""Characters between spaces, with the next space."""

MARKER = re.compile(rb"\s*\\[A-Za-z_]\w*(\s|$)")
"""The marker of a Toolbox field."""

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
    for find_line, content, suffix in DETECTORS:
        if number := find_line(list(islice(raw_lines(path), PROBE_LINES))):
            raise CorpusError(f"this line looks like {content}; name such a file {suffix}", path, number)
    is_empty = True
    for row in raw_lines(path):
        made = list(keep(partial(_sentences, path, segmentation, lang), [row], report))
        is_empty = is_empty and made == [[]]
        for sentences in made:
            yield from sentences
    if is_empty:
        raise CorpusError("the file is empty", path)


def _tagged(lines: Sequence[tuple[int, bytes]]) -> int | None:
    """Return the number of the first line of words and entity tags, None for running text.

    Nearly all lines of such a file have several columns ending in a tag, as many in each line; a few lines of a text
    may end in a word that looks like a tag, such as "S-Bahn".
    """
    rows = [(number, line.decode("utf-8", "replace").split()) for number, line in lines]
    tagged = [row for row in rows if len(row[1]) > 1 and is_tag(row[1][-1])]
    has_tag = any(columns[-1] != UNANNOTATED for _, columns in tagged)
    is_table = len(tagged) >= MIN_TAGGED_LINES and len({len(columns) for _, columns in tagged}) == 1
    return tagged[0][0] if has_tag and is_table and len(tagged) > 0.9 * len(rows) else None


def _conllu(lines: Sequence[tuple[int, bytes]]) -> int | None:
    """Return the number of the first line of ten columns if nearly all lines have ten; else None."""
    rows = [(number, line) for number, line in lines if not line.startswith(b"#")]
    words = [number for number, line in rows if line.count(b"\t") == 9]
    return words[0] if len(words) > 0.9 * len(rows) else None


def _toolbox(lines: Sequence[tuple[int, bytes]]) -> int | None:
    """Return the number of the first line with a marker if most lines have one; else None."""
    fields = [number for number, line in lines if MARKER.match(line)]
    return fields[0] if len(fields) > 0.5 * len(lines) else None


def _beginning(start: bytes) -> Callable[[Sequence[tuple[int, bytes]]], int | None]:
    """Return a function of lines: the number of the first line if it begins so, else None."""
    return lambda lines: next((number for number, line in lines[:1] if line.lstrip(AROUND).startswith(start)), None)


DETECTORS = (
    (_tagged, "a word and its tag", ".bio or .conll"),
    (_conllu, "CoNLL-U", ".conllu"),
    (_toolbox, "Toolbox", ".sfm"),
    (_beginning(b'{"'), "JSON Lines", ".jsonl"),
    (_beginning(b'[{"'), "JSON", ".json"),
    (_beginning(b"<?xml"), "XML", ".flextext or .eaf"),
    (_beginning(b"#FORMAT=WebAnno"), "WebAnno TSV", ".tsv"),
)
"""For each other format: the function that returns its first line, its name, and its suffix."""


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
