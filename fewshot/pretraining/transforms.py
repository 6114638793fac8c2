"""Changes to a corpus that control what two languages share (Karthikeyan et al. 2020, section 3.2).

A transform maps the sentences of a language to new sentences. The settings name transforms ``"fake"``,
``"permute-0.25"``, ``"unigram"`` or ``"mark-es"``; several are applied in order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce

from fewshot.errors import FewshotError

Transform = Callable[[Sequence[str]], list[str]]

SHIFT = 0x17000
"""Distance to the Tangut block, whose letters occur in no corpus here and are kept by tokenizers."""

LAST_SHIFTED = 0x17F7
"""Last code point that the shift maps to a Tangut ideograph."""


def fake(sentences: Sequence[str]) -> list[str]:
    """Shift every character by a constant, so that a real language shares no character (section 3.2.1).

    Characters beyond U+17F7, in English a few typographic signs, are removed.
    """
    return ["".join(_shifted(character) for character in sentence) for sentence in sentences]


def permute(share: float, seed: int = 0) -> Transform:
    """Return a transform that swaps a share of all pairs of words in a sentence (section 3.2.2)."""

    def change(sentences: Sequence[str]) -> list[str]:
        rng = random.Random(seed)
        changed = []
        for sentence in sentences:
            words = sentence.split()
            pairs = [(a, b) for b in range(len(words)) for a in range(b)]
            for a, b in rng.sample(pairs, round(share * len(pairs))):
                words[a], words[b] = words[b], words[a]
            changed.append(" ".join(words))
        return changed

    return change


def unigram(seed: int = 0) -> Transform:
    """Return a transform that keeps only sentence lengths and word frequencies (section 3.2.3)."""

    def change(sentences: Sequence[str]) -> list[str]:
        rng = random.Random(seed)
        counts = Counter(word for sentence in sentences for word in sentence.split())
        words, weights = list(counts), list(counts.values())
        lengths = [len(sentence.split()) for sentence in sentences]
        drawn = iter(rng.choices(words, weights, k=sum(lengths)) if words else ())
        return [" ".join(next(drawn) for _ in range(length)) for length in lengths]

    return change


def mark(lang: str) -> Transform:
    """Return a transform that puts the language code before each sentence (section 3.4.2)."""
    return lambda sentences: [f"[{lang}] {sentence}" for sentence in sentences]


def named(name: str, seed: int = 0) -> Transform:
    """Return the transform with a name; `FewshotError` for an unknown name."""
    kind, _, value = name.partition("-")
    if kind == "fake" and not value:
        return fake
    if kind == "unigram" and not value:
        return unigram(seed)
    if kind == "mark" and value:
        return mark(value)
    if kind == "permute" and _is_share(value):
        return permute(float(value), seed)
    raise FewshotError(
        f"unknown transform {name!r}; choose fake, unigram, mark-LANG, or permute-SHARE with SHARE in 0..1"
    )


def apply(names: Sequence[str], sentences: Sequence[str], seed: int = 0) -> list[str]:
    """Apply the named transforms in order."""
    return reduce(lambda texts, name: named(name, seed)(texts), names, list(sentences))


def _shifted(character: str) -> str:
    if character.isspace():
        return character
    return chr(ord(character) + SHIFT) if ord(character) <= LAST_SHIFTED else ""


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False
