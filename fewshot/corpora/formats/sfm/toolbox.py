r"""Read and write interlinear text of Toolbox and Shoebox: standard format markers (SFM).

Each ``\ref`` begins a sentence. Glosses are aligned below their words in columns, counted in bytes by Toolbox, and in
characters or by sight by other tools. UPOS has its own line ``\upos`` below, one tag per word: ``\ps`` describes
morphs, with categories of the language. Toolbox keeps unknown markers. Predicted tags are in ``\uposguess``.

Source: Toolbox 1.6 reference manual, "Interlinear text".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from fewshot.corpora import upos
from fewshot.corpora.files import Report, fail, line_after, read_rows, write_text
from fewshot.corpora.formats.common.interlinear import interlinear
from fewshot.corpora.formats.format import Format
from fewshot.corpora.formats.sfm.columns import WORD, Line, align_below, join_morphs
from fewshot.corpora.formats.sfm.fields import (
    BEGIN,
    CATEGORIES,
    COMMENTS,
    END,
    GLOSS,
    GUESS,
    MORPHS,
    REF,
    SOUND,
    TEXT,
    UPOS,
    end_of_word_lines,
    fields_of,
    reference_place,
    sentence_starts,
    tag_lines_of,
    word_line_places,
)
from fewshot.corpora.recordings import Recording, join_recordings, seconds, stretch
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines, original_lines
from fewshot.errors import CorpusError

STRETCH = re.compile(r"(.+?\.\w{2,5})(?:\s+([0-9.:]+)\s+([0-9.:]+))?", re.DOTALL)

HEAD = "\\_sh v3.0  400  Text\n\n"
UNKNOWN_MARK = "***"
"""Toolbox's mark below an unknown word."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    r"""Read the sentences of a file; words are separated by spaces.

    A sentence begins at ``\ref``; in a file without, at a translation above the words, or at ``\tx``. Its words
    may be in several lines, each with its own lines below. Fields without words, such as the heading of a text, stay
    with the next sentence.

    Args:
        report: receives the error of each sentence without one tag per word, whose tags become open.
    """
    path = Path(path)
    lines = read_rows(path)
    starts = sentence_starts(lines)
    if not starts:
        raise CorpusError(rf"no line of words (\{TEXT[0]} or \{TEXT[1]}) in this file; is it interlinear text?", path)
    above = (line.removeprefix("\ufeff") for line in lines[: starts[0]])
    setting = "".join(line for line in above if line.startswith("\\_"))
    heads = ["".join(lines[: starts[0]]), *[setting and setting + "\n"] * (len(starts) - 1)]
    blocks = zip(heads, starts, [*starts[1:], len(lines)], strict=True)
    rows = ((number, head, start, lines[start:end]) for number, (head, start, end) in enumerate(blocks, start=1))
    return [_sentence(path, row, report) for row in rows]


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS.

    Sentences of other sources, and those with repaired words, get lines of words, glosses and translations.

    Raises:
        CorpusError: for a word or tag with a space.
    """
    write_text(path, _texts(sentences))


def _texts(sentences: Iterable[Sentence]) -> Iterator[str]:
    before = ""
    for sentence in sentences:
        head, *lines = original_lines(sentence, FORMAT.name) or (HEAD,)
        is_known = bool(file_lines(sentence, FORMAT.name))
        text = _edited_text(sentence, lines) if is_known else _lines_before_reference(lines) + _new_text(sentence)
        if not before:
            yield head
        elif not before.endswith("\n"):
            yield "\n"
        yield text
        before = text


def oddities(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning) for a sentence of this format."""
    if not (lines := file_lines(sentence, FORMAT.name)[1:]):
        return
    fields = fields_of(lines)
    is_tagged = bool(tag_lines_of(fields))
    for field in fields:
        comments = (place for place in range(field.number + 1, field.stop) if lines[place].startswith("#"))
        if field.marker in TEXT and (place := next(comments, None)) is not None:
            message = "this line is read as words; if it is a comment, put it after a blank line"
            yield line_after(sentence.where, place), message
        tags = {*WORD.findall(field.text)} if field.marker in CATEGORIES and not is_tagged else set()
        if tags and tags <= {*upos.UPOS}:
            message = rf"UPOS is read from \{UPOS}, not from \{field.marker}; rename the marker if it has one a word"
            yield line_after(sentence.where, field.number), message
    for words, *below in _word_lines(fields):
        for line in filter(None, below):
            if WORD.search(line.text) and not align_below(words, line):
                message = rf"what \{line.marker} holds does not stand below its words, and is not shown with them"
                yield line_after(sentence.where, line.number), message


def _sentence(path: Path, row: tuple[int, str, int, list[str]], report: Report) -> Sentence:
    number, head, start, lines = row
    fields = fields_of(lines)
    words = tuple(word for place in word_line_places(fields) for word in WORD.findall(fields[place].text))
    tag_lines = tag_lines_of(fields)
    tags = [tag for field in tag_lines for tag in WORD.findall(field.text)]
    if tag_lines and len(tags) != len(words):
        message = f"{len(tags)} tags for {len(words)} words; give one a word, {UNANNOTATED} where it is open"
        report(CorpusError(message, path, start + tag_lines[0].number + 1))
        tags = []
    return Sentence(
        id=f"{path.stem}-{number}",
        text=" ".join(words),
        words=words,
        upos=tuple(tags),
        record=Record(FORMAT.name, (head, *lines)),
        interlinear=Interlinear(tuple(_glosses(fields)), _comments(fields)),
        predicted=("upos",) if tag_lines and tag_lines[0].marker.lower() == GUESS else (),
        where=f"{path}:{start + 1}",
        recording=_recording(fields),
    )


def _comments(fields: Sequence[Line]) -> dict[str, str]:
    comments: dict[str, list[str]] = {}
    for field in fields[reference_place(fields) :]:
        if field.marker in COMMENTS and field.text.strip():
            comments.setdefault(COMMENTS[field.marker], []).append(" ".join(field.text.split()))
    return {key: " / ".join(texts) for key, texts in comments.items()}


def _recording(fields: Sequence[Line]) -> Recording | None:
    """Return the recording of a sentence: with the times in its field, else those of ELAN, else the whole."""
    times = {field.marker: seconds(field.text.strip()) for field in fields if field.marker in (BEGIN, END)}
    recordings = []
    for field in fields:
        if field.marker in SOUND and (match := STRETCH.fullmatch(field.text.strip())):
            begin, end = (seconds(match[place] or "") for place in (2, 3))
            begin, end = (times.get(BEGIN), times.get(END)) if end is None else (begin, end)
            recordings.append(stretch(match[1], begin or 0.0, end))
    return join_recordings(recordings)


def _word_lines(fields: Sequence[Line]) -> Iterator[tuple[Line, Line | None, Line | None]]:
    """Yield each line of words with the lines of morphs and of glosses below it."""
    places = word_line_places(fields)
    for place, end in zip(places, [*places[1:], len(fields)], strict=True):
        morphs, glosses = (
            next((field for field in fields[place:end] if field.marker in markers), None) for markers in (MORPHS, GLOSS)
        )
        yield fields[place], morphs, glosses


def _glosses(fields: Sequence[Line]) -> Iterator[dict[str, str]]:
    for words, morphs, glosses in _word_lines(fields):
        columns = [align_below(words, line) if line else [] for line in (morphs, glosses)]
        for number in range(len(WORD.findall(words.text))):
            parts, gloss = (column[number] if column else [] for column in columns)
            values = {"Gloss": join_morphs(gloss), "MSeg": join_morphs(parts) if len(parts) > 1 else ""}
            yield {key: value for key, value in values.items() if value not in ("", UNKNOWN_MARK)}


def _edited_text(sentence: Sentence, lines: Sequence[str]) -> str:
    fields = fields_of(lines)
    tag_lines = tag_lines_of(fields)
    rows = [WORD.findall(field.text) for field in tag_lines]
    old = tuple(chain(*rows))
    marker = GUESS if sentence.predicted else UPOS
    is_open = set(sentence.upos) == {UNANNOTATED}
    unfit = len(old) != len(sentence.words)  # or there are no tags
    if (sentence.upos == old and tag_lines and tag_lines[0].marker.lower() == marker) or (is_open and unfit):
        return "".join(lines)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    edited, tags = list(lines), iter(_tags(sentence))
    if not tag_lines:
        place = end_of_word_lines(fields)
        closed = edited[place - 1].endswith("\n")
        edited.insert(place, f"{'' if closed else end}\\{marker} {' '.join(tags)}{end}")
    sizes = [len(row) for row in rows] if not unfit else [len(sentence.words)]
    for number, field in enumerate(tag_lines):
        row = list(islice(tags, sizes[number])) if number < len(sizes) else []
        edited[field.number : field.stop] = [""] * (field.stop - field.number)
        name = field.marker if field.marker.lower() == marker else marker
        edited[field.number] = f"{field.indent}\\{name} {' '.join(row)}{end}" if row and not is_open else ""
    return "".join(edited)


def _lines_before_reference(lines: Sequence[str]) -> str:
    fields = fields_of(lines)
    return "".join(lines[: fields[reference_place(fields)].number]) if fields else ""


def _tags(sentence: Sentence) -> tuple[str, ...]:
    if bad := next((tag for tag in sentence.upos if not WORD.fullmatch(tag)), None):
        raise CorpusError(f"{sentence.id}: the tag {bad!r} has a space in it, which Toolbox cannot hold; rename it")
    return sentence.upos


def _new_text(sentence: Sentence) -> str:
    if bad := next((word for word in sentence.words if not WORD.fullmatch(word)), None):
        raise CorpusError(
            f"{sentence.id}: the word {bad!r} has a space in it, which Toolbox cannot hold; choose CoNLL-U"
        )
    glossed = interlinear(sentence)
    glosses = [".".join(WORD.findall(items.get("Gloss", ""))) for items in glossed.words]
    rows = [(word, gloss or UNKNOWN_MARK) for word, gloss in zip(sentence.words, glosses, strict=True)]
    widths = [max(len(cell.encode()) for cell in row) for row in rows]
    lines = {TEXT[0]: [word for word, _ in rows]} | ({GLOSS[0]: [gloss for _, gloss in rows]} if any(glosses) else {})
    made = [f"\\{REF} {' '.join(sentence.id.split())}"]
    for marker, cells in lines.items():
        padded = (cell + " " * (width - len(cell.encode())) for cell, width in zip(cells, widths, strict=True))
        made.append(f"\\{marker} {' '.join(padded).rstrip(' ')}")
    if set(sentence.upos) != {UNANNOTATED}:
        made.append(f"\\{GUESS if sentence.predicted else UPOS} {' '.join(_tags(sentence))}")
    free = (value for key, value in glossed.lines.items() if key.startswith("text_"))
    made += [f"\\ft {' '.join(value.split())}" for value in free]
    return "\n".join(chain(made, ["", ""]))


FORMAT = Format(
    name="sfm",
    title="Toolbox interlinear text",
    rank=11,
    suffixes=(".sfm",),
    holds={Sentence.kind: ("upos",)},
    opens={Sentence.kind: Sentence.columns},
    read=lambda path, options: read(path, options.report),
    write=lambda sentences, path, columns: write(sentences, path),
    begins="\\",
    also=(".txt",),
    units=True,
    marks_begun=False,
)
