"""Report unreadable parts of an ELAN file, such as sentences without words or tags without a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from fewshot.corpora import upos
from fewshot.corpora.formats.eaf.tags import annotations_of_tags, tag_tier
from fewshot.corpora.formats.eaf.tiers import GUESS, UPOS, VALUE, Tier, Transcript, named
from fewshot.errors import listed

CATEGORIES = named("pos", "ps")
"""Names of tiers with the categories of words or morphs."""

Fault: TypeAlias = tuple[int, str]
"""A line of the file, and the error message."""


def faults(transcript: Transcript, tiers: Sequence[Tier]) -> Iterator[Fault]:
    """Yield the faults of tiers of words and of tags."""
    for words in tiers:
        yield from _of_words(transcript, words)
        for name in (UPOS, GUESS):
            yield from _of_tags(transcript, words, name)
    yield from _of_sentence_tiers(transcript, tiers)
    yield from _of_tag_tiers(transcript, tiers)


def _of_words(transcript: Transcript, words: Tier) -> Iterator[Fault]:
    sentences = transcript.tiers[words.parent].annotations
    below = transcript.below(words, sentences)
    for sentence in sentences:
        if sentence.value and not any(word.value for word in below.get(sentence.id, ())):
            yield sentence.outer.line, f"a sentence without words on the tier {words.id!r}; divide it in ELAN"
    placed = {word.id for sentence in sentences for word in below.get(sentence.id, ())}
    for word in words.annotations:
        written = word.element.first(VALUE)
        if not word.value and written and written.text.strip(" \t\r\n"):
            yield word.outer.line, f"a word of spaces on the tier {words.id!r}; write its letters, or remove it"
        elif word.value and word.id not in placed and not transcript.lost(word):
            yield word.outer.line, f"the word {word.value!r} is in no sentence; move it into one, or remove it"


def _of_tags(transcript: Transcript, words: Tier, name: str) -> Iterator[Fault]:
    tier = tag_tier(transcript, words, name)
    tags = annotations_of_tags(transcript, words, name)
    read = {tag.id for word in words.annotations if word.value for tag in tags.get(word.id, ())}
    for tag in tier.annotations if tier else ():
        if tag.value and tag.id not in read and not transcript.lost(tag):
            yield tag.outer.line, f"the tag {tag.value!r} belongs to no word; move it to a word, or remove it"
    for _, *others in tags.values():
        for tag in others:
            if tag.value and tag.id in read:
                yield tag.outer.line, f"a second tag of a word, {tag.value!r}; remove one of them"


def _of_sentence_tiers(transcript: Transcript, tiers: Sequence[Tier]) -> Iterator[Fault]:
    """Yield tiers without words, if a tier of another speaker with the same type and name has words."""
    divided = {tier.parent for tier in tiers}
    kinds = {_kind(transcript.tiers[name]) for name in divided}
    for tier in transcript.tiers.values():
        if "@" in tier.id and _kind(tier) in kinds and tier.id not in divided and _has_values(tier):
            yield tier.element.line, f"no tier divides the sentences of {tier.id!r} into words; make one in ELAN"


def _of_tag_tiers(transcript: Transcript, tiers: Sequence[Tier]) -> Iterator[Fault]:
    read = {tags.id for words in tiers for name in (UPOS, GUESS) if (tags := tag_tier(transcript, words, name))}
    where = listed([words.id for words in tiers])
    for tier in transcript.tiers.values():
        above = transcript.tiers.get(tier.parent)
        if tier.tags and tier.id not in read and _has_values(tier) and not (above and above.tags):
            message = f"the tags of the tier {tier.id!r} are not read; associate one tier of tags with {where} in ELAN"
            yield tier.element.line, message
        values = {annotation.value for annotation in tier.annotations} - {""}
        if not read and values and values <= {*upos.UPOS} and tier.is_called(CATEGORIES):
            yield tier.element.line, f"the tier {tier.id!r} holds UPOS, which is read from a tier {UPOS!r}; rename it"


def _kind(tier: Tier) -> tuple[str, str]:
    return tier.type, tier.name


def _has_values(tier: Tier) -> bool:
    return any(annotation.value for annotation in tier.annotations)
