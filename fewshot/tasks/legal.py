"""Validation of dependency arcs: heads, roots and cycles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks.base import Problem

Fault: TypeAlias = tuple[int | None, str]
"""Number of the faulty word, if there is one, and a message."""


def annotated(example: Sentence) -> list[bool]:
    """Return which words have both a head and a relation; the other words are neither learned nor scored."""
    pairs = zip(example.heads, example.deprels, strict=True)
    return [head >= 0 and relation != UNANNOTATED for head, relation in pairs]


def quoted(example: Sentence, number: int) -> str:
    """Return a word and its number, for messages."""
    return f"{example.words[number - 1]!r} (word {number})"


def arcs(example: Sentence) -> list[tuple[int, int, str]]:
    """Return word, head and relation of each annotated word."""
    rows = zip(annotated(example), example.heads, example.deprels, strict=True)
    return [(number, head, relation) for number, (both, head, relation) in enumerate(rows, start=1) if both]


def missing_arcs(example: Sentence) -> Iterator[Problem]:
    """Yield each word without head or relation."""
    for number, (head, relation) in enumerate(zip(example.heads, example.deprels, strict=True), start=1):
        if head < 0:
            yield Problem("error", f"{quoted(example, number)} has no head; choose a word, or make it the root", number)
        elif relation == UNANNOTATED:
            yield Problem("error", f"{quoted(example, number)} has no relation to its head; choose one", number)


def wrong_heads(example: Sentence) -> Iterator[Fault]:
    """Yield each word whose head is no word of the sentence."""
    for word, head, _ in arcs(example):
        if head > len(example.words):
            size = len(example.words)
            yield word, f"head {head} of {quoted(example, word)} is not a word of this sentence (0-{size})"


def wrong_roots(example: Sentence) -> Iterator[Fault]:
    """Yield the second of several roots of a sentence, or a fault if a complete tree has no root."""
    known = annotated(example)
    for first, last in example.sentences:
        roots = [word for word in range(first, last + 1) if known[word - 1] and example.heads[word - 1] == 0]
        if len(roots) > 1:
            names = " and ".join(quoted(example, word) for word in roots)
            yield roots[1], f"{names} all have head 0; a sentence has one root: attach the others to it"
        if not roots and all(known[first - 1 : last]):
            names = f"{quoted(example, first)} to {quoted(example, last)}"
            yield None, f"no word has head 0; give one of {names} head 0"


def heads_elsewhere(example: Sentence) -> Iterator[Fault]:
    """Yield each word whose head is in another sentence."""
    for word, head, _ in arcs(example):
        if head > 0 and any(min(word, head) <= end < max(word, head) for end in example.ends):
            pair = f"{quoted(example, head)} and {quoted(example, word)}"
            yield word, f"a sentence ends between {pair}; attach {quoted(example, word)} to a word of its own sentence"


def cycles(example: Sentence) -> Iterator[Fault]:
    """Yield a word of each cycle."""
    heads = {word: head for word, head, _ in arcs(example)}
    done: set[int] = set()
    for word in heads:
        way: list[int] = []
        while word in heads and word not in done:
            done.add(word)
            way.append(word)
            word = heads[word]
        if way and word == way[-1]:
            yield word, f"{quoted(example, word)} is its own head; attach it to another word"
        elif word in way:
            names = [quoted(example, number) for number in (*way[way.index(word) :], word)]
            yield word, f"{' -> '.join(names)} is a cycle of heads; attach one of them to a word outside it"
