"""Surface tokens of a sentence: its multiword tokens, and the words outside them."""

from __future__ import annotations

from fewshot.corpora.offsets import places
from fewshot.corpora.types import Sentence, ranges_of


def surface_tokens(sentence: Sentence) -> list[tuple[int, str]]:
    """Return the number of words and the form of each surface token."""
    whole = {first: (last, form) for first, last, form in ranges_of(sentence)}
    tokens: list[tuple[int, str]] = []
    word = 1
    while word <= len(sentence.words):
        last, form = whole.get(word, (word, sentence.words[word - 1]))
        tokens.append((last - word + 1, form))
        word = last + 1
    return tokens


def word_places(sentence: Sentence, text: str) -> list[tuple[int, int]]:
    """Return the position of each word in a text (for a multiword token, of the whole); empty on mismatch."""
    tokens = surface_tokens(sentence)
    positions = places(text, [form for _, form in tokens]) or ()
    return [place for place, (words, _) in zip(positions, tokens, strict=False) for _ in range(words)]
