"""Find the tiers of an ELAN file that hold words."""

from __future__ import annotations

from pathlib import Path

from fewshot.corpora.formats.eaf.tiers import ASSOCIATED, Tier, Transcript, named
from fewshot.errors import CorpusError, listed

WORDS = named("words?", "wrds?", "wds?", "tokens?", "tok", "tx", "mots?", "palabras?", "wort")


def word_tiers(transcript: Transcript, path: str | Path) -> list[Tier]:
    """Return the tiers of words: dividing tiers with a name for words, else all dividing tiers.

    Of several tiers above each other, the first one without phrases has the words: phrases are above, morphs below.

    Raises:
        CorpusError: when there is none, with the names of the tiers.
    """
    tiers = transcript.tiers
    dividing = [
        tier
        for tier in tiers.values()
        if tier.parent in tiers and tier.constraint not in ("", ASSOCIATED) and not tier.tags
    ]
    candidates = [tier for tier in dividing if tier.is_called(WORDS)] or dividing
    named_below = {tier.parent for tier in candidates if WORDS.search(tier.name)}  # other tiers only have the same type
    candidates = [tier for tier in candidates if WORDS.search(tier.name) or tier.parent not in named_below]
    above = {name for tier in candidates for name in transcript.above(tier)}
    words = {tier.id for tier in candidates if tier.id not in above or not _has_phrases(tier)}
    candidates = [tier for tier in candidates if tier.id in words and words.isdisjoint(transcript.above(tier))]
    if not candidates:
        known = listed([f"{tier.id} ({tier.type})" for tier in tiers.values()]) or "none"
        message = f"no tier divides sentences into words; make one in ELAN (Tier > Tokenize Tier). Tiers are: {known}"
        raise CorpusError(message, path)
    return candidates


def _has_phrases(tier: Tier) -> bool:
    """Return whether more than a third of the annotations of a tier have spaces."""
    values = [annotation.value for annotation in tier.annotations if annotation.value]
    return 3 * sum(" " in value for value in values) > len(values)
