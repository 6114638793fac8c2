"""Tiers of an ELAN file, their annotations, and the tiers that hold words and tags.

Source: EAF 3.0, annotation format of ELAN (Max Planck Institute for Psycholinguistics).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewshot.corpora.files import Report, fail, raise_all
from fewshot.corpora.formats.common.markup import Element, parse
from fewshot.corpora.formats.eaf.structure import annotation_elements, faults_of_structure
from fewshot.corpora.formats.eaf.times import NOWHERE, Stretch, Times, owners, times_of
from fewshot.errors import CorpusError

ASSOCIATED = "Symbolic_Association"
"""The constraint of a tier with one annotation per parent annotation; others divide the parents."""

UPOS, GUESS = "upos", "upos-guess"
"""Tiers of tags by people and by a model."""

VALUE = "ANNOTATION_VALUE"
"""The element with the text of an annotation."""

SLOT_ATTRIBUTES = ("TIME_SLOT_REF1", "TIME_SLOT_REF2")
"""The attributes of an annotation with the time slots of its begin and end."""

MAX_LEVELS = 32
"""Most levels of tiers; ends the search in circular references."""


def named(*names: str) -> re.Pattern[str]:
    """Return a pattern for the names of tiers and types that contain one of some words."""
    return re.compile(rf"(?:^|[\W_\d])(?:{'|'.join(names)})(?=$|[\W_\d])", re.IGNORECASE)


UPOS_NAME, GUESS_NAME = named("upos"), named("upos[-_ ]guess")


@dataclass(frozen=True, slots=True)
class EafAnnotation:
    """An annotation of a tier.

    Args:
        value: normalized text.
        outer: the ``ANNOTATION`` element around ``element``.
        parent: id of the parent annotation; empty when the time decides.
        previous: id of the previous annotation with the same parent.
        stretch: time span; None when the parent has it, or time slots are missing.
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
        id: unique in the file, often with a speaker: ``words@A``.
        type: name of the linguistic type.
        constraint: of the type; empty for an independent tier.
        parent: name of the parent tier; empty for none.
        lang: language code, if the file has one.
    """

    id: str
    type: str
    constraint: str
    parent: str
    lang: str
    element: Element
    annotations: tuple[EafAnnotation, ...]

    @property
    def name(self) -> str:
        """The id without the speaker."""
        return self.id.partition("@")[0]

    def is_called(self, name: re.Pattern[str]) -> bool:
        """Return whether the name of the tier or of its type matches."""
        return bool(name.search(self.name) or name.search(self.type))

    @property
    def tags(self) -> str:
        """`UPOS` or `GUESS` for a tier of tags, else empty."""
        return GUESS if GUESS_NAME.search(self.id) else UPOS if UPOS_NAME.search(self.id) else ""

    @property
    def is_timed(self) -> bool:
        """Whether annotations have their own times; without a known type, the annotations decide."""
        if self.parent and not self.constraint:
            return any(annotation.stretch for annotation in self.annotations)
        return not self.constraint.startswith("Symbolic")


@dataclass(frozen=True, slots=True)
class Transcript:
    """The content of a file.

    Args:
        tiers: by name, in file order.
        types: linguistic types, by name.
        dependent: child tiers, by name of the parent tier.
        annotations: of all tiers, by id.
    """

    root: Element
    tiers: Mapping[str, Tier]
    types: Mapping[str, Element]
    dependent: Mapping[str, Sequence[Tier]]
    annotations: Mapping[str, EafAnnotation]

    def above(self, tier: Tier) -> list[str]:
        """Return the names of the ancestors of a tier, nearest first."""
        names: list[str] = []
        current: Tier | None = tier
        while current and current.parent and current.parent not in names:
            names.append(current.parent)
            current = self.tiers.get(current.parent)
        return names

    def children(self, name: str) -> Sequence[Tier]:
        """Return the child tiers of a tier, in file order."""
        return self.dependent.get(name, ()) if name else ()

    def stretch(self, annotation: EafAnnotation) -> Stretch:
        """Return the time span of an annotation; `NOWHERE` when unknown."""
        current: EafAnnotation | None = annotation
        for _ in range(MAX_LEVELS):
            if current is None or current.stretch:
                break
            current = self.annotations.get(current.parent)
        return current.stretch if current and current.stretch else NOWHERE

    def below(self, tier: Tier, parents: Sequence[EafAnnotation]) -> dict[str, list[EafAnnotation]]:
        """Return the annotations of a tier in order, by the id of the parent annotation."""
        timed = {item.id: item.stretch for item in tier.annotations if item.stretch and not item.parent}
        owner_of = owners(timed, {parent.id: self.stretch(parent) for parent in parents} if timed else {})
        groups: dict[str, list[EafAnnotation]] = defaultdict(list)
        for annotation in tier.annotations:
            if parent := annotation.parent or owner_of.get(annotation.id):
                groups[parent].append(annotation)
        return {parent: _in_order(group) for parent, group in groups.items()}

    def lost(self, annotation: EafAnnotation) -> str:
        """Return why an annotation has no place in the file; empty when it has one."""
        if annotation.parent and annotation.parent not in self.annotations:
            return f"the annotation {annotation.id!r} refers to {annotation.parent!r}, which is not in the file"
        if annotation.parent or annotation.stretch:
            return ""
        slots = " to ".join(_slots(annotation.element))
        return f"a time slot of the annotation {annotation.id!r} is not in the file ({slots})"


def read_transcript(data: bytes, path: str | Path | None = None, report: Report = fail) -> Transcript:
    """Return the content of an ELAN file; report tiers and annotations without a place in the file.

    Raises:
        CorpusError: with ``file:line``, for another file, or ids that do not identify tiers and annotations.
    """
    root = parse(data, path)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise CorpusError(f"<{root.tag}> where an ELAN file begins with <ANNOTATION_DOCUMENT>", path, root.line)
    raise_all([CorpusError(fault, path, line) for line, fault in faults_of_structure(root)], report)
    made = _transcript(root, path)
    for line, fault in _place_faults(made):
        report(CorpusError(f"{fault}; correct the file", path, line))
    return made


def _transcript(root: Element, path: str | Path | None) -> Transcript:
    times = times_of(root.find("TIME_ORDER", "TIME_SLOT"), map(_slots, annotation_elements(root)), path)
    types = {type_.attributes["LINGUISTIC_TYPE_ID"]: type_ for type_ in root.find("LINGUISTIC_TYPE")}
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
    annotations = {annotation.id: annotation for tier in tiers.values() for annotation in tier.annotations}
    return Transcript(root, tiers, types, dependent, annotations)


def _place_faults(transcript: Transcript) -> Iterator[tuple[int, str]]:
    for tier in transcript.tiers.values():
        line = tier.element.line
        if tier.parent and tier.parent not in transcript.tiers:
            yield line, f"the tier {tier.id!r} depends on {tier.parent!r}, which is not in the file"
        elif tier.parent and not tier.constraint:
            yield line, f"the type {tier.type!r} of the tier {tier.id!r} does not say how it depends on {tier.parent!r}"
        for annotation in tier.annotations:
            if fault := transcript.lost(annotation):
                yield annotation.outer.line, fault
        yield from _order_faults(transcript, tier)


def _order_faults(transcript: Transcript, tier: Tier) -> Iterator[tuple[int, str]]:
    groups: dict[str, list[EafAnnotation]] = defaultdict(list)
    for annotation in tier.annotations:
        groups[annotation.parent].append(annotation)
    for parent, group in groups.items():
        strays = [item for item in group if item.previous and item.previous not in transcript.annotations]
        for item in strays:
            yield item.outer.line, f"the annotation {item.id!r} follows {item.previous!r}, which is not in the file"
        is_ordered = len(_chained(group)) == len(group) or not any(item.previous for item in group)
        if parent and len(group) > 1 and not strays and not is_ordered:
            fault = f"the annotations of {parent!r} have no order: each but the first stands behind another one of them"
            yield group[0].outer.line, fault


def _annotations(tier: Element, times: Times) -> Iterator[EafAnnotation]:
    for outer in tier.find("ANNOTATION"):
        for element in outer.children:
            known = element.attributes
            value = element.first(VALUE)
            yield EafAnnotation(
                id=known["ANNOTATION_ID"],
                value=re.sub("[ \t\r\n]+", " ", value.text).strip() if value else "",
                outer=outer,
                element=element,
                parent=known.get("ANNOTATION_REF", ""),
                previous=known.get("PREVIOUS_ANNOTATION", ""),
                stretch=times.stretch(*_slots(element)),
            )


def _slots(annotation: Element) -> tuple[str, str]:
    first, last = (annotation.attributes.get(slot, "") for slot in SLOT_ATTRIBUTES)
    return first, last


def _in_order(group: Sequence[EafAnnotation]) -> list[EafAnnotation]:
    """Return the parts of one annotation in order of time, or as each names the previous one."""
    if all(item.stretch for item in group):
        return sorted(group, key=lambda item: item.stretch or NOWHERE)
    order = _chained(group)
    return order if len(order) == len(group) else list(group)


def _chained(group: Sequence[EafAnnotation]) -> list[EafAnnotation]:
    """Return annotations in the order of their ``previous``; fewer than given if these are inconsistent."""
    ids = {item.id for item in group}
    following = {item.previous if item.previous in ids else "": item for item in group}
    order: list[EafAnnotation] = []
    current = following.get("")
    while current and len(order) < len(group):
        order.append(current)
        current = following.get(current.id)
    return order
