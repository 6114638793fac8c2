"""When the time slots of an ELAN file are, and which stretch of time lies in which other one.

A time slot need not have a time. Annotations that share time slots form a chain, ``ts1-ts3``, ``ts3-ts4``, ``ts4-ts2``:
a slot without a time lies behind the slot before it in the chain, wherever the slots stand in the file.

Source: EAF 3.0, elements TIME_SLOT and ALIGNABLE_ANNOTATION.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from fewshot.corpora.formats.markup import Element
from fewshot.errors import CorpusError

UNKNOWN = -(10**12)
"""The time of moments before every time that the file has."""


class Moment(NamedTuple):
    """When a time slot is; moments compare in the order of time.

    Args:
        time: in milliseconds; of a slot without a time that of the last slot before it that has one, else `UNKNOWN`.
        place: of a slot without a time at the beginning of a chain, its place in the file behind that slot.
        steps: annotations in the chain before the slot.
    """

    time: int
    place: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """A stretch of time, never without length.

    Args:
        begin: its first moment.
        end: its last moment.
        latest: the time in milliseconds that it ends at or before; None where the file does not tell.
    """

    begin: Moment
    end: Moment
    latest: int | None = field(default=None, compare=False)


NOWHERE = Stretch(Moment(UNKNOWN), Moment(UNKNOWN, 0, 1))


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a file.

    Args:
        moments: of each time slot, by its id.
        latest: the time in milliseconds that each slot lies at or before; None where the file does not tell.
    """

    moments: Mapping[str, Moment]
    latest: Mapping[str, int | None]

    def stretch(self, first: str, last: str) -> Stretch | None:
        """Return the stretch between two time slots, or None where the file lacks one of them."""
        if first not in self.moments or last not in self.moments:
            return None
        begin = self.moments[first]
        least = begin._replace(steps=begin.steps + 1)
        return Stretch(begin, max(self.moments[last], least), self.latest[last])


def times_of(slots: Iterable[Element], pairs: Iterable[tuple[str, str]], path: str | Path | None = None) -> Times:
    """Return the times of a file.

    Args:
        slots: the time slots in the order of the file.
        pairs: the time slots of each annotation, also of those that have none.
        path: for messages.

    Raises:
        CorpusError: where time slots without a time each lie before the other.
    """
    times = {slot.attributes["TIME_SLOT_ID"]: milliseconds(slot.attributes.get("TIME_VALUE", "")) for slot in slots}
    before: dict[str, list[str]] = {name: [] for name in times}
    behind: dict[str, list[str]] = {name: [] for name in times}
    for first, last in pairs:
        if first in times and last in times and first != last:
            if times[last] is None:
                before[last].append(first)
            if times[first] is None:
                behind[first].append(last)
    try:
        order = [*TopologicalSorter(before).static_order()]
    except CycleError as error:
        names = ", ".join(sorted(set(error.args[1])))
        raise CorpusError(f"the time slots {names} each lie before the other; give them times in ELAN", path) from None
    moments = _in_file(times)
    for name in order:
        if before[name]:
            last_moment = max(moments[each] for each in before[name])
            moments[name] = last_moment._replace(steps=last_moment.steps + 1)
    latest = dict(times)
    for name in reversed(order):
        if times[name] is None:
            known = (latest[each] for each in behind[name])
            latest[name] = min((time for time in known if time is not None), default=None)
    return Times(moments, latest)


def milliseconds(written: str) -> int | None:
    """Return a time as ELAN writes it, None where it is none."""
    digits = written.removeprefix("-")
    return int(written) if digits.isascii() and digits.isdecimal() and len(digits) <= 12 else None


def owners(parts: Mapping[str, Stretch], wholes: Mapping[str, Stretch]) -> dict[str, str]:
    """Return the name of the whole that each part overlaps most.

    Parts that overlap none are left out, and so are wholes with the same stretch, which time does not tell apart.
    """
    counts = Counter(wholes.values())
    names = sorted((name for name in wholes if counts[wholes[name]] == 1), key=lambda name: wholes[name])
    begins = [wholes[name].begin for name in names]
    last_to_end: list[str] = []  # of the wholes up to each
    for name in names:
        before = last_to_end[-1] if last_to_end else name
        last_to_end.append(max(name, before, key=lambda each: wholes[each].end))
    found = {}
    for part, stretch in parts.items():
        first, last = bisect_right(begins, stretch.begin), bisect_left(begins, stretch.end)
        latest = max(first - 1, 0)  # of those that begin no later than the part
        near = last_to_end[latest:first] + names[latest:last]
        most = max(near, key=lambda name: (_shared(wholes[name], stretch), wholes[name].begin), default="")
        if most and _shared(wholes[most], stretch) > (0, 0, 0):
            found[part] = most
    return found


def _in_file(times: Mapping[str, int | None]) -> dict[str, Moment]:
    """Return the moments of time slots as their order in the file tells them."""
    moments, last, place = {}, UNKNOWN, 0
    for name, time in times.items():
        last, place = (last, place + 1) if time is None else (time, 0)
        moments[name] = Moment(last, place)
    return moments


def _shared(one: Stretch, other: Stretch) -> tuple[int, ...]:
    """Return the time and the steps that two stretches share, below zero for those that share none."""
    begin, end = max(one.begin, other.begin), min(one.end, other.end)
    return tuple(after - before for before, after in zip(begin, end, strict=True))
