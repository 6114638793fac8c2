"""The text around hits and around words that change."""

from __future__ import annotations

from collections.abc import Sequence

from fewshot.corpora.offsets import lay_out
from fewshot.corpora.patterns.expressions import first_letters, last_letters
from fewshot.corpora.types import Sentence

CONTEXT = 60
"""Letters shown before and after a hit."""


def bracketed(sentence: Sentence, words: Sequence[int]) -> str:
    """Return the text around some words of a sentence, with brackets around each run of them."""
    text, places = lay_out(sentence)
    spans: list[list[int]] = []
    for word in words:
        if word - 1 in words and spans:
            spans[-1][1] = places[word - 1][1]
        else:
            spans.append([*places[word - 1]])
    before, after = around(text, spans[0][0], spans[-1][1])
    ends = [*(start for start, _ in spans[1:]), spans[-1][1]]
    inside = (
        f"⟦{text[start:end]}⟧{text[end:next_start]}" for (start, end), next_start in zip(spans, ends, strict=True)
    )
    return before + "".join(inside) + after


def around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return some text before and after a place, in whole letters."""
    before, after = last_letters(text[:start], CONTEXT), first_letters(text[end:], CONTEXT)
    before = ("…" if len(before) < start else "") + before
    after += "…" if end + len(after) < len(text) else ""
    return before.replace("\n", " "), after.replace("\n", " ")
