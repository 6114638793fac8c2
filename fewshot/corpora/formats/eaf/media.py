"""Recordings of the sentences of an ELAN transcript.

Source: EAF 3.0, elements HEADER, MEDIA_DESCRIPTOR and TIME_SLOT.
"""

from __future__ import annotations

from dataclasses import dataclass

from fewshot.corpora.formats.eaf.tiers import EafAnnotation, Transcript
from fewshot.corpora.formats.eaf.times import UNKNOWN, milliseconds
from fewshot.corpora.recordings import Recording, stretch


@dataclass(frozen=True, slots=True)
class Media:
    """The media file of a transcript.

    Args:
        file: path or URL in the transcript; empty for none.
        origin: start of the transcript in the file, in milliseconds.
    """

    file: str
    origin: int

    def heard(self, transcript: Transcript, annotation: EafAnnotation) -> Recording | None:
        """Return the recording of an annotation; None when unknown."""
        span = transcript.stretch(annotation)
        begin, end = span.begin.time, span.latest
        if not self.file or begin == UNKNOWN or end is None:
            return None
        return stretch(self.file, (begin + self.origin) / 1000, (end + self.origin) / 1000)


def media_of(transcript: Transcript) -> Media:
    """Return the media file of a transcript: the first sound, else the first video."""
    header = transcript.root.first("HEADER")
    known = header.attributes if header else {}
    described = [media.attributes for media in header.find("MEDIA_DESCRIPTOR")] if header else []
    chosen = min(described, key=lambda media: not media.get("MIME_TYPE", "").startswith("audio/"), default={})
    named = chosen.get("MEDIA_URL") or chosen.get("RELATIVE_MEDIA_URL") or known.get("MEDIA_FILE", "")
    if known.get("TIME_UNITS", "milliseconds") != "milliseconds":
        named = ""  # old files count video frames
    return Media(named, milliseconds(chosen.get("TIME_ORIGIN", "")) or 0)
