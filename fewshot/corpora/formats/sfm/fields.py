"""Fields of Toolbox's interlinear text: their markers, and the lines of words and tags."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fewshot.corpora.formats.sfm.columns import WORD, Line

REF, ID = "ref", "id"
"""Markers that begin a sentence and a text."""

TEXT, MORPHS, GLOSS = ("tx", "t"), ("mb", "m", "mr"), ("ge", "gl", "g", "gw")
"""Markers of words, morphs and glosses, as in the projects that come with Toolbox."""

FREE = {"ft": "text_und", "f": "text_und", "fe": "text_en", "fte": "text_en", "fn": "text_und", "lt": "literal_und"}
NOTE = {"nt": "note_und", "cmt": "note_und", "ref": "ref"}
COMMENTS = FREE | NOTE
"""CoNLL-U comment keys for lines about the sentence; the language of a translation is unknown."""

SOUND = ("sound", "snd", "sf")
"""Markers of a recording, often with times after the name; values without a file suffix are ignored."""

BEGIN, END = "ELANBegin", "ELANEnd"
"""Markers of the times of a recording, as exported by ELAN."""

UPOS, GUESS = "upos", "uposguess"

CATEGORIES = ("ps", "pos")
"""Markers of categories of morphs."""

COLUMN_MARKERS = (*TEXT, *MORPHS, *GLOSS, *CATEGORIES, UPOS, GUESS)
"""Markers of the lines that are read in columns."""

SENTENCE_MARKERS = (*COMMENTS, *SOUND, BEGIN, END, REF, ID, "dt")
"""Markers of lines about the sentence; other lines after one of `COLUMN_MARKERS` belong to its words as well."""

FIELD = re.compile(r"((?:[ \t]+(?=\\[A-Za-z_]\w*(?:\s|$)))?)\\(\S+)([ \t]*)(.*)", re.DOTALL)


def sentence_starts(lines: Sequence[str]) -> list[int]:
    """Return where each sentence begins; fields without words belong to the next one, or to the last."""
    fields = fields_of(lines)
    markers = [field.marker for field in fields]
    text = _text_marker(fields)
    above = markers[: markers.index(text)] if text else markers
    last = {marker: place for place, marker in enumerate(markers)}
    translations = (marker for marker in dict.fromkeys(above) if marker in FREE and last[marker] < last.get(text, 0))
    free = next((marker for marker in translations if markers.count(marker) >= markers.count(text)), text)
    first = REF if REF in above else free
    begins, starts, has_words, is_translated = None, [], False, False
    for field in fields:
        is_next = field.marker in (first, ID) or (is_translated and field.marker == text)
        if is_next and (has_words or begins is None):
            begins, has_words, is_translated = field.number, False, False
        if field.marker == text and WORD.search(field.text) and not has_words:
            starts.append(field.number if begins is None else begins)
            has_words = True
        is_translated |= has_words and field.marker in FREE
    return starts


def _text_marker(fields: Sequence[Line]) -> str:
    r"""Return the marker of the words: if ``\tx`` is used, ``\t`` has another meaning, such as a title."""
    spoken = {field.marker for field in fields if WORD.search(field.text)}
    return next((marker for marker in TEXT if marker in spoken), "")


def fields_of(lines: Sequence[str]) -> list[Line]:
    """Return the fields of a file or a sentence, each with its continuation lines.

    Blank lines at the end of a field, and comments (lines that begin with ``#`` after a blank line), are not part of
    it.
    """
    matches = [(number, FIELD.match(line.removeprefix("\ufeff"))) for number, line in enumerate(lines)]
    headed = [(number, match) for number, match in matches if match]
    ends = [*(number for number, _ in headed[1:]), len(lines)]
    fields = []
    for (number, match), end in zip(headed, ends, strict=False):
        stop = _end_of_field(lines, number + 1, end)
        text = (match[4] + "".join(lines[number + 1 : stop])).rstrip("\r\n")
        fields.append(Line(number, match[2], match[3], text, match[1], stop))
    return fields


def _end_of_field(lines: Sequence[str], start: int, end: int) -> int:
    """Return the number of the blank line after which only comments or no lines follow, else ``end``."""
    begins, stop = "", end
    for place in reversed(range(start, end)):
        begins = lines[place].strip()[:1] or begins
        if not lines[place].strip() and begins in ("", "#"):
            stop = place
    return stop


def tag_lines_of(fields: Sequence[Line]) -> list[Line]:
    """Return the lines of tags by people, else of a model."""
    both = ([field for field in fields if field.marker.lower() == marker] for marker in (UPOS, GUESS))
    return next(filter(None, both), [])


def word_line_places(fields: Sequence[Line]) -> list[int]:
    """Return the indices of the fields with words."""
    text = _text_marker(fields)
    return [place for place, field in enumerate(fields) if field.marker == text and WORD.search(field.text)]


def reference_place(fields: Sequence[Line]) -> int:
    """Return the index of the reference of a sentence, after fields without words."""
    silent = fields[: word_line_places(fields)[0]]
    return max((place for place, field in enumerate(silent) if field.marker == REF), default=0)


def end_of_word_lines(fields: Sequence[Line]) -> int:
    """Return the line number behind the words of a sentence and the lines that belong to its words."""
    last = max(place for place, field in enumerate(fields) if field.marker in COLUMN_MARKERS)
    while last + 1 < len(fields):
        field = fields[last + 1]
        if field.marker in SENTENCE_MARKERS or field.number > fields[last].stop:
            break
        last += 1
    return fields[last].stop
