"""Edit an ELAN file where words get tags, or lose them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from fewshot.corpora.formats.common.markup import Edit, Element, indent, start_tag, write_element
from fewshot.corpora.formats.eaf.tags import annotations_of_tags, tag_tier
from fewshot.corpora.formats.eaf.tiers import (
    ASSOCIATED,
    GUESS,
    SLOT_ATTRIBUTES,
    UPOS,
    VALUE,
    EafAnnotation,
    Tier,
    Transcript,
)
from fewshot.corpora.formats.eaf.words import word_tiers
from fewshot.corpora.types import UNANNOTATED

Tags = Mapping[str, tuple[str, bool]]
"""Tag of each word by id, and whether a model has chosen it."""

VOCABULARY = "CONTROLLED_VOCABULARY_REF"
"""The attribute of a linguistic type with the name of its controlled vocabulary."""

LINK_ATTRIBUTES = ("REF1", "REF2", "REFS")
"""Attributes of links with ids of annotations."""

ENTRY_ATTRIBUTE = "CVE_REF"
"""The attribute of an annotation with the entry of its value in a controlled vocabulary."""

LAST_ID = "lastUsedAnnotationId"
"""The property from which ELAN numbers new annotations."""


def edits(data: bytes, transcript: Transcript, tags: Tags, path: str | Path) -> Iterator[Edit]:
    """Yield the edits for new tags.

    Args:
        data: the file.
        tags: of words; words without an entry keep their tags.
        path: for messages.
    """
    numbers = [int(known[0]) for id in transcript.annotations if (known := re.findall(r"[0-9]{1,15}$", id))]
    highest = max(numbers, default=0)
    ids = count(highest + 1)
    kept = _referenced_ids(transcript)
    vocabularies = [*transcript.root.find("CONTROLLED_VOCABULARY")]
    new: list[str] = []
    for words in word_tiers(transcript, path):
        for name, guessed in ((UPOS, False), (GUESS, True)):
            wanted = {
                word.id: (word, tag)
                for word in words.annotations
                if word.id in tags
                for tag, of_model in [tags[word.id]]
                if tag != UNANNOTATED and of_model == guessed
            }
            tier = tag_tier(transcript, words, name)
            had = annotations_of_tags(transcript, words, name)
            entries = _entries(transcript, tier, vocabularies)
            for annotation, value in _value_changes(had, wanted, tags, guessed):
                if value or annotation.id in kept:
                    yield from _value_edits(annotation, value, entries)
                else:
                    outer = annotation.outer
                    yield outer.start - len(indent(data, outer).encode()), outer.end, ""
            new_tags = (pair for word, pair in wanted.items() if word not in had)
            is_timed = tier is not None and tier.is_timed
            made = [_annotation(f"a{next(ids)}", word, is_timed, tag, entries) for word, tag in new_tags]
            if made and tier:
                yield _append_edit(data, tier.element, made)
            elif made:
                new.append(_new_tier(transcript, words, name, made))
    if new:
        yield from _new_tier_edits(data, transcript, new)
    last = next(ids) - 1
    if last > highest:
        yield from _last_id(transcript, last)


def _referenced_ids(transcript: Transcript) -> set[str]:
    tiers = transcript.tiers.values()
    ids = {id for tier in tiers for annotation in tier.annotations for id in (annotation.parent, annotation.previous)}
    for links in transcript.root.find("REF_LINK_SET"):
        for link in links.children:
            ids.update(id for key in LINK_ATTRIBUTES for id in link.attributes.get(key, "").split())
    return ids


def _entries(transcript: Transcript, tier: Tier | None, vocabularies: Sequence[Element]) -> dict[str, str]:
    """Return the entries of the controlled vocabulary of a tag tier (None: a new tier): ids by value.

    The values are those in the language of the tier. A vocabulary in another file has no entries.
    """
    name, lang = (tier.type, tier.element.attributes.get("LANG_REF")) if tier else (_type(transcript)[0], None)
    type_ = transcript.types.get(name)
    wanted = type_.attributes.get(VOCABULARY) if type_ else None
    ids: dict[str, str] = {}
    for vocabulary in vocabularies:
        if wanted is not None and vocabulary.attributes.get("CV_ID") == wanted:
            for entry in vocabulary.find("CV_ENTRY_ML"):
                values = [*entry.find("CVE_VALUE")]
                localized = [value for value in values if value.attributes.get("LANG_REF") == lang] or values
                if localized and "CVE_ID" in entry.attributes:
                    ids.setdefault(localized[0].text.strip(), entry.attributes["CVE_ID"])
    return ids


def _value_changes(
    had: Mapping[str, Sequence[EafAnnotation]],
    wanted: Mapping[str, tuple[EafAnnotation, str]],
    tags: Tags,
    guessed: bool,
) -> Iterator[tuple[EafAnnotation, str]]:
    """Yield the annotations of a tier that change, with their new values; empty for a removed tag.

    Of several tags of a word one stays, but only after people have decided.
    """
    left = (UNANNOTATED, False) if guessed else None  # an undecided guess
    for word, (annotation, *others) in had.items():
        if word in wanted:
            if annotation.value != wanted[word][1]:
                yield annotation, wanted[word][1]
            yield from ((surplus, "") for surplus in others if surplus.value)
        elif word in tags and annotation.value not in ("", UNANNOTATED) and not others and tags[word] != left:
            yield annotation, ""


def _value_edits(annotation: EafAnnotation, value: str, entries: Mapping[str, str]) -> Iterator[Edit]:
    element, old = annotation.element, annotation.element.first(VALUE)
    start = start_tag(element.tag, _attributes(element.attributes, value, entries))
    new = write_element(VALUE, old.attributes if old else {}, value)
    if element.inner == element.end:  # an empty element
        yield element.start, element.end, f"{start}{new}</{element.tag}>"
        return
    if element.attributes.get(ENTRY_ATTRIBUTE) != entries.get(value):
        yield element.start, element.inner, start
    yield (old.start, old.end, new) if old else (element.inner, element.inner, new)


def _attributes(known: Mapping[str, str], value: str, entries: Mapping[str, str]) -> dict[str, str]:
    """Return the attributes of an annotation with the entry of its value: ELAN shows that of the entry."""
    if value in entries:
        return {**known, ENTRY_ATTRIBUTE: entries[value]}
    return {name: value for name, value in known.items() if name != ENTRY_ATTRIBUTE}


def _annotation(name: str, word: EafAnnotation, is_timed: bool, tag: str, entries: Mapping[str, str]) -> str:
    kind, place = "REF_ANNOTATION", {"ANNOTATION_REF": word.id}
    if is_timed and word.stretch:
        kind, place = "ALIGNABLE_ANNOTATION", {slot: word.element.attributes[slot] for slot in SLOT_ATTRIBUTES}
    start = start_tag(kind, _attributes({"ANNOTATION_ID": name, **place}, tag, entries))
    return (
        f"        <ANNOTATION>\n            {start}\n                {write_element(VALUE, {}, tag)}\n"
        f"            </{kind}>\n        </ANNOTATION>\n"
    )


def _append_edit(data: bytes, tier: Element, made: Sequence[str]) -> Edit:
    if tier.outer == tier.end:  # an empty element
        return tier.start, tier.end, _filled(tier.attributes, made)
    space = data[tier.inner : tier.outer]
    return tier.outer - (len(space) - len(space.rstrip())), tier.outer, "\n" + "".join(made) + "    "


def _filled(attributes: Mapping[str, str], made: Sequence[str]) -> str:
    return start_tag("TIER", attributes) + "\n" + "".join(made) + "    </TIER>"


def _new_tier(transcript: Transcript, words: Tier, name: str, made: Sequence[str]) -> str:
    speaker = words.id.partition("@")[2]
    names = chain([f"{name}@{speaker}" if speaker else name, f"{name} {words.id}"], (f"{name} {n}" for n in count(2)))
    attributes = {
        "LINGUISTIC_TYPE_REF": _type(transcript)[0],
        "PARENT_REF": words.id,
        **{key: value for key, value in words.element.attributes.items() if key in ("DEFAULT_LOCALE", "PARTICIPANT")},
        "TIER_ID": next(id for id in names if id not in transcript.tiers),
    }
    return _filled(attributes, made)


def _type(transcript: Transcript) -> tuple[str, bool]:
    """Return the name of a type for annotations associated with words, and whether the file has it."""
    known = transcript.types
    names = chain([UPOS], (f"{UPOS}-{n}" for n in count(2)))
    name = next(name for name in names if name not in known or known[name].attributes.get("CONSTRAINTS") == ASSOCIATED)
    return name, name in known


def _new_tier_edits(data: bytes, transcript: Transcript, tiers: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits that add new tiers after the last one, and their type after the last type."""
    last = [*transcript.root.find("TIER")][-1]
    yield last.end, last.end, "".join(f"\n    {tier}" for tier in tiers)
    name, is_known = _type(transcript)
    if not is_known:
        before = ([last, *transcript.root.find("LINGUISTIC_TYPE")])[-1]
        attributes = {
            "CONSTRAINTS": ASSOCIATED,
            "GRAPHIC_REFERENCES": "false",
            "LINGUISTIC_TYPE_ID": name,
            "TIME_ALIGNABLE": "false",
        }
        yield before.end, before.end, "\n    " + write_element("LINGUISTIC_TYPE", attributes)


def _last_id(transcript: Transcript, last: int) -> Iterator[Edit]:
    for property_ in transcript.root.find("HEADER", "PROPERTY"):
        old = property_.text.strip()
        if property_.attributes.get("NAME") == LAST_ID and re.fullmatch("[0-9]{1,15}", old) and int(old) < last:
            yield property_.start, property_.end, write_element("PROPERTY", property_.attributes, str(last))
