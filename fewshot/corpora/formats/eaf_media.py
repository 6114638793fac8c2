"""Where a sentence of an ELAN transcript is heard: which media file, from when to when.

Source: EAF 3.0, elements HEADER, MEDIA_DESCRIPTOR and TIME_SLOT. A time slot need not say its time; what lies there is
heard somewhere between the ones around it that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewshot.corpora.formats.eaf_tiers import Annotation, Transcript, milliseconds
from fewshot.corpora.recordings import Recording, stretch


@dataclass(frozen=True, slots=True)
class Media:
    """The media file of a transcript.

    Args:
        file: as the transcript names it; empty where it names none.
        begins: for each moment, in order, the latest time that is said up to it, in seconds; None before all.
        ends: likewise the earliest from it on; None behind all.
    """

    file: str
    begins: Sequence[float | None]
    ends: Sequence[float | None]

    def heard(self, transcript: Transcript, annotation: Annotation) -> Recording | None:
        """Return where an annotation is heard; None where the transcript does not say it."""
        first, last = transcript.span(annotation)
        if not self.file or first == last:
            return None
        begin, end = self.begins[first], self.ends[last]
        return None if begin is None or end is None else stretch(self.file, begin, end)


def media_of(transcript: Transcript) -> Media:
    """Return the media file of a transcript: the first sound, else the first film, whose sound has mostly its name."""
    header = transcript.root.first("HEADER")
    known = header.attributes if header else {}
    described = [one.attributes for one in header.find("MEDIA_DESCRIPTOR")] if header else []
    chosen = min(described, key=lambda one: not one.get("MIME_TYPE", "").startswith("audio/"), default={})
    named = chosen.get("MEDIA_URL") or chosen.get("RELATIVE_MEDIA_URL") or known.get("MEDIA_FILE", "")
    if known.get("TIME_UNITS", "milliseconds") != "milliseconds":
        named = ""  # frames of a film, of old files
    origin = milliseconds(chosen.get("TIME_ORIGIN", "")) or 0
    times = [None if time is None else (time + origin) / 1000 for time in transcript.moments.times]
    return Media(named, _carried(times), _carried(times[::-1])[::-1])


def _carried(times: Sequence[float | None]) -> list[float | None]:
    """Return times with the last one that is known where one is not."""
    made: list[float | None] = []
    last = None
    for time in times:
        last = last if time is None else time
        made.append(last)
    return made
