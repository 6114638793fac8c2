"""Check the structure of an ELAN file: elements in the wrong place, missing or repeated ids."""

from __future__ import annotations

from collections.abc import Iterator

from fewshot.corpora.formats.common.markup import Element

PARENTS = {"TIME_SLOT": "TIME_ORDER", "ANNOTATION": "TIER", "TIER": "ANNOTATION_DOCUMENT"}
"""The parent element that ELAN requires, by element."""


def faults_of_structure(root: Element) -> Iterator[tuple[int, str]]:
    """Yield line and message of each misplaced element and wrong id."""
    yield from _misplaced(root)
    yield from _faults_of_ids(root)


def annotation_elements(root: Element) -> Iterator[Element]:
    """Return the ``ALIGNABLE_ANNOTATION`` and ``REF_ANNOTATION`` elements of all tiers."""
    return (element for outer in root.find("TIER", "ANNOTATION") for element in outer.children)


def _misplaced(root: Element) -> Iterator[tuple[int, str]]:
    """Yield the elements outside their element of `PARENTS`: ELAN does not read them."""
    for outer in (root, *root.children):
        for element in outer.children:
            wanted = PARENTS.get(element.tag, outer.tag)
            if wanted != outer.tag:
                yield element.line, f"<{element.tag}> in <{outer.tag}>, not in <{wanted}>; move it there"


def _faults_of_ids(root: Element) -> Iterator[tuple[int, str]]:
    for what, key, elements in (
        ("time slot", "TIME_SLOT_ID", root.find("TIME_ORDER", "TIME_SLOT")),
        ("tier", "TIER_ID", root.find("TIER")),
        ("linguistic type", "LINGUISTIC_TYPE_ID", root.find("LINGUISTIC_TYPE")),
        ("annotation", "ANNOTATION_ID", annotation_elements(root)),
    ):
        seen: set[str] = set()
        for element in elements:
            name = element.attributes.get(key, "")
            if name in seen or not name:
                fault = f"the {what} id {name!r} is used twice" if name else f"{what} without an id"
                yield element.line, f"{fault}; save the file in ELAN again, or change the id"
            seen.add(name)
