"""Interlinear data of an ELAN file: glosses and morphs of words, translations and notes of sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fewshot.corpora.formats.eaf.tiers import ASSOCIATED, Tier, Transcript, named

GLOSSES = named("gloss(?:es)?", "gls", "gl", "ge", "gw")
TRANSLIT = named("translit(?:eration)?", "ipa", "phon(?:etic)?")
COMMENTS = {
    "literal": named("lit(?:eral)?", "lt"),
    "note": named("notes?", "nt", "comments?"),
    "text": named("free", r"transl\w*", "ft", "fte", "english", "gloss", "gls"),
}
"""CoNLL-U comment keys for tiers of a sentence, with the tier names."""


def glosses_of(transcript: Transcript, words: Tier) -> dict[str, dict[str, str]]:
    """Return the values associated with each word, else with its morphs."""
    values: dict[str, dict[str, str]] = {}
    for tier in sorted(transcript.children(words.id), key=lambda tier: tier.constraint != ASSOCIATED):
        if tier.tags:
            continue
        if tier.constraint == ASSOCIATED:
            key = "Gloss" if tier.is_called(GLOSSES) else "Translit" if tier.is_called(TRANSLIT) else ""
            for annotation in tier.annotations if key else ():
                if annotation.value:
                    values.setdefault(annotation.parent, {}).setdefault(key, annotation.value)
            continue
        glosses = {
            annotation.parent: annotation.value
            for child in transcript.children(tier.id)
            if child.constraint == ASSOCIATED and child.is_called(GLOSSES)
            for annotation in child.annotations
        }
        for word, morphs in transcript.below(tier, words.annotations).items():
            forms = [morph.value for morph in morphs]
            mine = values.setdefault(word, {})
            if gloss := _join_morphs([glosses.get(morph.id, "") for morph in morphs]):
                mine.setdefault("Gloss", gloss)
            if len(forms) > 1:
                mine.setdefault("MSeg", _join_morphs(forms))
    return values


def _join_morphs(values: Sequence[str]) -> str:
    return re.sub(r"-*([-=])-*", r"\1", "-".join(value for value in values if value))


def comments_of(transcript: Transcript, words: Tier) -> dict[str, dict[str, str]]:
    """Return the values associated with each sentence, or with the annotation that it is associated with."""
    comments: dict[str, dict[str, str]] = {}
    sentences = transcript.tiers[words.parent]
    owners = {annotation.id: annotation.id for annotation in sentences.annotations}
    if sentences.constraint == ASSOCIATED:
        owners |= {annotation.parent: annotation.id for annotation in sentences.annotations}
    for tier in (*transcript.children(sentences.id), *transcript.children(sentences.parent)):
        name = next((name for name, called in COMMENTS.items() if tier.is_called(called)), None)
        if name and tier.constraint == ASSOCIATED:
            for annotation in tier.annotations:
                if annotation.value and annotation.parent in owners:
                    mine = comments.setdefault(owners[annotation.parent], {})
                    mine.setdefault(f"{name}_{_language(tier)}", annotation.value)
    return comments


def _language(tier: Tier) -> str:
    """Return the language of a tier: as the file says, or from its FLEx name (``A_phrase-gls-en``)."""
    named = re.search(r"-(?:gls|lit|note)-([a-z]{2,3}(?:-\w+)*)", tier.id)
    return tier.lang or (named[1] if named else "und")
