"""Read and write named entities as WebAnno TSV 3.3 for INCEpTION; other layers are not kept.

WebAnno TSV keeps the text as written and works with the built-in layer *Named entity* (INCEpTION reads tags and trees
from CoNLL-U). It cannot mark words as not annotated: they are outside any entity.

Source: INCEpTION user guide, "WebAnno TSV 3.3 File format"; offsets are counted in UTF-16.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from fewshot.corpora import fields, iob, offsets
from fewshot.corpora.files import Report, fail, keep, read_rows, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import CorpusError

BEGINS = "#FORMAT=WebAnno TSV 3"
LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
HEADER = f"{BEGINS}.3\n#T_SP={LAYER}|value\n\n"

FILE_PREFIXES = ("#FORMAT", "#T_")
"""Prefixes of lines that describe the whole file."""

DECLARED = re.compile("#T_(SP|CH|RL)=(.*)")
"""The line of a layer of spans, chains or relations, with a column for each of its features."""

NO_VALUE = "*"
"""The value of an entity without one; a literal star is escaped."""

SENTENCE_PREFIXES = ("#Text=", "#Sentence")
"""Prefixes of the lines above the words of a sentence."""

OFFSETS_IN_TEXT, TEXT_OFFSETS = ("", ".0", ".1"), re.compile(r"^#Text=\d+-\d+#")
"""Versions of the format in which the text of a sentence follows its offsets."""

IN_TEXT, IN_VALUE = re.compile(r"[\\\t]"), re.compile(r"->|[\\\t\[\]|_;*]")
"""Characters escaped in a text and in a value; a tab is escaped as a letter."""

ESCAPED = re.compile(r"\\(->|.)")
VALUE = re.compile(r"((?:\\.|[^\\\[\]|])*)(?:\[(\d+)\])?")
"""A value, with the number of the entity if it has several words."""

TOKEN = re.compile(r"\d+-\d+(\.\d+)?")
"""Number of a token, or of a part of one."""

ONE_VALUE = re.compile(r"(?:\\.|[^|])+")
"""The value of one entity of a word; bars stand between several."""

Row = tuple[int, str]

Token = tuple[int, str, str]
"""Line, word and the values of its entities."""


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write entities as WebAnno TSV 3.3."""
    blocks = []
    begin, entity = 0, 0
    for number, sentence in enumerate(sentences, start=1):
        text, places = offsets.lay_out(sentence)
        lines = [f"#Text={_escaped(IN_TEXT, text)}"]
        labels, entity = _labels(sentence, entity)
        place = 0
        for word, ((start, end), label) in enumerate(zip(places, labels, strict=True), start=1):
            first = begin + _utf16_length(text[place:start])
            begin, place = first + _utf16_length(text[start:end]), end
            lines.append(f"{number}-{word}\t{first}-{begin}\t{_escaped(IN_TEXT, text[start:end])}\t{label}\t")
        blocks.append("\n" + "\n".join(lines) + "\n")
        begin += _utf16_length(text[place:]) + 1
    write_text(path, HEADER + "".join(blocks))


def _labels(sentence: Sentence, entity: int) -> tuple[list[str], int]:
    """Return the value of each word, and the number of the last entity of several words so far."""
    labels: list[list[str]] = [[] for _ in sentence.words]
    for first, end, label in iob.spans(sentence.entities):
        number = f"[{entity + 1}]" if end - first > 1 else ""
        entity += bool(number)
        for values in labels[first:end]:
            values.append(_escaped(IN_VALUE, label) + number)
    return ["|".join(values) or UNANNOTATED for values in labels], entity


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    """Read entities from WebAnno TSV 3; other layers are ignored, words outside entities get ``O``.

    Raises:
        CorpusError: with ``file:line``, for a file without named entities, an invalid line, an entity on a part of a
            word, or overlapping entities of which none is inside the other.
    """
    path = Path(path)
    lines = [line.rstrip("\r\n").removeprefix("\ufeff") for line in read_rows(path)]
    begins = next((line for line in lines if line.strip()), "")
    if not begins.startswith(BEGINS):
        raise CorpusError(f"the first line must be {BEGINS}.3; name a file of words and tags .bio", path, 1)
    column = _column(path, lines)
    if begins.removeprefix(BEGINS) in OFFSETS_IN_TEXT:
        lines = [TEXT_OFFSETS.sub("#Text=", line) for line in lines]
    sentences = list(keep(partial(_sentence, path, column), enumerate(_blocks(lines), start=1), report))
    if not sentences:
        raise CorpusError("no sentence in this file", path)
    return sentences


def _column(path: Path, lines: list[str]) -> int:
    """Return the index of the column with the entities' values.

    A layer without features has one column; a relation layer has another one for its first word.
    """
    column = 3
    for line in lines:
        if match := DECLARED.fullmatch(line):
            kind, (layer, *features) = match[1], match[2].split("|")
            if kind == "SP" and layer == LAYER and "value" in features:
                return column + features.index("value")
            column += max(len(features), 2 if kind == "RL" else 1)
    raise CorpusError(f"no layer of named entities; a line '#T_SP={LAYER}|value' declares it", path)


def _blocks(lines: list[str]) -> Iterator[list[Row]]:
    """Yield the rows of each sentence: between blank lines and with one sentence number."""
    block: list[Row] = []
    sentence = None
    for row in enumerate(lines, start=1):
        is_row = bool(row[1].strip()) and not row[1].startswith(FILE_PREFIXES)
        token = TOKEN.match(row[1])
        number = token[0].partition("-")[0] if token else None
        is_next = sentence is not None and (row[1].startswith(SENTENCE_PREFIXES) or number not in (None, sentence))
        if block and (is_next or not is_row):
            yield block
            block, sentence = [], None
        if is_row:
            block.append(row)
            sentence = number or sentence
    if block:
        yield block


def _sentence(path: Path, column: int, block: tuple[int, list[Row]]) -> Sentence:
    number, rows = block
    text = "\n".join(_plain(line.removeprefix("#Text=")) for _, line in rows if line.startswith("#Text="))
    tokens = list(_tokens(path, column, rows))
    words = tuple(word for _, word, _ in tokens)
    if not words:
        raise CorpusError("a sentence without words; remove it", path, rows[0][0])
    tags, where = iob.tags_of(_spans(path, tokens), len(words)), f"{path}:{rows[0][0]}"
    return Sentence(f"{path.stem}-{number}", text.strip() or " ".join(words), words, entities=tags, where=where)


def _spans(path: Path, tokens: Sequence[Token]) -> list[iob.Span]:
    """Return the entities of a sentence; those with a number may have several words."""
    spans: list[iob.Span] = []
    before: dict[tuple[str, str | None], int] = {}  # places of the entities of the last word
    seen: set[tuple[str, str]] = set()
    for word, (line, _, values) in enumerate(tokens):
        places = {}
        for label, number in _values(values, path, line):
            if number and (label, number) in seen and (label, number) not in before:
                message = f"the entity [{number}] has words apart from each other; give each part its own"
                raise CorpusError(message, path, line)
            seen |= {(label, number)} if number else set()
            place = before.get((label, number), len(spans)) if number else len(spans)
            first = spans[place][0] if place < len(spans) else word
            spans[place : place + 1] = [(first, word + 1, label)]
            places[label, number] = place
        before = places
    crossing = iob.crossing(spans)
    if crossing is not None:
        line = tokens[spans[crossing][0]][0]
        raise CorpusError("two entities on one word, and neither is inside the other; leave one of them", path, line)
    return spans


def _values(values: str, path: Path, line: int) -> Iterator[tuple[str, str | None]]:
    """Yield the label and the number of each entity of a word."""
    for value in ONE_VALUE.findall(values) if values != UNANNOTATED else ():
        match = VALUE.fullmatch(value)
        if match is None or not match[1]:
            raise CorpusError(f"{value!r} is not the label of an entity; write LABEL, or LABEL[number]", path, line)
        if match[1] == NO_VALUE:
            raise CorpusError("an entity without a value; give it one in the tool that made the file", path, line)
        yield fields.one_line(_plain(match[1]), f"{path}:{line}"), match[2]


def _tokens(path: Path, column: int, rows: list[Row]) -> Iterator[Token]:
    """Yield each token."""
    for number, line in rows:
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        token = TOKEN.fullmatch(columns[0])
        if token is None or len(columns) <= column or not _plain(columns[2]).strip() or not columns[column]:
            raise CorpusError("expected 'sentence-token TAB start-end TAB token TAB values' on this line", path, number)
        word = _plain(columns[2]).strip()
        if any(char in word for char in "\t\r\n"):
            raise CorpusError(f"a word with a tab or line end, {word!r}; take it out", path, number)
        if not token[1]:
            yield number, word, columns[column]
        elif columns[column] != UNANNOTATED:
            raise CorpusError("an entity on a part of a word; put it on the whole word", path, number)


def _escaped(special: re.Pattern[str], text: str) -> str:
    return special.sub(lambda match: "\\t" if match[0] == "\t" else "\\" + match[0], text)


def _plain(text: str) -> str:
    letters = {"t": "\t", "n": "\n", "r": "\r"}
    return ESCAPED.sub(lambda match: letters.get(match[1], match[1]), text)


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


FORMAT = Format(
    name="webanno",
    title="WebAnno TSV 3.3",
    rank=4,
    suffixes=(".tsv",),
    holds={Sentence.kind: ("entities",)},
    read=lambda path, options: read(path, options.report),
    write=lambda sentences, path, columns: write(sentences, path),
    begins=BEGINS,
    exported=True,
    gaps=False,
    marks_begun=False,
    nested=True,
)
