"""What becomes of the words of a sentence when it gets other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewshot.corpora.documents.alignment import aligned, blocks
from fewshot.corpora.documents.model import Word


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of the words of a sentence; indices from 0.

    Args:
        targets: for each old word, the new word that gets its annotation and its dependents.
        lasts: for each old word, the last new word made of it.
        sources: for each new word, the old words whose annotation it gets, most important first; empty for a later part
            of a split word.
        kept: for each new word, whether it is one unchanged old word, neither split nor merged.
    """

    targets: list[int]
    lasts: list[int]
    sources: list[list[int]]
    kept: list[bool]


def diff(words: Sequence[Word], forms: Sequence[str]) -> Change:
    """Return what becomes of words when a sentence gets other forms, aligned by characters."""
    alignment = aligned([word.form for word in words], forms)
    targets: list[int] = []
    lasts: list[int] = []
    kept: list[bool] = []
    parts: list[list[int]] = [[] for _ in words]
    for new, partners in enumerate(alignment):
        for old in partners:
            parts[old].append(new)
    for olds, news in blocks(alignment):
        same = len(olds) == len(news)
        targets += news if same else [parts[old][0] for old in olds]
        lasts += news if same else [parts[old][-1] for old in olds]
        kept += [same] * len(news)
    groups: list[list[int]] = [[] for _ in forms]
    for old, target in enumerate(targets):
        groups[target].append(old)
    heads = [word.head for word in words]
    return Change(targets, lasts, [_top_first(heads, group) for group in groups], kept)


def _top_first(heads: Sequence[int], group: list[int]) -> list[int]:
    """Put the word nearest to the root first; words whose head is open or in the group come last."""

    def rank(word: int) -> tuple[bool, int]:
        return heads[word] < 0 or heads[word] - 1 in group, _depth(heads, word)

    return sorted(group, key=rank) if len(group) > 1 else group


def _depth(heads: Sequence[int], word: int) -> int:
    """Return the number of steps from a word to the root, an open head or around a cycle."""
    seen: set[int] = set()
    while word not in seen:
        seen.add(word)
        if not 0 < heads[word] <= len(heads):
            break
        word = heads[word] - 1
    return len(seen)
