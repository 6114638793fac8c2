"""Tiers of an ELAN file, their annotations, and which of them hold words and tags.

Source: EAF 3.0, annotation format of ELAN (Max Planck Institute for Psycholinguistics).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats.eaf_structure import annotation_elements, faults_of_structure
from fewshot.corpora.formats.eaf_times import NOWHERE, Stretch, Times, owners, times_of
from fewshot.corpora.formats.markup import Element, parse
from fewshot.errors import CorpusError, listed

ASSOCIATED = "Symbolic_Association"
"""The constraint of a tier that has one annotation for each of its parent's; those that divide them have others."""

UPOS, GUESS = "upos", "upos-guess"
"""Tiers of tags, and of those that a model has chosen."""

VALUE = "ANNOTATION_VALUE"
"""The element that holds the text of an annotation."""

SLOTS = ("TIME_SLOT_REF1", "TIME_SLOT_REF2")
"""The attributes of an annotation that name the time slots of its begin and end."""

DEEPEST = 32
"""Most levels of tiers; what refers to itself ends there."""


def named(*names: str) -> re.Pattern[str]:
    """Return a pattern of the names of tiers and types that have one of some words in them."""
    return re.compile(rf"(?:^|[\W_\d])(?:{'|'.join(names)})(?=$|[\W_\d])", re.IGNORECASE)


WORDS = named("words?", "wrds?", "wds?", "tokens?", "tok", "tx", "mots?", "palabras?", "wort")
UPOS_NAME, GUESS_NAME = named("upos"), named("upos[-_ ]guess")


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
        stretch: when it is; None where its parent says that, or the file lacks its time slots.
    """

    id: str
    value: str
    outer: Element
    element: Element
    parent: str
    previous: str
    stretch: Stretch | None


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier.

    Args:
        id: unique in its file, often with a speaker, ``words@A``.
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

    @property
    def name(self) -> str:
        """Its id without the speaker."""
        return self.id.partition("@")[0]

    def is_called(self, name: re.Pattern[str]) -> bool:
        """Return whether the tier or its type has such a name."""
        return bool(name.search(self.name) or name.search(self.type))

    @property
    def tags(self) -> str:
        """Whether the tier is of tags: `UPOS`, `GUESS` or empty."""
        return GUESS if GUESS_NAME.search(self.id) else UPOS if UPOS_NAME.search(self.id) else ""

    @property
    def is_timed(self) -> bool:
        """Whether its annotations have times of their own; where its type is not in the file, they say it."""
        if self.parent and not self.constraint:
            return any(one.stretch for one in self.annotations)
        return not self.constraint.startswith("Symbolic")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file.

    Args:
        root: of the document.
        tiers: by name, in the order of the file.
        types: the linguistic types of tiers, by name.
        dependent: the tiers that depend on another one, by its name.
        annotations: of all tiers, by id.
    """

    root: Element
    tiers: Mapping[str, Tier]
    types: Mapping[str, Element]
    dependent: Mapping[str, Sequence[Tier]]
    annotations: Mapping[str, Annotation]

    def above(self, tier: Tier) -> list[str]:
        """Return the names of the tiers that a tier depends on, from the nearest one."""
        found: list[str] = []
        at: Tier | None = tier
        while at and at.parent and at.parent not in found:
            found.append(at.parent)
            at = self.tiers.get(at.parent)
        return found

    def children(self, name: str) -> Sequence[Tier]:
        """Return the tiers that depend on the tier of a name, in the order of the file."""
        return self.dependent.get(name, ()) if name else ()

    def stretch(self, annotation: Annotation) -> Stretch:
        """Return when an annotation is; `NOWHERE` where the file does not say it."""
        at: Annotation | None = annotation
        for _ in range(DEEPEST):
            if at is None or at.stretch:
                break
            at = self.annotations.get(at.parent)
        return at.stretch if at and at.stretch else NOWHERE

    def below(self, tier: Tier, parents: Sequence[Annotation]) -> dict[str, list[Annotation]]:
        """Return the annotations of a tier in order, by the id of those of another tier that they are of."""
        timed = {one.id: one.stretch for one in tier.annotations if one.stretch and not one.parent}
        of = owners(timed, {parent.id: self.stretch(parent) for parent in parents} if timed else {})
        found: dict[str, list[Annotation]] = defaultdict(list)
        for annotation in tier.annotations:
            if parent := annotation.parent or of.get(annotation.id):
                found[parent].append(annotation)
        return {parent: _in_order(group) for parent, group in found.items()}

    def lost(self, annotation: Annotation) -> str:
        """Return why an annotation has no place in the file, empty where it has one."""
        if annotation.parent and annotation.parent not in self.annotations:
            return f"the annotation {annotation.id!r} refers to {annotation.parent!r}, which is not in the file"
        if annotation.parent or annotation.stretch:
            return ""
        slots = " to ".join(_slots(annotation.element))
        return f"a time slot of the annotation {annotation.id!r} is not in the file ({slots})"


def read_transcript(data: bytes, path: str | Path | None = None, report: Report = fail) -> Transcript:
    """Return the tiers of a file.

    Args:
        report: told of each tier and annotation that has no place in the file.

    Raises:
        CorpusError: with ``file:line``, when it is no ELAN file, or ids do not tell its tiers and annotations apart.
    """
    root = parse(data, path)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise CorpusError(f"<{root.tag}> where an ELAN file begins with <ANNOTATION_DOCUMENT>", path, root.line)
    errors = [CorpusError(fault, path, line) for line, fault in faults_of_structure(root)]
    for error in errors[:-1]:
        report(error)
    if errors:
        raise errors[-1]
    made = _transcript(root, path)
    for line, fault in _faults(made):
        report(CorpusError(f"{fault}; mend the file", path, line))
    return made


def _transcript(root: Element, path: str | Path | None) -> Transcript:
    times = times_of(root.find("TIME_ORDER", "TIME_SLOT"), map(_slots, annotation_elements(root)), path)
    types = {one.attributes["LINGUISTIC_TYPE_ID"]: one for one in root.find("LINGUISTIC_TYPE")}
    tiers: dict[str, Tier] = {}
    dependent: dict[str, list[Tier]] = defaultdict(list)
    for element in root.find("TIER"):
        known = element.attributes
        type_ = known.get("LINGUISTIC_TYPE_REF", "")
        tier = Tier(
            id=known["TIER_ID"],
            type=type_,
            constraint=types[type_].attributes.get("CONSTRAINTS", "") if type_ in types else "",
            parent=known.get("PARENT_REF", ""),
            lang=re.sub(r"[^\w-]", "", known.get("LANG_REF", "")),
            element=element,
            annotations=tuple(_annotations(element, times)),
        )
        tiers[tier.id] = tier
        dependent[tier.parent].append(tier)
    annotations = {one.id: one for tier in tiers.values() for one in tier.annotations}
    return Transcript(root, tiers, types, dependent, annotations)


def _faults(transcript: Transcript) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each tier and annotation that has no place in the file."""
    for tier in transcript.tiers.values():
        line = tier.element.line
        if tier.parent and tier.parent not in transcript.tiers:
            yield line, f"the tier {tier.id!r} depends on {tier.parent!r}, which is not in the file"
        elif tier.parent and not tier.constraint:
            yield line, f"the type {tier.type!r} of the tier {tier.id!r} does not say how it depends on {tier.parent!r}"
        for annotation in tier.annotations:
            if fault := transcript.lost(annotation):
                yield annotation.outer.line, fault
        yield from _faults_of_order(transcript, tier)


def _faults_of_order(transcript: Transcript, tier: Tier) -> Iterator[tuple[int, str]]:
    """Yield line and fault where ``PREVIOUS_ANNOTATION`` does not tell the order of the parts of an annotation."""
    groups: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in tier.annotations:
        groups[annotation.parent].append(annotation)
    for parent, group in groups.items():
        strays = [one for one in group if one.previous and one.previous not in transcript.annotations]
        for one in strays:
            yield one.outer.line, f"the annotation {one.id!r} stands behind {one.previous!r}, which is not in the file"
        is_ordered = len(_chained(group)) == len(group) or not any(one.previous for one in group)
        if parent and len(group) > 1 and not strays and not is_ordered:
            fault = f"the annotations of {parent!r} have no order: each but the first stands behind another one of them"
            yield group[0].outer.line, fault


def word_tiers(transcript: Transcript, path: str | Path) -> list[Tier]:
    """Return the tiers of words: those called so that divide another tier, else all that divide one.

    Of several, one above the other, the first one without phrases has the words: above stand phrases, below morphs.

    Raises:
        CorpusError: when there is none; it names the tiers that there are.
    """
    tiers = transcript.tiers
    dividing = [
        tier
        for tier in tiers.values()
        if tier.parent in tiers and tier.constraint not in ("", ASSOCIATED) and not tier.tags
    ]
    found = [tier for tier in dividing if tier.is_called(WORDS)] or dividing
    named_below = {tier.parent for tier in found if WORDS.search(tier.name)}  # others there have but the same type
    found = [tier for tier in found if WORDS.search(tier.name) or tier.parent not in named_below]
    above = {name for tier in found for name in transcript.above(tier)}
    words = {tier.id for tier in found if tier.id not in above or not _has_phrases(tier)}
    found = [tier for tier in found if tier.id in words and words.isdisjoint(transcript.above(tier))]
    if not found:
        known = listed([f"{tier.id} ({tier.type})" for tier in tiers.values()]) or "none"
        message = f"no tier divides sentences into words; make one in ELAN (Tier > Tokenize Tier). Tiers are: {known}"
        raise CorpusError(message, path)
    return found


def _has_phrases(tier: Tier) -> bool:
    """Return whether more than a third of the annotations of a tier have spaces in them."""
    values = [one.value for one in tier.annotations if one.value]
    return 3 * sum(" " in value for value in values) > len(values)


def _annotations(tier: Element, times: Times) -> Iterator[Annotation]:
    for outer in tier.find("ANNOTATION"):
        for element in outer.children:
            known = element.attributes
            value = element.first(VALUE)
            yield Annotation(
                id=known["ANNOTATION_ID"],
                value=re.sub("[ \t\r\n]+", " ", value.text).strip() if value else "",
                outer=outer,
                element=element,
                parent=known.get("ANNOTATION_REF", ""),
                previous=known.get("PREVIOUS_ANNOTATION", ""),
                stretch=times.stretch(*_slots(element)),
            )


def _slots(annotation: Element) -> tuple[str, str]:
    first, last = (annotation.attributes.get(slot, "") for slot in SLOTS)
    return first, last


def _in_order(group: Sequence[Annotation]) -> list[Annotation]:
    """Return what one annotation is divided into: in time, or as each names the one before it."""
    if all(one.stretch for one in group):
        return sorted(group, key=lambda one: one.stretch or NOWHERE)
    order = _chained(group)
    return order if len(order) == len(group) else list(group)


def _chained(group: Sequence[Annotation]) -> list[Annotation]:
    """Return annotations as each names the one before it; fewer than there are where the names are wrong.

    The first one names none, or one of another group.
    """
    ids = {one.id for one in group}
    behind = {one.previous if one.previous in ids else "": one for one in group}
    order: list[Annotation] = []
    at = behind.get("")
    while at and len(order) < len(group):
        order.append(at)
        at = behind.get(at.id)
    return order
