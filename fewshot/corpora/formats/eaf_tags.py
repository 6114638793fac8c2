"""Tags of an ELAN file: the annotations of a tier of tags by their words."""

from __future__ import annotations

from fewshot.corpora.formats.eaf_tiers import Annotation, Tier, Transcript


def tag_tier(transcript: Transcript, words: Tier, name: str) -> Tier | None:
    """Return the tier of tags of a tier of words: `UPOS` or `GUESS`; tags have times only where their words have."""
    children = transcript.children(words.id)
    return next((tier for tier in children if tier.tags == name and tier.is_timed <= words.is_timed), None)


def annotations_of_tags(transcript: Transcript, words: Tier, name: str) -> dict[str, list[Annotation]]:
    """Return the annotations of a tier of tags, by the ids of their words.

    Args:
        name: `UPOS` or `GUESS`.

    Returns:
        For each word the annotations that have a value; several are a fault. Where none has, those without.
    """
    tier = tag_tier(transcript, words, name)
    found = transcript.below(tier, words.annotations) if tier else {}
    return {word: [one for one in group if one.value] or group for word, group in found.items()}


def tags_of(transcript: Transcript, words: Tier, name: str) -> dict[str, str]:
    """Return the tags of the words that have one, by their ids."""
    found = annotations_of_tags(transcript, words, name)
    return {word: group[0].value for word, group in found.items() if len(group) == 1 and group[0].value}
