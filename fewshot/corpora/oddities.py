"""What is odd in sentences that can be read: a warning each, so that a mistake is seen before people annotate."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from fewshot.corpora.formats import conllu, jsonl_shapes
from fewshot.corpora.formats.text import is_visible
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import listed


def oddities(examples: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, what is odd and what to do) for the sentences of one file, in order."""
    yield from jsonl_shapes.oddities(examples)
    composed = decomposed = ""
    for sentence in examples:
        if not isinstance(sentence, Sentence):
            continue
        for word in sentence.words:
            if not is_visible(word):
                yield sentence.where, f"the word {word!a} is invisible; remove it, or write its characters"
        yield from _comments(sentence)
        text = "".join(sentence.words)
        composed = composed or ("" if unicodedata.is_normalized("NFD", text) else sentence.where)
        decomposed = decomposed or ("" if unicodedata.is_normalized("NFC", text) else sentence.where)
    if composed and decomposed:
        said = "accents are characters of their own here (NFD), and part of their letters"
        yield decomposed, f"{said} at {composed} (NFC); use one form"


def untagged(sentences: Sequence[Sentence]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, which words have no UPOS) of sentences with trees; of a file without any tag once."""
    trees = [sentence for sentence in sentences if any(head >= 0 for head in sentence.heads)]
    if trees and all(set(sentence.upos) <= {UNANNOTATED} for sentence in trees):
        yield trees[0].where, "no word has a UPOS, which treebanks of UD have"
        return
    for sentence in trees:
        rows = enumerate(zip(sentence.words, sentence.upos, strict=True), start=1)
        names = [f"{word!r} (word {number})" for number, (word, tag) in rows if tag == UNANNOTATED]
        if names:
            yield sentence.where, f"without UPOS: {listed(names, 3)}; give it one, as the other words have"


def _comments(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield what is odd in the comments of a sentence of CoNLL-U."""
    file, _, first = sentence.where.rpartition(":")
    above = list(conllu.comments_above(sentence.lines))
    named = [line for line in above if conllu.SENT_ID.match(line)]
    if len(named) > 1:
        yield sentence.where, "two sent_id comments; keep one"
    words = conllu.text_of_forms(sentence.lines)
    if any(line.partition("=")[0].strip("\ufeff# ") == "text" for line in above) and not _same(sentence.text, words):
        yield sentence.where, f"'# text' differs from what the forms make: {words[:60]!r}"
    behind = max((place for place, line in enumerate(sentence.lines) if conllu.is_word(line)), default=0)
    for place, line in enumerate(sentence.lines[behind:], start=behind):
        if line.startswith("#"):
            message = "a comment behind the words of a sentence is not read; move it above a sentence"
            yield f"{file}:{int(first) + place}", message


def _same(one: str, other: str) -> bool:
    """Return whether two texts are equal but for the number and kind of spaces."""
    return one.split() == other.split()
