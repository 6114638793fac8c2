"""Split raw text into sentences and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import regex

from fewshot.corpora import words
from fewshot.errors import CorpusError, FewshotError, UnknownNameError

EXPRESSION = "re:"
"""Prefix of a segmentation by regular expression."""

MAX_SECONDS = 2.0
"""Computing time that a regular expression may take per line; ``(a+)+b`` doubles with each letter."""

MISSING = (
    "this text has no spaces between words; pip install 'fewshot[segmentation]', whose dictionaries find its words, or "
    "put spaces between them and choose spaces"
)
"""The message where the extra is missing."""

Segmenter = Callable[[str], list[str]]
Starts = Callable[[str], list[int]]


@dataclass(frozen=True)
class Segmentation:
    """How raw text is split into sentences and words.

    Args:
        words: ``spaces``: split at spaces, including zero-width ones; ``words``: runs of letters and digits, each
            punctuation mark, and in scripts without spaces the words of a dictionary; ``letters``: like ``words``, but
            without a dictionary, see `fewshot.corpora.words.spans`; ``characters``: each character with its marks;
            ``re:`` and a regular expression: each match, which may contain spaces.
        clitics: a regular expression of words inside a run of characters between spaces, such as ``'r|'n`` of Welsh;
            empty: none.
        paragraphs: whether a line is a paragraph of several sentences.

    Raises:
        FewshotError: for an unknown segmentation or an invalid expression.
    """

    words: str = "words"
    clitics: str = ""
    paragraphs: bool = False

    def __post_init__(self) -> None:
        _ = self.segmenter

    @cached_property
    def segmenter(self) -> Segmenter:
        """The function that splits a text into words."""
        if self.words.startswith(EXPRESSION):
            if self.clitics:
                raise FewshotError("a regular expression of words leaves no clitics to find; match them with it too")
            return partial(_matches, compile_expression(self.words.removeprefix(EXPRESSION)))
        if self.words not in STARTS:
            raise UnknownNameError("segmenter", self.words, STARTS, f"Or give {EXPRESSION} and a regular expression.")
        return partial(_chunks, STARTS[self.words], compile_expression(self.clitics) if self.clitics else None)

    def sentences(self, line: str, lang: str) -> list[str]:
        """Return the sentences of a line, without surrounding spaces.

        Paragraphs are split by `sentencex <https://github.com/wikimedia/sentencex>`_: at the full stops of all scripts,
        except after abbreviations of the languages that it knows.
        """
        if not self.paragraphs:
            return [line]
        import sentencex

        return [sentence for part in sentencex.segment(lang, line) if (sentence := part.strip())]


def compile_expression(expression: str, flags: int = 0) -> regex.Pattern[str]:
    """Compile a regular expression of a user; raise `FewshotError` when it is invalid."""
    try:
        return regex.compile(expression, flags)
    except regex.error as error:
        raise FewshotError(f"invalid regular expression {expression!r}: {error}") from None
    except RecursionError:
        raise FewshotError("this regular expression has too many groups within groups; write a flatter one") from None


def _spans(expression: regex.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return the non-blank matches; raise `FewshotError` after `MAX_SECONDS`: other lines may be slow too."""
    try:
        return [match.span() for match in expression.finditer(text, timeout=MAX_SECONDS) if match[0].strip()]
    except TimeoutError:
        message = (
            f"{expression.pattern!r} takes more than {MAX_SECONDS:g} s for {text[:20]!r}; write a simpler expression"
        )
        raise FewshotError(message) from None


def _letter_starts(text: str) -> Starts:
    marked = words.are_marked(text)

    def starts(chunk: str) -> list[int]:
        simple = chunk.isascii() and chunk.isalnum()
        return [0] if simple else [start for start, _ in words.spans(chunk, marked)]

    return starts


def _word_starts(text: str) -> Starts:
    letters = _letter_starts(text)
    runs = [] if text.isascii() or words.are_marked(text) else words.DICTIONARY_RUN.findall(text)
    if not runs:
        return letters
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        if 2 * sum(map(len, runs)) <= len(text):  # a foreign word in other text
            return letters
        raise FewshotError(MISSING) from None

    def starts(chunk: str) -> list[int]:
        inside: set[int] = set()
        for run in words.DICTIONARY_RUN.finditer(chunk):
            borders = {run.start() + end for _, end in WordBreaker(run[0], "und").segments()}
            inside.update(set(range(run.start() + 1, run.end())) - borders)
        return [start for start in letters(chunk) if start not in inside]

    return starts


def _space_starts(chunk: str) -> list[int]:
    return [match.start() for match in regex.finditer(f"[^{words.ZERO_WIDTH_SPACE}]+", chunk)]


STARTS: Mapping[str, Callable[[str], Starts]] = {
    "spaces": lambda text: _space_starts,
    "words": _word_starts,
    "letters": _letter_starts,
    "characters": lambda text: words.character_starts,
}
"""For each segmenter, a function that returns the word starts in each part of a text without spaces.

Invisible characters, such as direction marks and zero-width spaces, stay with the previous word, or with the first
word.
"""


def _chunks(starts_in: Callable[[str], Starts], clitics: regex.Pattern[str] | None, text: str) -> list[str]:
    pieces = []
    starts = starts_in(text)
    for chunk in text.split():
        for part, whole in _split_at_clitics(chunk, clitics) if clitics else [(chunk, False)]:
            cuts = [0, *([] if whole else starts(part)[1:]), len(part)]
            pieces += [part[start:end] for start, end in pairwise(cuts)]
    return pieces


def _split_at_clitics(chunk: str, clitics: regex.Pattern[str]) -> list[tuple[str, bool]]:
    """Split a text at clitics; return the parts and whether each is a clitic."""
    known = {*words.character_starts(chunk), len(chunk)}
    spans = [span for span in _spans(clitics, chunk) if known.issuperset(span)]
    bounds = [0, *(place for span in spans for place in span), len(chunk)]
    parts = [(chunk[start:end], number % 2 == 1) for number, (start, end) in enumerate(pairwise(bounds))]
    return [part for part in parts if part[0]]


def _matches(expression: regex.Pattern[str], text: str) -> list[str]:
    spans = _spans(expression, text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    for end, start in zip(ends, starts, strict=True):
        if text[end:start].strip():
            message = (
                f"{text[end:start].strip()[:20]!r} is not part of any word; let the regular expression match it too"
            )
            raise CorpusError(message)
    known = set(words.character_starts(text))
    whole: list[tuple[int, int]] = []
    for start, end in spans:
        is_mark = whole and start == whole[-1][1] and start not in known  # of the letter before
        whole.append((whole.pop()[0] if is_mark else start, end))
    return [text[start:end].strip() for start, end in whole]


PLAIN = Segmentation()
"""One sentence per line, split into words of the kind ``words``."""

LETTERS = Segmentation("letters")
"""The same on every machine, for files whose annotation names places in a text without words."""
