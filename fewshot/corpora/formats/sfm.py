r"""Read and write interlinear text of Toolbox and Shoebox: standard format markers (SFM), one ``\ref`` a sentence.

Glosses stand below their words, in columns that Toolbox counts in bytes and other tools in characters. UPOS is a line
of its own below these, ``\upos``, one tag a word: ``\ps`` is of morphs, and holds the language's own categories; a
marker that Toolbox does not know it keeps as it is. What a model has chosen is in ``\uposguess``.

Source: Toolbox 1.6 reference manual, "Interlinear text".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from fewshot.corpora.files import Report, fail, read_rows, write_text
from fewshot.corpora.formats.columns import WORD, Line, below, joined
from fewshot.corpora.formats.conllu import interlinear
from fewshot.corpora.formats.format import Format
from fewshot.corpora.recordings import Recording, seconds, stretch, together
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines, original_lines
from fewshot.errors import CorpusError

REF, ID = "ref", "id"
"""Markers that begin a sentence and a text."""

TEXT, MORPHS, GLOSS = ("tx", "t"), ("mb", "m", "mr"), ("ge", "gl", "g", "gw")
"""Markers of the words and of what stands below them, as the projects that come with Toolbox call them."""

FREE = {"ft": "text_und", "f": "text_und", "fe": "text_en", "fte": "text_en", "fn": "text_und", "lt": "literal_und"}
NOTE = {"nt": "note_und", "cmt": "note_und", "ref": "ref"}
COMMENTS = FREE | NOTE
"""What CoNLL-U calls the other lines; the language of a translation is not said."""

SOUND = ("sound", "snd", "sf")
"""Markers of a recording, often with begin and end behind its name; what has no ending is something else."""

BEGIN, END = "ELANBegin", "ELANEnd"
"""Markers of its times, as ELAN exports them."""

STRETCH = re.compile(r"(.+?\.\w{2,5})(?:\s+([0-9.:]+)\s+([0-9.:]+))?", re.DOTALL)

UPOS, GUESS = "upos", "uposguess"

BELOW = (*TEXT, *MORPHS, *GLOSS, "ps", "pos", UPOS, GUESS)
"""Markers of the lines that are read in columns."""

FIELD = re.compile(r"\\(\S+)([ \t]*)(.*)", re.DOTALL)
HEAD = "\\_sh v3.0  400  Text\n\n"
FAILED = "***"
"""What stands below a word of which Toolbox knows nothing."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    r"""Read the sentences of a file.

    Args:
        path: a UTF-8 file. A sentence begins at ``\ref``, or at ``\tx`` in a file without; it may have its words in
            several lines, each with what is below it.
        report: told of each sentence whose tags are not one a word.

    Returns:
        The sentences, named ``<file stem>-<number>``; words are what spaces divide. What has no words, such as the
        heading of a text, stays with the sentence behind it.

    Raises:
        CorpusError: with ``file:line``, for a file without a line of words.
    """
    path = Path(path)
    lines = read_rows(path)
    starts = _starts(lines)
    if not starts:
        raise CorpusError(rf"no line of words (\{TEXT[0]} or \{TEXT[1]}) in this file; is it interlinear text?", path)
    setting = "".join(line for line in lines[: starts[0]] if line.startswith("\\_"))
    heads = ["".join(lines[: starts[0]]), *[setting and setting + "\n"] * (len(starts) - 1)]
    blocks = zip(heads, starts, [*starts[1:], len(lines)], strict=True)
    rows = ((number, head, start, lines[start:end]) for number, (head, start, end) in enumerate(blocks, start=1))
    return [_sentence(path, row, report) for row in rows]


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS, atomically.

    Sentences of other sources, and those whose words were repaired, get lines of words, glosses and translations.

    Raises:
        CorpusError: when a word has a space or line end in it, or the file cannot be written.
    """
    write_text(path, _texts(sentences))


def _texts(sentences: Iterable[Sentence]) -> Iterator[str]:
    before = ""
    for sentence in sentences:
        head, *lines = original_lines(sentence, FORMAT.name) or (HEAD,)
        is_known = bool(file_lines(sentence, FORMAT.name))
        text = _in_place(sentence, lines) if is_known else _silent(lines) + _fresh(sentence)
        if not before:
            yield head
        elif not before.endswith("\n"):
            yield "\n"
        yield text
        before = text


def _starts(lines: Sequence[str]) -> list[int]:
    """Return where each sentence begins; what has no words belongs to the next one, or to the last."""
    fields = _fields(lines)
    markers = [field.marker for field in fields]
    text = next((marker for marker in TEXT if marker in markers), "")
    is_above = REF in markers and (not text or markers.index(REF) < markers.index(text))
    first = REF if is_above else text
    begins, starts, has_words = None, [], False
    for field in fields:
        if field.marker in (first, ID) and (has_words or begins is None):
            begins, has_words = field.number, False
        if field.marker in TEXT and WORD.search(field.text) and not has_words:
            starts.append(field.number if begins is None else begins)
            has_words = True
    return starts


def _fields(lines: Sequence[str]) -> list[Line]:
    """Return the fields of a file or a sentence, each with the lines that it goes on in."""
    matches = [(number, FIELD.match(line.removeprefix("\ufeff"))) for number, line in enumerate(lines)]
    found = [(number, match) for number, match in matches if match]
    ends = [*(number for number, _ in found[1:]), len(lines)]
    return [
        Line(number, match[1], match[2], (match[3] + "".join(lines[number + 1 : end])).rstrip("\r\n"))
        for (number, match), end in zip(found, ends, strict=False)
    ]


def _sentence(path: Path, row: tuple[int, str, int, list[str]], report: Report) -> Sentence:
    """Return a sentence; where its tags do not fit its words, that is reported and they are open."""
    number, head, start, lines = row
    fields = _fields(lines)
    words = tuple(word for field in fields if field.marker in TEXT for word in WORD.findall(field.text))
    said = next((field for field in fields if field.marker in (UPOS, GUESS)), None)
    tags = WORD.findall(said.text) if said else []
    if said and len(tags) != len(words):
        message = f"{len(tags)} tags for {len(words)} words; give one a word, {UNANNOTATED} where it is open"
        report(CorpusError(message, path, start + said.number + 1))
        tags = []
    return Sentence(
        id=f"{path.stem}-{number}",
        text=" ".join(words),
        words=words,
        upos=tuple(tags),
        record=Record(FORMAT.name, (head, *lines)),
        interlinear=Interlinear(tuple(_glosses(fields)), _comments(fields)),
        predicted=("upos",) if said and said.marker == GUESS else (),
        where=f"{path}:{start + 1}",
        recording=_recording(fields),
    )


def _spoken(fields: Sequence[Line]) -> list[int]:
    """Return the places of the lines that have words."""
    return [place for place, field in enumerate(fields) if field.marker in TEXT and WORD.search(field.text)]


def _begins(fields: Sequence[Line]) -> int:
    """Return the place of the reference of a sentence, behind what has no words."""
    silent = fields[: _spoken(fields)[0]]
    return max((place for place, field in enumerate(silent) if field.marker == REF), default=0)


def _comments(fields: Sequence[Line]) -> dict[str, str]:
    found: dict[str, str] = {}
    begins = _begins(fields)
    for field in fields[begins:]:
        if field.marker in COMMENTS and field.text.strip():
            key = COMMENTS[field.marker]
            text = " ".join(field.text.split())
            found[key] = f"{found[key]} / {text}" if key in found else text
    return found


def _recording(fields: Sequence[Line]) -> Recording | None:
    """Return where a sentence is heard: between the times of its recording, else of ELAN, else in all of it."""
    said = {field.marker: seconds(field.text.strip()) for field in fields if field.marker in (BEGIN, END)}
    found = []
    for field in fields:
        if field.marker in SOUND and (match := STRETCH.fullmatch(field.text.strip())):
            begin, end = (seconds(match[place] or "") for place in (2, 3))
            begin, end = (said.get(BEGIN), said.get(END)) if end is None else (begin, end)
            found.append(stretch(match[1], begin or 0.0, end))
    return together(found)


def _glosses(fields: Sequence[Line]) -> Iterator[dict[str, str]]:
    """Yield what stands below each word."""
    places = _spoken(fields)
    for place, end in zip(places, [*places[1:], len(fields)], strict=True):
        words = fields[place]
        morphs, glosses = (
            next((field for field in fields[place:end] if field.marker in markers), None) for markers in (MORPHS, GLOSS)
        )
        columns = [below(words, line) if line else [] for line in (morphs, glosses)]
        for number in range(len(WORD.findall(words.text))):
            parts, gloss = (column[number] if column else [] for column in columns)
            found = {"Gloss": joined(gloss), "MSeg": joined(parts) if len(parts) > 1 else ""}
            yield {key: value for key, value in found.items() if value not in ("", FAILED)}


def _in_place(sentence: Sentence, lines: Sequence[str]) -> str:
    """Return the lines of a sentence with its tags as they are now."""
    fields = _fields(lines)
    said = next((field for field in fields if field.marker in (UPOS, GUESS)), None)
    old = tuple(WORD.findall(said.text)) if said else ()
    marker = GUESS if sentence.predicted else UPOS
    is_open = set(sentence.upos) == {UNANNOTATED}
    unfit = len(old) != len(sentence.words)  # or there are none
    if (sentence.upos == old and said and said.marker == marker) or (is_open and unfit):
        return "".join(lines)
    last = max(field.number for field in fields if field.marker in BELOW)
    behind = next((field.number for field in fields if field.number > last), len(lines))
    while not said and behind > last + 1 and not lines[behind - 1].strip():
        behind -= 1  # blank lines end a sentence
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    made = "" if is_open else f"\\{marker} {_tags(sentence)}{end}"
    if said:
        stop = next((field.number for field in fields if field.number > said.number), len(lines))
        while stop > said.number + 1 and not lines[stop - 1].strip():
            stop -= 1
        return "".join([*lines[: said.number], made, *lines[stop:]])
    before = "".join(lines[:behind])
    return before + ("" if before.endswith("\n") else end) + made + "".join(lines[behind:])


def _silent(lines: Sequence[str]) -> str:
    """Return what stands before the reference of a sentence."""
    fields = _fields(lines)
    return "".join(lines[: fields[_begins(fields)].number]) if fields else ""


def _tags(sentence: Sentence) -> str:
    if bad := next((tag for tag in sentence.upos if not WORD.fullmatch(tag)), None):
        raise CorpusError(f"{sentence.id}: the tag {bad!r} has a space in it, which Toolbox cannot hold; rename it")
    return " ".join(sentence.upos)


def _fresh(sentence: Sentence) -> str:
    """Return lines for a sentence from elsewhere, its glosses in columns of bytes."""
    if bad := next((word for word in sentence.words if not WORD.fullmatch(word)), None):
        raise CorpusError(
            f"{sentence.id}: the word {bad!r} has a space in it, which Toolbox cannot hold; choose CoNLL-U"
        )
    beside = interlinear(sentence)
    glosses = [".".join(WORD.findall(items.get("Gloss", ""))) for items in beside.words]
    rows = [(word, gloss or FAILED) for word, gloss in zip(sentence.words, glosses, strict=True)]
    widths = [max(len(cell.encode()) for cell in row) for row in rows]
    lines = {TEXT[0]: [word for word, _ in rows]} | ({GLOSS[0]: [gloss for _, gloss in rows]} if any(glosses) else {})
    made = [f"\\{REF} {' '.join(sentence.id.split())}"]
    for marker, cells in lines.items():
        padded = (cell + " " * (width - len(cell.encode())) for cell, width in zip(cells, widths, strict=True))
        made.append(f"\\{marker} {' '.join(padded).rstrip(' ')}")
    if set(sentence.upos) != {UNANNOTATED}:
        made.append(f"\\{GUESS if sentence.predicted else UPOS} {_tags(sentence)}")
    free = (value for key, value in beside.lines.items() if key.startswith("text_"))
    made += [f"\\ft {' '.join(value.split())}" for value in free]
    return "\n".join(chain(made, ["", ""]))


FORMAT = Format(
    name="sfm",
    title="Toolbox interlinear text",
    rank=11,
    suffixes=(".sfm",),
    holds={Sentence.kind: ("upos",)},
    opens={Sentence.kind: Sentence.columns},
    read=lambda path, how: read(path, how.report),
    write=lambda sentences, path, columns: write(sentences, path),
    begins="\\",
    also=(".txt",),
    units=True,
)
