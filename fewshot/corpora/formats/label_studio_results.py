"""Results of Label Studio: how those of a file and those of an annotation are put together, so that others stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from itertools import chain, count
from typing import Any

from fewshot.corpora import offsets

Result = dict[str, Any]
"""A region, relation, choice or anything else that an annotation holds."""


def merged(old: Sequence[Result], new: Sequence[Result], text: str, is_own: Callable[[Result], bool]) -> list[Result]:
    """Return the results of a file with those of an annotation in place of its own ones.

    What is still annotated keeps its id, control and further keys, and gets its new label. Results that are not the
    annotation's stay, but that all regions are counted in characters of the text, not in UTF-16; a relation of a region
    that is gone goes with it.

    Args:
        old: of the file.
        new: of the annotation as it is now, with offsets in characters of the text.
        text: that both are about.
        is_own: whether a result of the file holds the annotation that ``new`` replaces.
    """
    new = _with_free_ids(new, {str(result.get("id")) for result in old if isinstance(result, dict)})
    places = {str(result.get("id")): _place(result, text) for result in (*old, *new) if _is_region(result)}
    wanted = {_identity(result, places, text): result for result in new}
    ids: dict[str, str] = {}  # of a region of the file, by that of the new one in its place
    found: list[Result] = []
    for result in (_in_characters(each, text) if _is_region(each) else each for each in old):
        if not isinstance(result, dict) or not is_own(result):
            found.append(result)
        elif (now := wanted.pop(_identity(result, places, text), None)) is not None:
            result = result if result.get("id") or "id" not in now else result | {"id": now["id"]}
            ids[str(now.get("id"))] = str(result.get("id"))
            found.append(_relabelled(result, now))
    sample = next((result for result in old if isinstance(result, dict) and is_own(result)), {})
    for result in wanted.values():
        target = {"to_name": sample["to_name"]} if "to_name" in sample and "to_name" in result else {}
        ends = {key: ids.get(result[key], result[key]) for key in ("from_id", "to_id") if key in result}
        found.append(result | target | ends)
    held = {str(result.get("id")) for result in found if isinstance(result, dict)}
    return [result for result in found if not _is_loose(result, held)]


def _with_free_ids(new: Sequence[Result], taken: Set[str]) -> list[Result]:
    """Return the results of an annotation with ids that a file has not given to other regions."""
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


def _place(result: Result, text: str) -> tuple[Any, ...]:
    """Return where a region stands, in characters."""
    value = result.get("value")
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    start, end, said = given.get("start"), given.get("end"), given.get("text")
    if isinstance(start, int) and isinstance(end, int):
        return offsets.find(text, start, end, said if isinstance(said, str) else None) or (start, end)
    return (start, end)


def _in_characters(region: Result, text: str) -> Result:
    """Return a region with offsets in characters of the text, which other tools may have counted in UTF-16."""
    value, (start, end) = region.get("value"), _place(region, text)
    if not isinstance(value, dict) or (value.get("start"), value.get("end")) == (start, end):
        return region
    return region | {"value": value | {"start": start, "end": end}}


def _identity(result: Result, places: Mapping[str, tuple[Any, ...]], text: str) -> str:
    """Return what two results share that are about the same: the place of a region, the ends of a relation."""
    kind, about = result.get("type"), list[Any]()
    if kind == "relation":
        ends = [places.get(str(result.get(key))) for key in ("from_id", "to_id")]
        about = [*(reversed(ends) if result.get("direction") == "left" else ends)]
    elif kind == "labels":
        about = [result.get("from_name"), *_place(result, text)]
    return str([kind, *about])  # a file may hold anything there


def _relabelled(old: Result, new: Result) -> Result:
    """Return a result of a file with the label that it has now."""
    if old.get("type") == "relation":
        return old if old.get("labels") == new.get("labels") else old | {"labels": new.get("labels")}
    key = "choices" if old.get("type") == "choices" else "labels"
    if old["value"][key] == new["value"][key]:
        return old
    return old | {"value": old["value"] | {key: new["value"][key]}}


def _is_loose(result: Any, held: set[str]) -> bool:
    """Return whether a relation has an end that is no result any more."""
    is_relation = isinstance(result, dict) and result.get("type") == "relation"
    return is_relation and not {str(result.get("from_id")), str(result.get("to_id"))} <= held
