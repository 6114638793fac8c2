"""Merge current results into those of a Label Studio file without losing others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, count
from typing import Any

from fewshot.corpora import offsets

Result = dict[str, Any]
"""A region, relation, choice or other item of an annotation."""


def merge(old: Sequence[Result], new: Sequence[Result], text: str, is_own: Callable[[Result], bool]) -> list[Result]:
    """Return the results of a file with its own results replaced by the current annotation.

    Results that are still annotated keep id, control and further keys, and get the new label. Other results stay, with
    offsets in characters instead of UTF-16; relations of removed regions are removed.

    Args:
        new: results of the current annotation, with offsets in characters.
        is_own: whether a result of the file holds the annotation that ``new`` replaces.
    """
    new = _with_free_ids(new, {str(result.get("id")) for result in old if isinstance(result, dict)})
    places = {str(result.get("id")): _region_span(result, text) for result in (*old, *new) if _is_region(result)}
    wanted = dict(zip(_numbered(_identity(result, places, text) for result in new), new, strict=True))
    read = [_in_characters(result, text) if _is_region(result) else result for result in old]
    own = (result for result in read if isinstance(result, dict) and is_own(result))
    identities = _numbered(_identity(result, places, text) for result in own)
    ids: dict[str, str] = {}  # new region id to file region id
    results: list[Result] = []
    for result in read:
        if not isinstance(result, dict) or not is_own(result):
            results.append(result)
        elif (now := wanted.pop(next(identities), None)) is not None:
            result = result if result.get("id") or "id" not in now else result | {"id": now["id"]}
            ids[str(now.get("id"))] = str(result.get("id"))
            results.append(_with_label_of(result, now))
    sample = next((result for result in old if isinstance(result, dict) and is_own(result)), {})
    for result in wanted.values():
        target = {"to_name": sample["to_name"]} if "to_name" in sample and "to_name" in result else {}
        ends = {key: ids.get(result[key], result[key]) for key in ("from_id", "to_id") if key in result}
        results.append(result | target | ends)
    held = {str(result.get("id")) for result in results if isinstance(result, dict)}
    return [result for result in results if not _has_lost_end(result, held)]


def _numbered(identities: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each identity with the number of equal ones before it, as nested entities may have."""
    seen: Counter[str] = Counter()
    for identity in identities:
        yield identity, seen[identity]
        seen[identity] += 1


def _with_free_ids(new: Sequence[Result], taken: Set[str]) -> list[Result]:
    free: dict[Any, str] = {}
    for result in new:
        if "id" in result:
            names = (f"{result['id']}{end}" for end in chain([""], (f"-{number}" for number in count(2))))
            free[result["id"]] = next(name for name in names if name not in taken)
    return [
        result | {key: free.get(result[key], result[key]) for key in ("id", "from_id", "to_id") if key in result}
        for result in new
    ]


def _is_region(result: Any) -> bool:
    return isinstance(result, dict) and result.get("type") == "labels"


def _region_span(result: Result, text: str) -> tuple[Any, ...]:
    value = result.get("value")
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    start, end, own_text = given.get("start"), given.get("end"), given.get("text")
    if isinstance(start, int) and isinstance(end, int):
        return offsets.to_characters(text, start, end, own_text if isinstance(own_text, str) else None) or (start, end)
    return (start, end)


def _in_characters(region: Result, text: str) -> Result:
    value, (start, end) = region.get("value"), _region_span(region, text)
    if not isinstance(value, dict) or (value.get("start"), value.get("end")) == (start, end):
        return region
    return region | {"value": value | {"start": start, "end": end}}


def _identity(result: Result, places: Mapping[str, tuple[Any, ...]], text: str) -> str:
    """Return a key that two results at the same place share: of a region, or of the ends of a relation."""
    kind, about = result.get("type"), list[Any]()
    if kind == "relation":
        ends = [places.get(str(result.get(key))) for key in ("from_id", "to_id")]
        about = [*(reversed(ends) if result.get("direction") == "left" else ends)]
    elif kind == "labels":
        about = [result.get("from_name"), *_region_span(result, text)]
    return str([kind, *about])  # values may be of any type


def _with_label_of(old: Result, new: Result) -> Result:
    if old.get("type") == "relation":
        return old if old.get("labels") == new.get("labels") else old | {"labels": new.get("labels")}
    key, value = "choices" if old.get("type") == "choices" else "labels", old.get("value")
    changed = (value if isinstance(value, dict) else {}) | {key: new["value"][key]}
    return old if value == changed else old | {"value": changed}


def _has_lost_end(result: Any, held: set[str]) -> bool:
    is_relation = isinstance(result, dict) and result.get("type") == "relation"
    return is_relation and not {str(result.get("from_id")), str(result.get("to_id"))} <= held
