"""Read raw text, one sentence a line, and split it into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from sys import intern

from fewshot.corpora import words
from fewshot.corpora.files import Report, decode, fail, keep, raw_lines
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError, UnknownNameError

LONGEST = 10_000
"""Most characters of a line; a longer one is no sentence."""

CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
"""Control characters but the tab."""

EXPRESSION = "re:"
"""What a segmentation by regular expression begins with."""

Segmenter = Callable[[str], list[str]]


def read(path: str | Path, segment: str = "words", report: Report = fail) -> Iterator[Sentence]:
    """Yield the sentences of a file, one line at a time, so that a large file is never held as a whole.

    Args:
        path: a UTF-8 file; blank lines are skipped.
        segment: see `segmenter`.
        report: told of each bad line.

    Returns:
        The sentences, named ``<file stem>-<line>``. Each keeps its line as its text, but for spaces at its ends; its
        words are everything in it but spaces, so that CoNLL-U written from it holds the text.

    Raises:
        CorpusError: with ``file:line``, for a line that is not UTF-8, holds a control character, is longer than
            `LONGEST`, or has characters outside the words of a regular expression; and when there is no text.
    """
    path = Path(path)
    split = segmenter(segment)
    lines = 0
    for row in raw_lines(path):
        lines += 1
        yield from keep(partial(_sentence, path, split), [row], report)
    if not lines:
        raise CorpusError("the file is empty", path)


def segmenter(name: str) -> Segmenter:
    """Return a function from a text to its words.

    Args:
        name: ``spaces``: what stands between spaces; ``words``: runs of letters and digits, each punctuation mark, and
            each character of scripts that write no spaces; ``characters``: each character with the marks on it;
            ``re:`` and a regular expression: each match, which may hold spaces.

    Raises:
        FewshotError: when there is no such segmenter, or the expression is none.
    """
    if name.startswith(EXPRESSION):
        try:
            return partial(_matches, re.compile(name.removeprefix(EXPRESSION)))
        except re.error as error:
            raise CorpusError(f"{name.removeprefix(EXPRESSION)!r} is no regular expression: {error}") from None
    if name not in STARTS:
        raise UnknownNameError("segmenter", name, STARTS, f"Or give {EXPRESSION} and a regular expression.")
    return partial(_chunks, STARTS[name])


def _words(chunk: str) -> list[int]:
    simple = chunk.isascii() and chunk.isalnum()
    return [0] if simple else [start for start, _ in words.spans(chunk)]


def _characters(chunk: str) -> list[int]:
    return [place for place, char in enumerate(chunk) if unicodedata.category(char) not in ("Mn", "Mc", "Me", "Cf")]


STARTS: Mapping[str, Callable[[str], list[int]]] = {
    "spaces": lambda chunk: [0],
    "words": _words,
    "characters": _characters,
}
"""Where words begin in a text without spaces, for each segmenter. Invisible characters, such as direction marks, stay
with the word before them, or with the first word."""


def _chunks(starts: Callable[[str], list[int]], text: str) -> list[str]:
    found = []
    for chunk in text.split():
        cuts = [0, *starts(chunk)[1:], len(chunk)]
        found += [chunk[start:end] for start, end in pairwise(cuts)]
    return found


def _matches(expression: re.Pattern[str], text: str) -> list[str]:
    spans = [match.span() for match in expression.finditer(text) if match[0].strip()]
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    for end, start in zip(ends, starts, strict=True):
        if text[end:start].strip():
            message = f"{text[end:start].strip()[:20]!r} is part of no word; let the regular expression match it too"
            raise CorpusError(message)
    return [text[start:end].strip() for start, end in spans]


def _sentence(path: Path, split: Segmenter, row: tuple[int, bytes]) -> Sentence:
    number, line = row
    text = decode(path, number, line).strip()
    control = CONTROL.search(text)
    if control:
        raise CorpusError(f"control character U+{ord(control[0]):04X}; remove it", path, number)
    if len(text) > LONGEST:
        raise CorpusError(f"{len(text)} characters; write one sentence a line, of {LONGEST} at most", path, number)
    try:
        found = tuple(map(intern, split(text)))  # a million sentences hold each word once
    except CorpusError as error:
        raise CorpusError(error.message, path, number) from None
    if not found:
        raise CorpusError("no word on this line; remove it", path, number)
    return Sentence(f"{path.stem}-{number}", text, found, where=f"{path}:{number}")


FORMAT = Format(
    name="text",
    title="raw text, one sentence a line",
    rank=10,
    suffixes=(".txt",),
    holds={Sentence.kind: Sentence.columns},
    read=lambda path, how: read(path, how.segment, how.report),
    write=None,
)
