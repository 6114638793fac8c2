"""Tags of an ELAN file: the annotations of a tag tier by word."""

from __future__ import annotations

from fewshot.corpora.formats.eaf.tiers import EafAnnotation, Tier, Transcript


def tag_tier(transcript: Transcript, words: Tier, name: str) -> Tier | None:
    """Return the tier of tags (`UPOS` or `GUESS`) of a word tier; it is timed only if the words are."""
    children = transcript.children(words.id)
    return next((tier for tier in children if tier.tags == name and tier.is_timed <= words.is_timed), None)


def annotations_of_tags(transcript: Transcript, words: Tier, name: str) -> dict[str, list[EafAnnotation]]:
    """Return the annotations of a tag tier (`UPOS` or `GUESS`) by word id.

    A word has the annotations with a value (several are a fault), or else those without.
    """
    tier = tag_tier(transcript, words, name)
    groups = transcript.below(tier, words.annotations) if tier else {}
    return {word: [annotation for annotation in group if annotation.value] or group for word, group in groups.items()}


def tags_of(transcript: Transcript, words: Tier, name: str) -> dict[str, str]:
    """Return the tag of each word with exactly one, by word id."""
    groups = annotations_of_tags(transcript, words, name)
    return {word: group[0].value for word, group in groups.items() if len(group) == 1 and group[0].value}
