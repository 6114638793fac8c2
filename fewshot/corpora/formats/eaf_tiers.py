"""Tiers of an ELAN file, their annotations, and which of them hold words, glosses and translations.

Source: EAF 3.0, annotation format of ELAN (Max Planck Institute for Psycholinguistics).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewshot.corpora.formats.markup import Element, parse
from fewshot.errors import CorpusError, listed

ASSOCIATED = "Symbolic_Association"
"""The constraint of a tier that has one annotation for each of its parent's; those that divide them have others."""

UPOS, GUESS = "upos", "upos-guess"
"""Tiers of tags, and of those that a model has chosen."""

DEEPEST = 32
"""Most levels of tiers; what refers to itself ends there."""


def _named(*names: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\W_\d])(?:{'|'.join(names)})(?=$|[\W_\d])", re.IGNORECASE)


WORDS = _named("words?", "wrds?", "wds?", "tokens?", "tok", "tx", "mots?", "palabras?", "wort")
GLOSSES = _named("gloss(?:es)?", "gls", "gl", "ge", "gw")
TRANSLIT = _named("translit(?:eration)?", "ipa", "phon(?:etic)?")
COMMENTS = {
    "literal": _named("lit(?:eral)?", "lt"),
    "note": _named("notes?", "nt", "comments?"),
    "text": _named("free", r"transl\w*", "ft", "fte", "english", "gloss", "gls"),
}
"""What CoNLL-U calls the tiers of a sentence, by their names."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation.

    Args:
        id: unique in its file.
        value: as it is written.
        outer: the element that it stands in.
        element: its own.
        parent: id of the annotation that it is of; empty where time says it.
        previous: id of the one before it of the same parent.
        slots: places of its begin and end among the file's `Moments`; none where its parent says them.
    """

    id: str
    value: str
    outer: Element
    element: Element
    parent: str
    previous: str
    slots: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments of a file in the order of time; time slots of the same time are the same moment.

    A time slot without a time lies behind the slot that stands before it in the file.

    Args:
        places: of each time slot among the moments, by the slot's id.
        times: of each moment, in milliseconds; None where the file does not say it.
    """

    places: Mapping[str, int]
    times: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier.

    Args:
        id: its name.
        type: name of its linguistic type.
        constraint: of the type; empty where it depends on none.
        parent: name of the tier that it depends on; empty for none.
        lang: code of its language, where the file says it.
    """

    id: str
    type: str
    constraint: str
    parent: str
    lang: str
    element: Element
    annotations: tuple[Annotation, ...]

    def is_called(self, name: re.Pattern[str]) -> bool:
        """Return whether the tier or its type has such a name."""
        return bool(name.search(self.id.partition("@")[0]) or name.search(self.type))


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file.

    Args:
        root: of the document.
        tiers: by name, in the order of the file.
        dependent: the tiers that depend on another one, by its name.
        annotations: of all tiers, by id.
        moments: of the file.
    """

    root: Element
    tiers: Mapping[str, Tier]
    dependent: Mapping[str, Sequence[Tier]]
    annotations: Mapping[str, Annotation]
    moments: Moments

    def children(self, name: str) -> Sequence[Tier]:
        """Return the tiers that depend on the tier of a name, in the order of the file."""
        return self.dependent.get(name, ()) if name else ()

    def span(self, annotation: Annotation) -> tuple[int, int]:
        """Return where an annotation is in time; at the beginning, where the file does not say it."""
        at: Annotation | None = annotation
        for _ in range(DEEPEST):
            if at is None or at.slots is not None:
                break
            at = self.annotations.get(at.parent)
        return at.slots if at and at.slots else (0, 0)

    def below(self, tier: Tier, parents: Sequence[Annotation]) -> dict[str, list[Annotation]]:
        """Return the annotations of a tier in order, by the id of those of another tier that they are of."""
        found: dict[str, list[Annotation]] = defaultdict(list)
        spans = sorted((*self.span(parent), parent.id) for parent in parents)
        starts = [start for start, _, _ in spans]
        for annotation in tier.annotations:
            if annotation.parent:
                found[annotation.parent].append(annotation)
            elif annotation.slots and (place := bisect_right(starts, annotation.slots[0])):
                _, end, parent = spans[place - 1]
                if annotation.slots[0] < end:
                    found[parent].append(annotation)
        return {parent: _in_order(group) for parent, group in found.items()}


def read_transcript(data: bytes, path: str | Path | None = None) -> Transcript:
    """Return the tiers of a file.

    Raises:
        CorpusError: with ``file:line``, when it is no ELAN file.
    """
    root = parse(data, path)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise CorpusError(f"<{root.tag}> where an ELAN file begins with <ANNOTATION_DOCUMENT>", path, root.line)
    moments = _moments(root.find("TIME_ORDER", "TIME_SLOT"))
    types = {one.attributes.get("LINGUISTIC_TYPE_ID", ""): one for one in root.find("LINGUISTIC_TYPE")}
    tiers: dict[str, Tier] = {}
    for element in root.find("TIER"):
        known = element.attributes
        type_ = known.get("LINGUISTIC_TYPE_REF", "")
        made = Tier(
            id=known.get("TIER_ID", ""),
            type=type_,
            constraint=types[type_].attributes.get("CONSTRAINTS", "") if type_ in types else "",
            parent=known.get("PARENT_REF", ""),
            lang=re.sub(r"[^\w-]", "", known.get("LANG_REF", "")),
            element=element,
            annotations=tuple(_annotations(element, moments.places)),
        )
        tiers[made.id] = made
    annotations: dict[str, Annotation] = {}
    dependent: dict[str, list[Tier]] = defaultdict(list)
    for tier in tiers.values():
        dependent[tier.parent].append(tier)
        for one in tier.annotations:
            if not one.id:
                raise CorpusError("an annotation without an id; save the file in ELAN again", path, one.outer.line)
            if annotations.setdefault(one.id, one) is not one:
                message = f"the annotation id {one.id!r} is used twice; save the file in ELAN again, or change one id"
                raise CorpusError(message, path, one.outer.line)
    return Transcript(root, tiers, dependent, annotations, moments)


def milliseconds(written: str) -> int | None:
    """Return a time as ELAN writes it, None where it is none."""
    digits = written.removeprefix("-")
    return int(written) if digits.isascii() and digits.isdecimal() and len(digits) <= 12 else None


def _moments(slots: Iterable[Element]) -> Moments:
    keys: dict[str, tuple[int, int]] = {}  # time, and how many slots without one stand between it and this one
    time, behind = -(10**12), 0
    for slot in slots:
        said = milliseconds(slot.attributes.get("TIME_VALUE", ""))
        time, behind = (time, behind + 1) if said is None else (said, 0)
        keys[slot.attributes.get("TIME_SLOT_ID", "")] = time, behind
    ordered = sorted(set(keys.values()))
    places = {key: place for place, key in enumerate(ordered)}
    return Moments({name: places[key] for name, key in keys.items()}, [None if n else time for time, n in ordered])


def word_tiers(transcript: Transcript, path: str | Path) -> list[Tier]:
    """Return the tiers of words: by their names those that divide a tier of sentences, else all that do.

    Raises:
        CorpusError: when there is none; it names the tiers that there are.
    """
    tiers = transcript.tiers
    dividing = [tier for tier in tiers.values() if tier.parent in tiers and tier.constraint not in ("", ASSOCIATED)]
    names = {tier.id for tier in dividing}
    found = [tier for tier in dividing if tier.is_called(WORDS)] or [
        tier for tier in dividing if tier.parent not in names
    ]
    if not found:
        known = listed([f"{tier.id} ({tier.type})" for tier in tiers.values()]) or "none"
        message = f"no tier divides sentences into words; make one in ELAN (Tier > Tokenize Tier). Tiers are: {known}"
        raise CorpusError(message, path)
    return found


def tag_tier(transcript: Transcript, words: Tier, name: str) -> Tier | None:
    """Return the tier of tags of a tier of words: `UPOS` or `GUESS`, with a speaker behind it, or a number."""
    return next(
        (tier for tier in transcript.children(words.id) if tier.id.partition("@")[0].partition(" ")[0] == name), None
    )


def glosses_of(transcript: Transcript, words: Tier) -> dict[str, dict[str, str]]:
    """Return what is associated with each word, or with its morphs."""
    found: dict[str, dict[str, str]] = {}
    for tier in transcript.children(words.id):
        if tier.constraint == ASSOCIATED:
            key = "Gloss" if tier.is_called(GLOSSES) else "Translit" if tier.is_called(TRANSLIT) else ""
            for annotation in tier.annotations if key else ():
                if annotation.value:
                    found.setdefault(annotation.parent, {}).setdefault(key, annotation.value)
            continue
        glosses = {
            annotation.parent: annotation.value
            for child in transcript.children(tier.id)
            if child.constraint == ASSOCIATED and child.is_called(GLOSSES)
            for annotation in child.annotations
        }
        for word, morphs in transcript.below(tier, words.annotations).items():
            forms = [morph.value for morph in morphs]
            mine = found.setdefault(word, {})
            if gloss := _joined([glosses.get(morph.id, "") for morph in morphs]):
                mine.setdefault("Gloss", gloss)
            if len(forms) > 1:
                mine.setdefault("MSeg", _joined(forms))
    return found


def _joined(values: Sequence[str]) -> str:
    """Return what morphs have, with hyphens between where they have none."""
    return re.sub(r"-*([-=])-*", r"\1", "-".join(value for value in values if value))


def comments_of(transcript: Transcript, words: Tier) -> dict[str, dict[str, str]]:
    """Return what is associated with each sentence, or with what that is associated with itself."""
    found: dict[str, dict[str, str]] = {}
    sentences = transcript.tiers[words.parent]
    owners = {annotation.id: annotation.id for annotation in sentences.annotations}
    if sentences.constraint == ASSOCIATED:
        owners |= {annotation.parent: annotation.id for annotation in sentences.annotations}
    for tier in (*transcript.children(sentences.id), *transcript.children(sentences.parent)):
        name = next((name for name, called in COMMENTS.items() if tier.is_called(called)), None)
        if name and tier.constraint == ASSOCIATED:
            for annotation in tier.annotations:
                if annotation.value and annotation.parent in owners:
                    mine = found.setdefault(owners[annotation.parent], {})
                    mine.setdefault(f"{name}_{_language(tier)}", annotation.value)
    return found


def _language(tier: Tier) -> str:
    """Return the language of a tier: that of the file, or of its name as FLEx gives it (``A_phrase-gls-en``)."""
    named = re.search(r"-(?:gls|lit|note)-([a-z]{2,3}(?:-\w+)*)", tier.id)
    return tier.lang or (named[1] if named else "und")


def _annotations(tier: Element, slots: Mapping[str, int]) -> Iterator[Annotation]:
    for outer in tier.find("ANNOTATION"):
        for element in outer.children:
            known = element.attributes
            ends = [slots.get(known.get(f"TIME_SLOT_REF{n}", "")) for n in (1, 2)]
            value = element.first("ANNOTATION_VALUE")
            yield Annotation(
                id=known.get("ANNOTATION_ID", ""),
                value=re.sub("[ \t\r\n]+", " ", value.text).strip(" ") if value else "",
                outer=outer,
                element=element,
                parent=known.get("ANNOTATION_REF", ""),
                previous=known.get("PREVIOUS_ANNOTATION", ""),
                slots=None if ends[0] is None or ends[1] is None else (ends[0], ends[1]),
            )


def _in_order(group: Sequence[Annotation]) -> list[Annotation]:
    """Return what one annotation is divided into: in time, or as each names the one before it."""
    if all(one.slots for one in group):
        return sorted(group, key=lambda one: one.slots or (0, 0))
    behind = {one.previous: one for one in group}
    order: list[Annotation] = []
    at = behind.get("")
    while at and len(order) < len(group):
        order.append(at)
        at = behind.get(at.id)
    return order if len(order) == len(group) else list(group)
