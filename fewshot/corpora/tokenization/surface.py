"""Surface tokens of a sentence: its multiword tokens, and the words outside them."""

from __future__ import annotations

from fewshot.corpora.offsets import places
from fewshot.corpora.types import Sentence


def surface_tokens(sentence: Sentence) -> list[tuple[int, str]]:
    """Return the number of words and the form of each surface token."""
    if sentence.source is None:
        return [(1, word) for word in sentence.words]
    lasts = [0, *(last for last, _ in sentence.source.surface)]
    return [(last - before, token.form) for before, (last, token) in zip(lasts, sentence.source.surface, strict=False)]


def word_places(sentence: Sentence, text: str) -> list[tuple[int, int]]:
    """Return the position of each word in a text (for a multiword token, of the whole); empty on mismatch."""
    tokens = surface_tokens(sentence)
    positions = places(text, [form for _, form in tokens]) or ()
    return [place for place, (words, _) in zip(positions, tokens, strict=False) for _ in range(words)]
