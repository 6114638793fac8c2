"""Why ELAN does not read a file that it has not written: elements in the wrong place, ids missing or used twice."""

from __future__ import annotations

from collections.abc import Iterator

from fewshot.corpora.formats.markup import Element

PARENTS = {"TIME_SLOT": "TIME_ORDER", "ANNOTATION": "TIER", "TIER": "ANNOTATION_DOCUMENT"}
"""The element in which ELAN puts another one, by the name of the latter."""


def faults_of_structure(root: Element) -> Iterator[tuple[int, str]]:
    """Yield line and fault of all that is in the wrong place, and of all wrong ids."""
    yield from _misplaced(root)
    yield from _faults_of_ids(root)


def annotation_elements(root: Element) -> Iterator[Element]:
    """Return the ``ALIGNABLE_ANNOTATION`` and ``REF_ANNOTATION`` elements of all tiers."""
    return (element for outer in root.find("TIER", "ANNOTATION") for element in outer.children)


def _misplaced(root: Element) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each element that is not in the one of `PARENTS`, where alone it would be read."""
    for outer in (root, *root.children):
        for element in outer.children:
            wanted = PARENTS.get(element.tag, outer.tag)
            if wanted != outer.tag:
                yield element.line, f"<{element.tag}> in <{outer.tag}>, not in <{wanted}>; move it there"


def _faults_of_ids(root: Element) -> Iterator[tuple[int, str]]:
    """Yield line and fault of each id that is missing or used twice."""
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
