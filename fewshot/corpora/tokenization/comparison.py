"""Compare two annotations of one text with different tokenizations, on units that both share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from fewshot.corpora.documents.alignment import aligned, blocks
from fewshot.corpora.iob import moved
from fewshot.corpora.types import Sentence


def map_words(old: Sequence[str], new: Sequence[str]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the old word of each new word, and the new position of each old word's dependents.

    Args:
        old: at least one word.
        new: at least one word of the same text; one of the two may be longer.

    Returns:
        Indices from 0: new word to old word, only for unchanged words; and old word to the new word that it is or
        begins with, if any.
    """
    least = min(len(old), len(new))
    if len(old) != len(new) and list(old[:least]) == list(new[:least]):
        alike = {word: word for word in range(least)}
        return alike, alike
    runs = list(blocks(aligned(old, new)))
    same = {news[0]: olds[0] for olds, news in runs if len(olds) == len(news) == 1}
    return same, {word: news[0] for olds, news in runs for word in olds}


def keep_shared_words(first: Sentence, second: Sentence) -> tuple[Sentence, Sentence]:
    """Return both sentences reduced to the words that both have, aligned by characters.

    A head outside the shared words gets a number after the last word, the same for the same characters.
    """
    runs = list(blocks(aligned(first.words, second.words)))
    both = [run for run in runs if len(run[0]) == len(run[1]) == 1]
    numbered = [*both, *(run for run in runs if run not in both)]

    def on_shared(sentence: Sentence, side: int) -> Sentence:
        numbers = {word + 1: number for number, run in enumerate(numbered, start=1) for word in run[side]}
        kept = [run[side][0] for run in both]
        heads = tuple(numbers.get(sentence.heads[word], sentence.heads[word]) for word in kept)

        def column(values: Sequence[str]) -> tuple[str, ...]:
            return tuple(values[word] for word in kept) if values else ()

        names = ("words", "upos", "deprels", "entities", *Sentence.asked)
        columns: dict[str, Any] = {name: column(getattr(sentence, name)) for name in names}
        return Sentence(sentence.id, sentence.text, heads=heads, **columns)

    return on_shared(first, 0), on_shared(second, 1)


def cut_into_common_pieces(first: Sentence, second: Sentence) -> tuple[Sentence, Sentence]:
    """Return both sentences cut at all word ends of either, with only their entities.

    Words with different letters (``al`` and ``a el``) are one piece, whose entities are those of a merged word, see
    `fewshot.corpora.iob.moved`.
    """
    words: list[str] = []
    places: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
    for run in blocks(aligned(first.words, second.words)):
        sides = [[sentence.words[word] for word in side] for sentence, side in zip((first, second), run, strict=True)]
        texts = ["".join("".join(side).split()) for side in sides]
        ends = [[*accumulate(len("".join(form.split())) for form in side)] for side in sides]
        cuts = sorted({*ends[0], *ends[1]}) if texts[0] == texts[1] else [len(texts[0])]
        for own, made in zip(ends, places, strict=True):
            if texts[0] == texts[1]:
                bounds = [len(words), *(len(words) + cuts.index(end) + 1 for end in own)]
                made += pairwise(bounds)
            else:
                made += [(len(words), len(words) + 1)] * len(own)
        words += [texts[0][start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    pieces = (
        Sentence(sentence.id, sentence.text, tuple(words), entities=moved(sentence.entities, made))
        for sentence, made in zip((first, second), places, strict=True)
    )
    return next(pieces), next(pieces)
