"""Read and write CoNLL-U without losing a byte.

The ``conllu`` package parses ids, but its serializer drops comments without ``=``, merges duplicate MISC keys and
rewrites ``#x``. So a sentence keeps its source lines, and writing changes only columns with changed annotation.
Multiword tokens, empty nodes, comments, MISC and DEPS survive any round trip.

Entity tags are stored in MISC as ``NER=B-PER``. Predicted columns are named in a comment (``# predicted = UPOS``), and
each word has ``Source=model`` in MISC. LEMMA, FEATS and XPOS are read for tasks that ask for them, and written where
they were read or annotated.

``_`` in FEATS means no features, or not annotated; treebanks do not distinguish the two. If any word of a file has
features, a tagged word with ``_`` has none; if no word has any, none is annotated. Other files use the comment ``#
annotated = FEATS`` for sentences in which ``_`` means no features; all other sentences are then open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from sys import intern
from typing import TypeVar

from fewshot.corpora.files import Report, fail, keep, raise_all, read_rows, write_text
from fewshot.corpora.formats import deps, misc
from fewshot.corpora.formats.blocks import join_blocks, split_blocks
from fewshot.corpora.formats.conllu_comments import (
    ANNOTATED,
    COMMENT,
    NAMES,
    comment,
    comments_above,
    is_begun,
    with_marks,
)
from fewshot.corpora.formats.conllu_rows import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    NUMBER,
    UPOS,
    XPOS,
    bounds,
    cells,
    head_of,
    is_row,
    is_word,
    rows_of,
)
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import set_scheme, to_scheme
from fewshot.corpora.offsets import places
from fewshot.corpora.recordings import Recording, seconds, stretch
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence
from fewshot.errors import CorpusError

T = TypeVar("T")


ASKED = {"lemmas": LEMMA, "feats": FEATS, "xpos": XPOS}
"""Columns that are read only on request."""

SENT_ID = re.compile(r"^(\ufeff?#\s*sent_id\s*=\s*)([^\r\n]*)")
"""The comment with the id of a sentence."""

GLOSSES, HELP = ("Translit", "Gloss", "MSeg"), re.compile(r"(?:text|literal|note)_[\w-]+|translit|ref")
"""Keys of MISC and of comments with interlinear glosses; ``MSeg`` are the morphs of a word."""

SOUND, ALIGNED = ("sound_url", "audio"), ("AlignBegin", "AlignEnd")
"""Keys of the comment that names a recording, and of MISC for the times of a word, in milliseconds."""

BREAK = re.compile("[\t\r\n]")
"""Characters that no column can hold."""


def read(path: str | Path, report: Report = fail, columns: Collection[str] = ()) -> list[Sentence]:
    """Read a CoNLL-U file; ``write`` reproduces the same bytes.

    Args:
        columns: to read; columns of `ASKED` are read only if named here.
    """
    path = Path(path)
    sentences = list(
        keep(lambda block: _sentence(path, *block, columns, report), split_blocks(read_rows(path), is_row), report)
    )
    if not sentences:
        raise CorpusError("no sentence in this file; is it CoNLL-U?", path)
    return set_scheme(_with_blanks(sentences))


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write sentences as CoNLL-U; unchanged sentences keep their exact lines.

    Raises:
        CorpusError: when a word or label cannot stand in a column, or the file cannot be written.
    """
    write_text(path, join_blocks(map(to_text, sentences), is_row))


def to_text(sentence: Sentence) -> str:
    """Return the CoNLL-U block of one sentence, including the blank line after it."""
    was_predicted = any(map(COMMENT.match, sentence.lines))
    lines = with_marks(sentence, sentence.lines or _new_lines(sentence))
    if sentence.lines and sentence.scheme:
        tags = (misc.entity(cells(line)[MISC]) for line in lines if is_word(line))
        sentence = replace(sentence, entities=to_scheme(sentence.entities, list(tags), sentence.scheme))
    word = 0
    edited = []
    in_file = any(cells(line)[DEPS] != UNANNOTATED for line in lines if is_row(line))
    for line in lines:
        if is_word(line):
            line = _with_annotation(line, sentence, word, was_predicted, in_file)
            word += 1
        edited.append(line)
    return "".join(edited)


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of a sentence with its ``sent_id`` replaced, if it has one."""
    lines = (SENT_ID.sub(lambda said: said[1] + ids.get(said[2].strip(), said[2]), line) for line in record.lines)
    return Record(record.format, tuple(lines))


def interlinear(sentence: Sentence) -> Interlinear:
    """Return the glosses and translations of a sentence from any source."""
    if sentence.interlinear:
        return sentence.interlinear
    rows = [cells(line) for line in sentence.lines if is_word(line)]
    items = [row[MISC] for row in rows] or [UNANNOTATED] * len(sentence.words)
    items = list(map(misc.replace_editable, items, sentence.misc or [None] * len(items)))
    words = tuple({key: value for key, value in misc.pairs(item).items() if key in GLOSSES} for item in items)
    comments = map(comment, comments_above(sentence.lines))
    return Interlinear(words, {key: value for key, value in comments if HELP.fullmatch(key)})


def _sentence(path: Path, first: int, lines: list[str], asked: Collection[str], report: Report) -> Sentence:
    comments, filled = _comments(lines)
    parsed = rows_of(first, lines)
    rows, ranges = ([columns for _, columns in numbered] for numbered in (parsed.words, parsed.ranges))
    if not parsed.faults and "entities" in asked:
        faults = ((number, misc.entity_fault(row[MISC])) for number, row in parsed.words)
        parsed.faults += [(number, fault) for number, fault in faults if fault]
    raise_all([CorpusError(fault, path, number) for number, fault in parsed.faults], report)
    return Sentence(
        id=comments.get("sent_id") or f"{path.stem}-{first}",
        text=comments.get("text") or _text(rows, ranges),
        words=tuple(intern(row[FORM]) for row in rows),
        upos=_shared(tuple(intern(row[UPOS]) for row in rows)),
        heads=_shared(tuple(map(head_of, rows))),
        deprels=_shared(tuple(intern(row[DEPREL]) for row in rows)),
        entities=_shared(tuple(intern(misc.entity(row[MISC])) for row in rows)),
        record=Record("conllu", tuple(lines)),
        predicted=tuple(column for column, name in NAMES.items() if name in filled),
        begun=is_begun(lines),
        where=f"{path}:{first}",
        lemmas=tuple(intern(row[LEMMA]) for row in rows) if "lemmas" in asked else (),
        xpos=_shared(tuple(intern(row[XPOS]) for row in rows)) if "xpos" in asked else (),
        feats=_feats(rows, lines, filled) if "feats" in asked else (),
        recording=_recording(comments, lines),
    )


def _comments(lines: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the comments above the first word by key, and the names of predicted columns."""
    above = list(comments_above(lines))
    matches = filter(None, (COMMENT.match(line.removeprefix("\ufeff")) for line in above))
    filled = [name for match in matches for name in match[1].split()]
    return dict(comment(line) for line in above if "=" in line), filled


def text_of_forms(lines: Iterable[str]) -> str:
    """Return the text of a sentence as composed of the forms in its lines."""
    rows = [cells(line) for line in lines if is_row(line)]
    return _text([row for row in rows if row[ID].isdecimal()], [row for row in rows if "-" in row[ID]])


def _text(rows: Sequence[Sequence[str]], ranges: Sequence[Sequence[str]]) -> str:
    """Return the text composed of multiword tokens and words, with spaces as SpaceAfter says."""
    tokens = {bounds(columns)[0]: columns for columns in ranges}
    written, covered = [], 0
    for number, row in enumerate(rows, start=1):
        if number <= covered:
            continue
        token = tokens.get(number, row)
        covered = bounds(token)[1] if token is not row else number
        written += [token[FORM], "" if misc.pairs(token[MISC]).get("SpaceAfter") == "No" else " "]
    return "".join(written).strip()


def _recording(comments: Mapping[str, str], lines: Iterable[str]) -> Recording | None:
    """Return the recording of a sentence: from its first to its last word, else the whole recording.

    Source: SUD_Naija-NSC and the other treebanks of speech with ``sound_url``.
    """
    named = next((comments[key] for key in SOUND if key in comments), None)
    if named is None:
        return None
    columns = [misc.pairs(cells(line)[MISC]) for line in lines if is_row(line)]
    begins, ends = (
        [time / 1000 for column in columns if (time := seconds(column.get(key, ""))) is not None] for key in ALIGNED
    )
    return stretch(named, min(begins, default=0.0), max(ends, default=None))


@lru_cache(1 << 14)
def _shared(column: tuple[T, ...]) -> tuple[T, ...]:
    """Return an equal cached column: short sentences and open columns have few different ones."""
    return column


def _feats(rows: Sequence[Sequence[str]], lines: Iterable[str], filled: Collection[str]) -> tuple[str, ...]:
    """Return the features of words, as far as the sentence alone decides about blanks; see `_with_blanks`."""
    is_annotated, by_tag = any(map(ANNOTATED.match, lines)), "UPOS" not in filled or "FEATS" in filled
    is_empty = [is_annotated or (by_tag and row[UPOS] != UNANNOTATED) for row in rows]
    return tuple(
        intern("" if row[FEATS] == UNANNOTATED and is_none else row[FEATS])
        for row, is_none in zip(rows, is_empty, strict=True)
    )


def _with_blanks(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Decide for a whole file whether blank features mean none or not annotated."""
    if not any(sentence.feats for sentence in sentences):  # not asked for
        return list(sentences)
    are_annotated = [any(map(ANNOTATED.match, sentence.lines)) for sentence in sentences]
    finished = (sentence for sentence in sentences if not sentence.begun and "feats" not in sentence.predicted)
    by_people = (feats for sentence in finished for feats in sentence.feats)
    if not any(are_annotated) and any(feats not in ("", UNANNOTATED) for feats in by_people):
        return [replace(sentence, has_feats=True) for sentence in sentences]
    return [
        sentence
        if is_annotated or "feats" in sentence.predicted
        else replace(sentence, feats=tuple(feats or UNANNOTATED for feats in sentence.feats))
        for sentence, is_annotated in zip(sentences, are_annotated, strict=True)
    ]


def _with_annotation(line: str, sentence: Sentence, word: int, was_predicted: bool, in_file: bool) -> str:
    body = line.rstrip("\r\n")
    end = line[len(body) :]
    columns = body.split("\t")
    original = tuple(columns)
    head, before = sentence.heads[word], columns[HEAD:DEPS]
    columns[UPOS] = sentence.upos[word]
    if not (NUMBER.fullmatch(columns[HEAD]) and int(columns[HEAD]) == head):
        columns[HEAD] = UNANNOTATED if head < 0 else str(head)
    columns[DEPREL] = sentence.deprels[word]
    columns[DEPS] = _enhanced(columns, before, sentence.deps, word, in_file)
    for name, place in ASKED.items():
        if values := getattr(sentence, name):
            columns[place] = values[word] or UNANNOTATED
    columns[MISC] = misc.replace_editable(columns[MISC], sentence.misc[word] if sentence.misc else None)
    columns[MISC] = misc.with_entity(columns[MISC], sentence.entities[word])
    if bool(sentence.predicted) != (misc.SOURCE in columns[MISC].split("|")) and (sentence.predicted or was_predicted):
        columns[MISC] = misc.with_source(columns[MISC], bool(sentence.predicted))
    if any(cell != old and BREAK.search(cell) for cell, old in zip(columns, original, strict=True)):
        raise CorpusError(f"{sentence.id}: a label with a tab or line end cannot be written as CoNLL-U")
    return "\t".join(columns) + end


def _enhanced(
    columns: Sequence[str], before: Sequence[str], made: Sequence[str | None], word: int, in_file: bool
) -> str:
    """Return DEPS of a word: as edited by people, else as in the file, with the arc of the current tree.

    A word without DEPS gets the arc of the tree if its sentence has DEPS that the word or people added.

    Args:
        columns: of the word, with current head and relation.
        before: head and relation in the file.
        made: see `Sentence.deps`.
        in_file: whether the file has DEPS in the sentence.
    """
    (head, relation), column = columns[HEAD:DEPS], columns[DEPS]
    own = made[word] if made else None
    if own is None and column == UNANNOTATED and ((in_file and UNANNOTATED in before) or (any(made) and not in_file)):
        own = deps.TREE
    if own is not None:
        return deps.resolve(own, head, relation)
    return column if [head, relation] == before else deps.resolve(deps.make_relative(column, *before), head, relation)


def _new_lines(sentence: Sentence) -> list[str]:
    if any(BREAK.search(word) for word in sentence.words):
        raise CorpusError(f"{sentence.id}: a word with a tab or line end cannot be written as CoNLL-U")
    word_places = places(sentence.text, sentence.words) or []
    tight = {number for number, (left, right) in enumerate(pairwise(word_places), start=1) if left[1] == right[0]}
    glossed = interlinear(sentence)
    comments = {"sent_id": sentence.id, "text": sentence.text, **glossed.lines}
    lines = [f"# {key} = {_one_line(value)}\n" for key, value in comments.items()]
    for number, (word, glosses) in enumerate(zip(sentence.words, glossed.words, strict=True), start=1):
        items = [f"{key}={_escape_for_misc(value)}" for key, value in glosses.items()]
        items += ["SpaceAfter=No"] if number in tight else []
        lines.append(f"{number}\t{word}" + "\t_" * 7 + f"\t{'|'.join(items) or UNANNOTATED}\n")
    return [*lines, "\n"]


def _escape_for_misc(value: str) -> str:
    return BREAK.sub(" ", value).strip().replace("|", misc.BAR)


def _one_line(text: str) -> str:
    return re.sub("[\r\n]+", " ", text).strip()


FORMAT = Format(
    name="conllu",
    title="CoNLL-U",
    rank=1,
    suffixes=(".conllu",),
    holds={Sentence.kind: Sentence.columns},
    read=lambda path, options: read(
        path, options.report, (*(options.layer.columns if options.layer else ()), *options.further)
    ),
    write=lambda sentences, path, columns: write(sentences, path),
    rename=rename,
)
