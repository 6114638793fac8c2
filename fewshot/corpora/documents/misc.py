r"""MISC of CoNLL-U: items of words without another column, mostly ``key=value``, separated by bars.

People may edit all items except those derived from the text or from entities. Values write bars and line ends as ``\p``
and ``\n``, see https://universaldependencies.org/misc.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fewshot.corpora import iob
from fewshot.corpora.documents.cells import UNANNOTATED, pairs
from fewshot.corpora.iob import is_tag

SOURCE = "Source=model"
"""The MISC item of words with predicted columns."""

ENTITY = "NER"
"""The key of an entity tag."""

NO_SPACE = "SpaceAfter=No"
"""The MISC item of a token that no space follows."""

BAR = r"\p"
"""The escape of a bar in a value."""

DERIVED = (ENTITY, "NewPar", "SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken")
"""Keys derived from entities, and from the text and its paragraphs."""

SINGLE = ("Gloss", "LDeriv", "LId", "LTranslit", "Lang", "Ref", "SpaceAfter", "Translit")
"""Keys that UD's validation allows once per word."""

KNOWN = (
    "CorrectForm", "CorrectSpaceAfter", "Gloss", "LDeriv", "LId", "LTranslit", "Lang", "MGloss", "MSeg", "ModernForm",
    "Ref", "Translit",
)  # fmt: skip
"""Keys in UD's documentation that people write."""


def editable(column: str) -> str:
    """Return the editable items of a MISC column, ``"_"`` for none."""
    return _joined(item for item in _items(column) if not _is_derived(item))


def replace_editable(column: str, value: str | None) -> str:
    """Return a MISC column with its editable items replaced; None leaves it unchanged."""
    if value is None or editable(column) == value:
        return column
    return _joined([*_items(value), *filter(_is_derived, _items(column))])


def select(column: str, keys: Iterable[str]) -> str:
    """Return the items of a MISC column with some keys."""
    return _joined(item for item in _items(column) if item.partition("=")[0] in keys)


def add_unedited(value: str, column: str, keys: Iterable[str]) -> str:
    """Return edited items with those items of a column whose keys are neither in them nor in ``keys``."""
    named = {*keys, *(item.partition("=")[0] for item in _items(value))}
    return _joined(
        [*_items(value), *(item for item in _items(editable(column)) if item.partition("=")[0] not in named)]
    )


def fault(value: str) -> str:
    """Return why a value cannot be the editable items of a MISC column; empty when valid."""
    keys = [item.partition("=")[0] for item in _items(value)]
    for item, key in zip(value.split("|"), [item.partition("=")[0] for item in value.split("|")], strict=True):
        if not key.strip() or any(part != part.strip() for part in item.split("=", 1)):
            return f"MISC {value!r} has an item without a key, or with a space around it; write Key=value|Key=value"
        if _is_derived(item):
            return f"MISC {item!r} follows from the text or from entities; leave it out"
        if key in SINGLE and keys.count(key) > 1:
            return f"MISC has {key} twice; keep one"
    return ""


def entity(column: str) -> str:
    """Return the entity tag of a MISC column, ``"_"`` for none."""
    if ENTITY not in column:
        return UNANNOTATED
    tag = pairs(column).get(ENTITY, UNANNOTATED).replace(BAR, "|")
    return tag if is_tag(tag) else UNANNOTATED


def entity_fault(column: str) -> str:
    """Return why the entity tag of a MISC column cannot be read; empty when it can, or is absent."""
    if ENTITY not in column:
        return ""
    tags = {item.partition("=")[2].strip() for item in _items(column) if _key(item) == ENTITY}
    if len(tags) > 1:
        return f"MISC has {ENTITY} twice, {' and '.join(sorted(tags))}; keep one"
    bad = next((tag for tag in tags if not is_tag(tag) or iob.BAR.search(tag.replace(BAR, "|"))), None)
    return "" if bad is None else f"{bad!r} is not an entity tag (O, B-TYPE, I-TYPE; or E-, S-, L-, U-TYPE)"


def with_entity(column: str, tag: str) -> str:
    """Return a MISC column with another entity tag, or without one for ``"_"``; other items stay in place."""
    if entity(column) == tag:
        return column
    items = _items(column)
    place = next((place for place, item in enumerate(items) if _key(item) == ENTITY), len(items))
    others = [[item for item in part if _key(item) != ENTITY] for part in (items[:place], items[place:])]
    new = [] if tag == UNANNOTATED else [f"{ENTITY}={tag.replace('|', BAR)}"]
    return _joined([*others[0], *new, *others[1]])


def with_source(column: str, predicted: bool) -> str:
    """Return a MISC column with or without the mark of predicted columns."""
    items = [item for item in _items(column) if item != SOURCE]
    return _joined([*items, SOURCE] if predicted else items)


def with_space(column: str, space: bool) -> str:
    """Return a MISC column that says whether a space follows, in its last item."""
    if space and NO_SPACE not in column.split("|"):
        return column
    kept = [item for item in _items(column) if item != NO_SPACE]
    return _joined(kept if space else [*kept, NO_SPACE])


def with_item(column: str, item: str) -> str:
    """Return a MISC column that has an item."""
    known = _items(column)
    return _joined([*known, *([] if item in known else [item])])


def merged(columns: Sequence[str]) -> str:
    """Return the items of several MISC columns; for a repeated key, the first column wins."""
    items: list[str] = []
    for column in columns:
        keys = {item.partition("=")[0] for item in items}
        items += [item for item in _items(column) if item.partition("=")[0] not in keys]
    return _joined(items)


def _is_derived(item: str) -> bool:
    return item == SOURCE or _key(item) in DERIVED


def _key(item: str) -> str:
    return item.partition("=")[0].strip()


def _items(column: str) -> list[str]:
    return [item for item in column.split("|") if item not in ("", UNANNOTATED)]


def _joined(items: Iterable[str]) -> str:
    return "|".join(items) or UNANNOTATED
