"""From an example's text to windows of word pieces.

A *unit* is what a head sees one vector of: a word (tagging, parsing), or the whole input (classification). An input
longer than the encoder's limit is cut into overlapping windows, and every unit takes its vector from the window in
which it has most context on both sides. So every word gets a prediction, however long the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

NO_UNIT = -1

WORD_STARTS = ("\u2581", "\u0120")
"""Pieces that stand for the space before a word alone: those of SentencePiece and of byte-level BPE."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the encoder.

    Args:
        segments: one or two lists of words (a sentence; a premise and a hypothesis; a paragraph and a question).
        features: one number per word of the first segment, from 1, that the head gets beside the vector (the UPOS, for
            a parser that uses it); empty if the task has none.
    """

    segments: tuple[Sequence[str], ...]
    features: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """How a task sees its inputs.

    Args:
        units: ``words``: one unit per word of the first segment; ``sequence``: one, the sequence-start vector.
        limit: most pieces of a window, special tokens included; None: the encoder's limit.
        second: most pieces of the second segment; None: no limit of its own.
        stride: pieces between the starts of neighbouring windows; None: half of a window's room.
    """

    units: Literal["words", "sequence"]
    limit: int | None = None
    second: int | None = None
    stride: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """One window of pieces: their ids with special tokens, segment numbers, and units (or ``NO_UNIT``)."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    units: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pieces:
    """An encoded input.

    Args:
        windows: several when the input is longer than the limit.
        units: number of units; the pieces of a unit are marked in exactly one window.
    """

    windows: tuple[Window, ...]
    units: int
    features: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of pieces over all windows."""
        return sum(len(window.ids) for window in self.windows)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The special tokens around one or two segments: ``before A [between B] after``.

    Args:
        types: segment numbers of the three groups of special tokens, of A and of B.
    """

    before: list[int]
    between: list[int]
    after: list[int]
    types: tuple[list[int], list[int], list[int], int, int]

    @property
    def size(self) -> int:
        return len(self.before) + len(self.between) + len(self.after)

    def window(self, first: list[int], units: list[int], second: list[int] | None) -> Window:
        """Add the special tokens and the second segment to a run of pieces with units."""
        tail = [*self.between, *(second or ()), *self.after]
        before, between, after, of_first, of_second = self.types
        types = (*before, *[of_first] * len(first), *between, *[of_second] * len(second or ()), *after)
        return Window(
            (*self.before, *first, *tail), types, (*[NO_UNIT] * len(self.before), *units, *[NO_UNIT] * len(tail))
        )


def encode(tokenizer: Any, read: Input, view: View, limit: int) -> Pieces:
    """Encode one input; see `encode_all`."""
    return encode_all(tokenizer, [read], view, limit)[0]


def encode_all(tokenizer: Any, reads: Sequence[Input], view: View, limit: int) -> list[Pieces]:
    """Encode the inputs of an example; a segment that several inputs share is tokenized once.

    Returns:
        For each input, windows of at most ``limit`` pieces with special tokens, or of the view's limit.
    """
    segments = {id(segment): segment for read in reads for segment in read.segments}
    pieces = {key: _pieces_of_words(tokenizer, segment) for key, segment in segments.items()}
    frames = {number: _frame(tokenizer, number) for number in {len(read.segments) for read in reads}}
    limit = min(limit, view.limit or limit)
    encoded = []
    for read in reads:
        words = [pieces[id(segment)] for segment in read.segments]
        encoded.append(_encoded(frames[len(words)], words, read.features, view, limit))
    return encoded


def _encoded(frame: _Frame, words: list[list[list[int]]], features: tuple[int, ...], view: View, limit: int) -> Pieces:
    second = [piece for word in words[1] for piece in word][: view.second] if len(words) > 1 else None
    if view.units == "sequence":
        return _sequence(frame, [piece for word in words[0] for piece in word], second, limit)
    return Pieces(_words(frame, words[0], second, limit, view.stride), len(words[0]), features)


def _pieces_of_words(tokenizer: Any, words: Sequence[str]) -> list[list[int]]:
    """Return the piece ids of each word; a word that the tokenizer drops gets one unknown piece.

    Tokenizers often put a bare piece of `WORD_STARTS` before a word of an unsegmented script. That piece is left out
    when the word has other pieces.
    """
    if not words:
        return []
    encoded = tokenizer(list(words), is_split_into_words=True, add_special_tokens=False, verbose=False)
    unknown = tokenizer.unk_token_id
    bare = {*tokenizer.convert_tokens_to_ids(list(WORD_STARTS))} - {unknown}
    split: list[list[int]] = [[] for _ in words]
    for piece, word in zip(encoded["input_ids"], encoded.word_ids(), strict=True):
        split[word].append(piece)
    return [[piece for piece in word if piece not in bare] or word or [unknown] for word in split]


def _frame(tokenizer: Any, segments: int) -> _Frame:
    """Return the special tokens and segment numbers of an encoded probe."""
    wanted = {"return_special_tokens_mask": True, "return_token_type_ids": True}
    probe = tokenizer(*[["a"]] * segments, is_split_into_words=True, **wanted)
    ids, types, special = probe["input_ids"], probe["token_type_ids"], probe["special_tokens_mask"]
    inside = [place for place, is_special in enumerate(special) if not is_special]
    first, last = inside[0], inside[-1]
    inner = [place for place in range(first, last) if special[place]]
    groups = range(first), inner, range(last + 1, len(ids))
    before, between, after = ([ids[place] for place in group] for group in groups)
    numbers = [[types[place] for place in group] for group in groups]
    return _Frame(before, between, after, (numbers[0], numbers[1], numbers[2], types[first], types[last]))


def _words(
    frame: _Frame, words: list[list[int]], second: list[int] | None, limit: int, stride: int | None
) -> tuple[Window, ...]:
    second = None if second is None else second[: limit // 2]
    room = limit - frame.size - len(second or ())
    if sum(map(len, words)) > room:
        words = [word[: max(1, room // 2)] for word in words]  # so that every word fits into some window
    ids = [piece for word in words for piece in word]
    owners = [unit for unit, word in enumerate(words) for _ in word]
    spans = _spans(len(ids), room, stride)
    best = _most_central(words, spans)
    windows = []
    for number, (start, end) in enumerate(spans):
        units = [unit if best[unit] == number else NO_UNIT for unit in owners[start:end]]
        windows.append(frame.window(ids[start:end], units, second))
    return tuple(windows)


def _sequence(frame: _Frame, first: list[int], second: list[int] | None, limit: int) -> Pieces:
    """Truncate the longer segment until the input fits, as is usual for classification."""
    segments = [list(first), list(second or ())]
    while sum(map(len, segments)) + frame.size > limit:
        del max(segments, key=len)[-1]
    window = frame.window(segments[0], [NO_UNIT] * len(segments[0]), None if second is None else segments[1])
    return Pieces((Window(window.ids, window.types, (0, *window.units[1:])),), 1)


def _spans(pieces: int, room: int, stride: int | None) -> list[tuple[int, int]]:
    """Cut ``range(pieces)`` into windows of ``room`` that begin a stride apart, at most half of the room."""
    if pieces <= room:
        return [(0, pieces)]
    half = max(1, room // 2)
    starts = range(0, pieces - room, min(half, stride or half))
    return [(start, start + room) for start in starts] + [(pieces - room, pieces)]


def _most_central(words: list[list[int]], spans: list[tuple[int, int]]) -> list[int]:
    """Return for each word the window that holds all its pieces with most context on the shorter side."""
    if len(spans) == 1:
        return [0] * len(words)
    best = []
    start = 0
    for word in words:
        end = start + len(word)
        inside = [(min(start - a, b - end), -number) for number, (a, b) in enumerate(spans) if a <= start and end <= b]
        best.append(-max(inside)[1])
        start = end
    return best
