"""Repair tokenization: change words, multiword tokens and sentence ends, and keep the annotation.

An unchanged word keeps every column. The first part of a split word keeps its annotation and dependents; the other
parts stay open, so that annotators see what is missing. A merged word gets the annotation of its part nearest to the
root. Lemmas of split and merged words become open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fewshot.corpora.tokenization.alignment import Change, aligned, blocks
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.tokenization.lines import (
    NO_SPACE,
    Range,
    are_changed,
    changed_in,
    comments_of,
    lemmas_of,
    lines_of,
    misc_of,
    nodes_of,
    ranges_of,
    rewrite,
    words_of,
)
from fewshot.corpora.tokenization.sentences import separated, set_ends
from fewshot.corpora.types import UNANNOTATED, Record, Sentence
from fewshot.errors import CorpusError

__all__ = [
    "NO_SPACE", "Range", "aligned", "comments_of", "lemmas_of", "misc_of", "named", "nodes_of", "ranges_of",
    "retokenized", "separated", "words_of",
]  # fmt: skip

MAX_GROWTH, EXTRA_CHARACTERS = 4, 100
"""Limit for new words: this many times the length of the text, plus this many characters."""


def retokenized(
    sentence: Sentence, words: Sequence[str], ranges: Sequence[Range], ends: Sequence[int] = (), joined: int = 0
) -> Sentence:
    """Return the sentence with other words, multiword tokens and ends, joined with following sentences.

    CoNLL-U lines are rewritten: comments stay; heads, DEPS and ids are renumbered; empty nodes stay after their word;
    SpaceAfter is set anew from the text. A head that would close a cycle becomes open.

    Args:
        words: all syntactic words, in order.
        ranges: all multiword tokens, in any order.
        ends: numbers of words that end a sentence before the last, see `set_ends`.
        joined: number of following sentences that are part of this one, see `with_following`.

    Raises:
        CorpusError: when there is no word, a form is empty or holds a tab or line break, ranges overlap or leave the
            sentence, a sentence cannot end at a word, or fewer sentences follow.
    """
    sentence = with_following(sentence, joined)
    words, ranges = tuple(words), tuple(sorted((first, last, form) for first, last, form in ranges))
    _check(sentence, words, ranges)
    _check_size(sentence, words, ranges)
    if words == sentence.words and ranges == tuple(ranges_of(sentence)):
        return sentence if tuple(ends) == sentence.ends else set_ends(sentence, ends, ranges)
    return set_ends(_on_words(sentence, words, ranges), ends, ranges)


def named(sentence: Sentence) -> dict[str, Any]:
    """Return the keys by which an annotation stores its repaired words."""
    keys = {"words": list(sentence.words), "ranges": [list(range_) for range_ in ranges_of(sentence)]}
    keys |= {"ends": list(sentence.ends)} if sentence.ends else {}
    return keys | ({"joined": sentence.joined} if sentence.joined else {})


def _on_words(sentence: Sentence, words: tuple[str, ...], ranges: tuple[Range, ...]) -> Sentence:
    _check(sentence, sentence.words, ranges_of(sentence))
    change = _change(sentence, words)
    lines = rewrite(sentence, words, ranges, change)
    origin = sentence.record and (sentence.record.origin or sentence.record)
    record, columns = Record("conllu", lines), _new_columns(sentence, change)
    changed = {
        name: [any(old[word] for word in group) for group in change.sources]
        for name, old in are_changed(sentence).items()
    }
    columns |= changed_in(lines, changed)
    new = replace(sentence, words=words, ends=(), record=record, interlinear=None, **columns)
    return replace(new, record=Record("conllu", tuple(lines_of(new)), origin))


def _check(sentence: Sentence, words: Sequence[str], ranges: Sequence[Range]) -> None:
    where = sentence.where or sentence.id
    if not words:
        raise CorpusError("a sentence without words; keep at least one", where)
    for form in (*words, *(form for _, _, form in ranges)):
        if not form.strip() or any(char in form for char in "\t\r\n"):
            raise CorpusError(f"{form!r} is not a word; write characters without tabs and line breaks", where)
    end = 0
    for first, last, form in ranges:
        if not end < first < last <= len(words):
            raise CorpusError(
                f"multiword token {form!r} is words {first}-{last} of {len(words)}; "
                "it must be two words or more, none of them in another multiword token",
                where,
            )
        end = last


def _check_size(sentence: Sentence, words: Sequence[str], ranges: Sequence[Range]) -> None:
    """Refuse words that are much longer than the sentence: they belong to another text."""
    most = MAX_GROWTH * max(len(sentence.text), sum(map(len, sentence.words))) + EXTRA_CHARACTERS
    size = sum(map(len, words)) + sum(len(form) for _, _, form in ranges)
    if size > most:
        where = sentence.where or sentence.id
        raise CorpusError(
            f"{size:,} characters of words for a sentence with room for {most:,}; enter its own words",
            where,
        )


def _change(sentence: Sentence, words: Sequence[str]) -> Change:
    alignment = aligned(sentence.words, words)
    targets: list[int] = []
    lasts: list[int] = []
    kept: list[bool] = []
    parts: list[list[int]] = [[] for _ in sentence.words]
    for new, partners in enumerate(alignment):
        for old in partners:
            parts[old].append(new)
    for olds, news in blocks(alignment):
        same = len(olds) == len(news)
        targets += news if same else [parts[old][0] for old in olds]
        lasts += news if same else [parts[old][-1] for old in olds]
        kept += [same] * len(news)
    groups: list[list[int]] = [[] for _ in words]
    for old, target in enumerate(targets):
        groups[target].append(old)
    return Change(targets, lasts, [_top_first(sentence.heads, group) for group in groups], kept)


def _top_first(heads: Sequence[int], group: list[int]) -> list[int]:
    """Put the word nearest to the root first; words whose head is open or in the group come last."""

    def rank(word: int) -> tuple[bool, int]:
        return heads[word] < 0 or heads[word] - 1 in group, _depth(heads, word)

    return sorted(group, key=rank)


def _depth(heads: Sequence[int], word: int) -> int:
    """Return the number of steps from a word to the root, an open head or around a cycle."""
    seen: set[int] = set()
    while word not in seen:
        seen.add(word)
        if not 0 < heads[word] <= len(heads):
            break
        word = heads[word] - 1
    return len(seen)


def _new_columns(sentence: Sentence, change: Change) -> dict[str, Any]:
    tops = [group[0] if group else None for group in change.sources]
    heads = [-1 if top is None else _head(sentence.heads[top], change.targets) for top in tops]
    merged = [len(group) > 1 for group in change.sources]
    for word, head in enumerate(heads):
        if merged[word] and head > 0 and _in_cycle(heads, word):
            heads[word] = -1
    deprels = [UNANNOTATED if top is None else sentence.deprels[top] for top in tops]
    broken = [top is not None and head < 0 <= sentence.heads[top] for top, head in zip(tops, heads, strict=True)]

    def column(values: Sequence[str], kept: Sequence[bool]) -> tuple[str, ...]:
        rows = zip(tops, kept, strict=True)
        return tuple(UNANNOTATED if top is None or not same else values[top] for top, same in rows) if values else ()

    whole = [same or is_merged for same, is_merged in zip(change.kept, merged, strict=True)]
    return {
        "upos": column(sentence.upos, [True] * len(tops)),
        "feats": column(sentence.feats, whole),
        "lemmas": column(sentence.lemmas, change.kept),
        "xpos": column(sentence.xpos, whole),
        "heads": tuple(heads),
        "deprels": tuple(UNANNOTATED if open_ else relation for relation, open_ in zip(deprels, broken, strict=True)),
        "entities": tuple(
            _merged_entity([sentence.entities[old] for old in sorted(group)]) for group in change.sources
        ),
    }


def _head(head: int, targets: Sequence[int]) -> int:
    if head > len(targets):
        return -1
    return targets[head - 1] + 1 if head > 0 else head


def _in_cycle(heads: Sequence[int], word: int) -> bool:
    seen: set[int] = set()
    place = heads[word] - 1
    while place >= 0 and place not in seen and place != word:
        seen.add(place)
        place = heads[place] - 1
    return place == word


def _merged_entity(tags: Sequence[str]) -> str:
    return next((tag for tag in tags if tag not in (UNANNOTATED, "O")), tags[0] if tags else UNANNOTATED)
