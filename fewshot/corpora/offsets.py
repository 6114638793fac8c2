"""Positions of words and entities in a text, in characters (code points)."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from fewshot.corpora import iob
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError


class Entity(NamedTuple):
    """A labelled span of a text: ``text[start:end]``."""

    start: int
    end: int
    label: str


def places(text: str, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return start and end of each word, or None when text and words differ (split multiword tokens).

    Args:
        words: in order; the text may have only spaces before, between and after them.
    """
    spans = []
    place = 0
    for word in words:
        place = _after_spaces(text, place)
        if not word or not text.startswith(word, place):
            return None
        spans.append((place, place + len(word)))
        place += len(word)
    return spans if _after_spaces(text, place) == len(text) else None


def lay_out(sentence: Sentence) -> tuple[str, list[tuple[int, int]]]:
    """Return a one-line text and the position of each word in it.

    The text is that of the sentence, or its words joined by spaces when they do not match it (multiword tokens).
    """
    text = " ".join(sentence.text.splitlines()).strip()
    spans = places(text, sentence.words)
    if spans is None:
        text = " ".join(sentence.words)
        starts = accumulate((len(word) + 1 for word in sentence.words), initial=0)
        spans = [(start, start + len(word)) for start, word in zip(starts, sentence.words, strict=False)]
    return text, spans


def entities(tags: Sequence[str], positions: Sequence[tuple[int, int]] | None = None) -> list[Entity]:
    """Return the entities of a sentence by their beginning, outer ones before those inside them.

    Args:
        tags: one per word, in any scheme.
        positions: position of each word; None: entities are counted in words.
    """
    places = [(word, word + 1) for word in range(len(tags))] if positions is None else positions
    return [Entity(places[first][0], places[end - 1][1], label) for first, end, label in iob.spans(tags)]


def tags(stretches: Iterable[Entity], positions: Sequence[tuple[int, int]], text: str, where: str) -> tuple[str, ...]:
    """Return the IOB2 tags of a sentence's words; the inverse of `entities`.

    Args:
        stretches: entities in any order.
        positions: position of each word.
        text: contains the words and entities.
        where: ``file:line``, for messages.

    Raises:
        CorpusError: see `spans`, and for an entity that overlaps another without being inside it or around it.
    """
    stretches = list(stretches)
    on_words = spans(stretches, positions, text, where)
    if (place := iob.crossing(on_words)) is not None:
        start, end, label = stretches[place]
        raise CorpusError(f"{label} at {start}-{end} overlaps another entity; keep one of them", where)
    return iob.tags_of(on_words, len(positions))


def spans(stretches: Iterable[Entity], positions: Sequence[tuple[int, int]], text: str, where: str) -> list[iob.Span]:
    """Return the words of each entity; the arguments are those of `tags`.

    Spaces at the edges of an entity are ignored, and so are invisible characters at the edges of words, such as
    direction marks.

    Raises:
        CorpusError: for an entity outside the text, one that begins or ends inside a word, or a label like two tags.
    """
    on_words: list[iob.Span] = []
    positions = [_visible(text, place) for place in positions]
    starts, ends = [start for start, _ in positions], [end for _, end in positions]
    for start, end, label in stretches:
        if not 0 <= start < end <= len(text):
            message = f"{label} at {start}-{end} is not in the text, which has {len(text)} characters"
            raise CorpusError(f"{message}; correct the offsets", where)
        first, last = bisect_left(starts, start), bisect_right(ends, end) - 1
        edges = (positions[max(first - 1, 0)], *positions[max(last, 0) : last + 2])
        is_inside = any(begin < edge < stop for begin, stop in edges for edge in (start, end))
        if last < first or is_inside:
            raise CorpusError(f"{label} at {start}-{end} begins or ends inside a word; give the words", where)
        if iob.BAR.search(label):
            raise CorpusError(f"the label {label!r} looks like the tags of two entities; write another one", where)
        on_words.append((first, last + 1, label))
    return on_words


def _visible(text: str, place: tuple[int, int]) -> tuple[int, int]:
    """Return the position of a word without invisible characters at its edges, unless all are invisible."""
    start, end = place
    while start < end and unicodedata.category(text[start]) == "Cf":
        start += 1
    while start < end and unicodedata.category(text[end - 1]) == "Cf":
        end -= 1
    return (start, end) if start < end else place


def _after_spaces(text: str, place: int) -> int:
    while text[place : place + 1].isspace():
        place += 1
    return place


def to_characters(text: str, start: int, end: int, span_text: str | None) -> tuple[int, int] | None:
    """Convert the offsets of a span, counted in characters or in UTF-16 units, to characters.

    Args:
        span_text: decides the unit; None when unknown.

    Returns:
        None when the text has no such span.
    """
    if start < 0 or end <= start:
        return None
    if end <= len(text) and (span_text is None or _letters(text[start:end]) == _letters(span_text)):
        return start, end
    if span_text is None:
        return None
    first, last = (unit - bisect_left(_second_units(text), unit) for unit in (start, end))
    last = min(last, len(text))
    return (first, last) if _letters(text[first:last]) == _letters(span_text) else None


@lru_cache(16)
def _second_units(text: str) -> list[int]:
    """Return the UTF-16 positions of low surrogates, in order."""
    wide = (place for place, char in enumerate(text) if ord(char) > 0xFFFF)
    return [place + number for number, place in enumerate(wide, start=1)]


def _letters(text: str) -> str:
    """Return a text without white space, which tools write in several ways."""
    return "".join(text.replace("\\n", "").split())


def is_annotated(values: Iterable[object]) -> bool:
    """Return whether any word has a value in this column."""
    return any(value not in (UNANNOTATED, -1) for value in values)
