"""Repair the words, multiword tokens and sentence ends of an example, and keep its annotation.

See `fewshot.corpora.documents.retokenize` for what becomes of annotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fewshot.corpora.documents import model
from fewshot.corpora.documents.diff import Change, diff
from fewshot.corpora.documents.retokenize import Range, moved_entities, rewrite, without_cycles
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.tokenization.edited import are_edited, edited_columns
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.tokenization.sentences import set_ends
from fewshot.corpora.types import UNANNOTATED, Record, Sentence, ranges_of
from fewshot.errors import CorpusError

MAX_GROWTH, EXTRA_CHARACTERS = 4, 100
"""Limit for new words: this many times the length of the text, plus this many characters."""


def retokenized(
    sentence: Sentence, words: Sequence[str], ranges: Sequence[Range], ends: Sequence[int] = (), joined: int = 0
) -> Sentence:
    """Return the sentence with other words, multiword tokens and ends, joined with following sentences.

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
    before = to_model(sentence)
    change = diff(before.words, words)
    made = rewrite(before, words, ranges, change)
    origin = sentence.record and (sentence.record.origin or sentence.record)
    edited = {
        name: [any(old[word] for word in group) for group in change.sources]
        for name, old in are_edited(sentence).items()
    }
    stand_after = {last for old, last in zip(sentence.nodes, change.lasts, strict=False) if old is not None}
    stand_after |= {0} if sentence.nodes and sentence.nodes[0] is not None else set()
    edited["nodes"] = [word in stand_after for word in range(len(words))]  # not after the first part of a split word
    columns = edited_columns(made, edited)  # before a cycle is opened, which removes the arc that edits refer to
    made = without_cycles(made, change)
    columns |= _new_columns(sentence, made, change)
    new = replace(sentence, words=words, ends=(), record=Record.of(made), interlinear=None, **columns)
    return replace(new, record=Record.of(to_model(new), origin))


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


def _new_columns(sentence: Sentence, made: model.ConlluSentence, change: Change) -> dict[str, Any]:
    """Return the columns of the new words."""
    tops = [group[0] if group else None for group in change.sources]
    whole = [kept or len(group) > 1 for kept, group in zip(change.kept, change.sources, strict=True)]

    def column(values: Sequence[str], kept: Sequence[bool]) -> tuple[str, ...]:
        rows = zip(tops, kept, strict=True)
        return tuple(UNANNOTATED if top is None or not same else values[top] for top, same in rows) if values else ()

    return {
        "upos": tuple(word.upos for word in made.words),
        "heads": tuple(word.head for word in made.words),
        "deprels": tuple(word.deprel for word in made.words),
        "lemmas": column(sentence.lemmas, change.kept),
        "xpos": column(sentence.xpos, whole),
        "feats": column(sentence.feats, whole),
        "entities": moved_entities(sentence.entities, change),
    }
