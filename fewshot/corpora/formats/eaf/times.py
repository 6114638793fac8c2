"""Times of the time slots of an ELAN file, and overlap of time spans.

A time slot may lack a time. Annotations that share time slots form a chain, ``ts1-ts3``, ``ts3-ts4``, ``ts4-ts2``: a
slot without a time is after the previous slot of its chain, wherever the slots are in the file.

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

from fewshot.corpora.formats.common.markup import Element
from fewshot.errors import CorpusError

UNKNOWN = -(10**12)
"""The time of moments before all times of the file."""


class Moment(NamedTuple):
    """The time of a slot; moments compare in the order of time.

    Args:
        time: in milliseconds; for a slot without a time that of the last slot before it with a time, else `UNKNOWN`.
        place: for a slot without a time at the beginning of a chain: its position in the file after that slot.
        steps: number of annotations in the chain before the slot.
    """

    time: int
    place: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """A time span, never of zero length.

    Args:
        latest: upper bound of its end in milliseconds; None when unknown.
    """

    begin: Moment
    end: Moment
    latest: int | None = field(default=None, compare=False)


NOWHERE = Stretch(Moment(UNKNOWN), Moment(UNKNOWN, 0, 1))


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a file, by time slot.

    Args:
        latest: upper bound of each slot in milliseconds; None when unknown.
    """

    moments: Mapping[str, Moment]
    latest: Mapping[str, int | None]

    def stretch(self, first: str, last: str) -> Stretch | None:
        """Return the span between two time slots, or None when one of them is missing."""
        if first not in self.moments or last not in self.moments:
            return None
        begin = self.moments[first]
        least = begin._replace(steps=begin.steps + 1)
        return Stretch(begin, max(self.moments[last], least), self.latest[last])


def times_of(slots: Iterable[Element], pairs: Iterable[tuple[str, str]], path: str | Path | None = None) -> Times:
    """Return the times of a file.

    Args:
        slots: the time slots in file order.
        pairs: first and last time slot of each annotation, empty strings if it has none.

    Raises:
        CorpusError: for a cycle of time slots without a time.
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
    moments = _moments_in_file_order(times)
    for name in order:
        if before[name]:
            last_moment = max(moments[slot] for slot in before[name])
            moments[name] = last_moment._replace(steps=last_moment.steps + 1)
    latest = dict(times)
    for name in reversed(order):
        if times[name] is None:
            known = (latest[slot] for slot in behind[name])
            latest[name] = min((time for time in known if time is not None), default=None)
    return Times(moments, latest)


def milliseconds(written: str) -> int | None:
    """Parse a time of ELAN, None when invalid."""
    digits = written.removeprefix("-")
    return int(written) if digits.isascii() and digits.isdecimal() and len(digits) <= 12 else None


def owners(parts: Mapping[str, Stretch], wholes: Mapping[str, Stretch]) -> dict[str, str]:
    """Return the name of the whole that overlaps most with each part.

    Parts without overlap are left out, and so are wholes with equal spans, which time cannot distinguish.
    """
    counts = Counter(wholes.values())
    names = sorted((name for name in wholes if counts[wholes[name]] == 1), key=lambda name: wholes[name])
    begins = [wholes[name].begin for name in names]
    last_to_end: list[str] = []  # for each whole, the last to end among those up to it
    for name in names:
        before = last_to_end[-1] if last_to_end else name
        last_to_end.append(max(name, before, key=lambda whole: wholes[whole].end))
    owner_of = {}
    for part, stretch in parts.items():
        first, last = bisect_right(begins, stretch.begin), bisect_left(begins, stretch.end)
        latest = max(first - 1, 0)  # the last whole that begins no later than the part
        near = last_to_end[latest:first] + names[latest:last]
        most = max(near, key=lambda name: (_shared(wholes[name], stretch), wholes[name].begin), default="")
        if most and _shared(wholes[most], stretch) > (0, 0, 0):
            owner_of[part] = most
    return owner_of


def _moments_in_file_order(times: Mapping[str, int | None]) -> dict[str, Moment]:
    moments, last, place = {}, UNKNOWN, 0
    for name, time in times.items():
        last, place = (last, place + 1) if time is None else (time, 0)
        moments[name] = Moment(last, place)
    return moments


def _shared(first: Stretch, second: Stretch) -> tuple[int, ...]:
    """Return the overlap of two spans in time and steps; negative without overlap."""
    begin, end = max(first.begin, second.begin), min(first.end, second.end)
    return tuple(after - before for before, after in zip(begin, end, strict=True))
