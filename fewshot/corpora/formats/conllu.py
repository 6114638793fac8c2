"""Read and write CoNLL-U without losing a byte.

A sentence keeps its source lines, and writing changes only columns with changed annotation: the serializer of the
``conllu`` package drops comments without ``=``, merges duplicate MISC keys and rewrites ``#x``. Multiword tokens, empty
nodes, comments, MISC and DEPS survive any round trip.

Entity tags are stored in MISC as ``NER=B-PER``. Predicted columns are named in a comment (``# predicted = UPOS``), and
each word has ``Source=model`` in MISC. LEMMA, FEATS and XPOS are read for tasks that ask for them, and written where
they were read or annotated.

``_`` in FEATS means no features, or not annotated; treebanks do not distinguish the two. If any word of a file has
features, a tagged word with ``_`` has none; if no word has any, none is annotated. Other files use the comment ``#
annotated = FEATS`` for sentences in which ``_`` means no features; all other sentences are then open.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from sys import intern
from typing import TypeVar

from fewshot.corpora.documents import deps, misc, model
from fewshot.corpora.documents.annotate import attach, head_cell
from fewshot.corpora.documents.cells import arcs, items, pairs
from fewshot.corpora.documents.comments import (
    ANNOTATED,
    COLUMN_NAMES,
    PREDICTED_COMMENT,
    SENT_ID,
    read_comments,
    with_marks,
)
from fewshot.corpora.documents.conllu import head_of, lines_of, parse
from fewshot.corpora.documents.model import OPEN, Word
from fewshot.corpora.documents.nodes import with_nodes, with_values
from fewshot.corpora.documents.rows import (
    DEPREL,
    FEATS,
    FORM,
    HEAD,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    cells,
    is_row,
    is_word,
    rows_of,
)
from fewshot.corpora.files import Report, fail, keep, line_after, raise_all, read_rows, write_text
from fewshot.corpora.formats.common.blocks import join_blocks, split_blocks
from fewshot.corpora.formats.common.interlinear import interlinear
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import set_scheme, to_scheme
from fewshot.corpora.offsets import places
from fewshot.corpora.recordings import Recording, seconds, stretch
from fewshot.corpora.types import UNANNOTATED, Record, Sentence
from fewshot.errors import CorpusError

T = TypeVar("T")


SOUND, ALIGNED = ("sound_url", "audio"), ("AlignBegin", "AlignEnd")
"""Keys of the comment that names a recording, and of MISC for the times of a word, in milliseconds."""

BREAK = re.compile("[\t\r\n]")
"""Characters that no column can hold."""

CELLS = operator.attrgetter("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""Returns the cells of a word."""


def read(path: str | Path, report: Report = fail, columns: Collection[str] = ()) -> list[Sentence]:
    """Read a CoNLL-U file; ``write`` reproduces the same bytes.

    Args:
        columns: to read; columns of `Sentence.asked` are read only if named here.
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
    made = to_model(sentence)
    return "".join(sentence.lines if made is sentence.source else lines_of(made))


def to_model(sentence: Sentence) -> model.ConlluSentence:
    """Return a sentence from any source in the document model, with its current annotation.

    Raises:
        CorpusError: when a word or label cannot stand in a column.
    """
    source, entities = sentence.source or _new_source(sentence), sentence.entities
    if sentence.lines and sentence.scheme:
        entities = to_scheme(entities, [misc.entity(word.misc.text) for word in source.words], sentence.scheme)
    in_file = any(word.deps.text != UNANNOTATED for word in (*source.words, *source.tokens, *source.nodes))
    nodes = with_values(source.nodes, sentence.nodes)
    said = sentence.predicted or any(map(PREDICTED_COMMENT.match, source.comments))
    is_marked = bool(sentence.predicted) if said else None
    words = [
        _with_annotation(word, sentence, place, entities[place], is_marked, in_file)
        for place, word in enumerate(source.words)
    ]
    comments = with_marks(sentence, source.comments)
    if (comments, nodes) == (source.comments, source.nodes) and all(map(operator.is_, words, source.words)):
        return source
    return with_nodes(replace(source, words=tuple(words), comments=comments), nodes)


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of a sentence with its ``sent_id`` replaced, if it has one."""
    lines = (SENT_ID.sub(lambda said: said[1] + ids.get(said[2].strip(), said[2]), line) for line in record.lines)
    return Record(record.format, tuple(lines))


def where_of(sentence: Sentence, word: int) -> str:
    """Return ``file:line`` of a word by its number, from 1; that of the sentence in other formats."""
    places = [place for place, line in enumerate(sentence.lines) if is_word(line)][word - 1 : word]
    return line_after(sentence.where, places[0]) if places else sentence.where


def _sentence(path: Path, first: int, lines: list[str], asked: Collection[str], report: Report) -> Sentence:
    comments, filled, begun = read_comments(lines)
    parsed = rows_of(first, lines)
    rows = [columns for _, columns in parsed.words]
    if not parsed.faults and "entities" in asked:
        faults = ((number, misc.entity_fault(row[MISC])) for number, row in parsed.words)
        parsed.faults += [(number, fault) for number, fault in faults if fault]
    raise_all([CorpusError(fault, path, number) for number, fault in parsed.faults], report)
    return Sentence(
        id=comments.get("sent_id") or f"{path.stem}-{first}",
        text=comments.get("text") or parse(lines).text,
        words=tuple(intern(row[FORM]) for row in rows),
        upos=_shared(tuple(intern(row[UPOS]) for row in rows)),
        heads=_shared(tuple(head_of(row[HEAD]) for row in rows)),
        deprels=_shared(tuple(intern(row[DEPREL]) for row in rows)),
        entities=_shared(tuple(intern(misc.entity(row[MISC])) for row in rows)),
        record=Record("conllu", tuple(lines)),
        predicted=tuple(column for column, name in COLUMN_NAMES.items() if name in filled),
        begun=begun,
        where=f"{path}:{first}",
        lemmas=tuple(intern(row[LEMMA]) for row in rows) if "lemmas" in asked else (),
        xpos=_shared(tuple(intern(row[XPOS]) for row in rows)) if "xpos" in asked else (),
        feats=_feats(rows, lines, filled) if "feats" in asked else (),
        recording=_recording(comments, lines),
    )


def _recording(comments: Mapping[str, str], lines: Iterable[str]) -> Recording | None:
    """Return the recording of a sentence: from its first to its last word, else the whole recording.

    Source: SUD_Naija-NSC and the other treebanks of speech with ``sound_url``.
    """
    named = next((comments[key] for key in SOUND if key in comments), None)
    if named is None:
        return None
    columns = [pairs(cells(line)[MISC]) for line in lines if is_row(line)]
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


def _with_annotation(
    word: Word, sentence: Sentence, place: int, entity: str, is_marked: bool | None, in_file: bool
) -> Word:
    """Return a word of the file with the annotation of a sentence.

    Args:
        place: of the word, from 0.
        is_marked: whether MISC says that a model has filled columns; None: as in the file.
        in_file: whether the file has DEPS in the sentence.
    """
    lemma, upos, xpos, feats = word.lemma, sentence.upos[place], word.xpos, word.feats.text
    head, deprel = max(sentence.heads[place], OPEN), sentence.deprels[place]
    if sentence.lemmas:
        lemma = sentence.lemmas[place] or UNANNOTATED
    if sentence.xpos:
        xpos = sentence.xpos[place] or UNANNOTATED
    if sentence.feats:
        feats = sentence.feats[place] or UNANNOTATED
    column = misc.replace_editable(word.misc.text, sentence.misc[place]) if sentence.misc else word.misc.text
    column = misc.with_entity(column, entity)
    if is_marked is not None and is_marked != (misc.SOURCE in column.split("|")):
        column = misc.with_source(column, is_marked)
    enhanced = _enhanced(word, head, deprel, sentence, place, in_file)
    new = (word.form, lemma, upos, xpos, items(feats), head, deprel, arcs(enhanced), items(column))
    if new == CELLS(word):
        return word
    if BREAK.search(f"{lemma}{upos}{xpos}{feats}{deprel}{enhanced}{column}"):
        raise CorpusError(f"{sentence.id}: a label with a tab or line end cannot be written as CoNLL-U")
    return Word(*new)


def _enhanced(word: Word, head: int, deprel: str, sentence: Sentence, place: int, in_file: bool) -> str:
    """Return DEPS of a word: as edited by people, else as in the file, with the arc of the current tree.

    A word that gets a head gets the arc of the tree in DEPS if its sentence has DEPS, of the file or of people.

    Args:
        head: number of the current head.
        in_file: whether the file has DEPS in the sentence.
    """
    made, column = any((*sentence.deps, *sentence.nodes)), word.deps.text
    own = sentence.deps[place] if sentence.deps else None
    is_open = word.head == OPEN or word.deprel == UNANNOTATED
    if own is None and column == UNANNOTATED and ((in_file and is_open) or (made and not in_file)):
        own = deps.TREE
    elif own is None and is_open and head >= 0 and column != UNANNOTATED:
        own = deps.with_tree(column, head_cell(head), deprel)
    if own is not None:
        return deps.resolve(own, head_cell(head), deprel)
    return column if column == UNANNOTATED else attach(word, head, deprel).deps.text


def _new_source(sentence: Sentence) -> model.ConlluSentence:
    """Return a sentence that no CoNLL-U file has: its forms, spaces and glosses."""
    if BREAK.search("".join(sentence.words)):
        raise CorpusError(f"{sentence.id}: a word with a tab or line end cannot be written as CoNLL-U")
    word_places = places(sentence.text, sentence.words) or []
    tight = {number for number, (left, right) in enumerate(pairwise(word_places), start=1) if left[1] == right[0]}
    glossed = interlinear(sentence)
    comments = {"sent_id": sentence.id, "text": sentence.text, **glossed.lines}
    words = []
    for number, (word, glosses) in enumerate(zip(sentence.words, glossed.words, strict=True), start=1):
        escaped = {key: BREAK.sub(" ", value).strip().replace("|", misc.BAR) for key, value in glosses.items()}
        column = [f"{key}={value}" for key, value in escaped.items()]
        column += [misc.NO_SPACE] if number in tight else []
        words.append(Word(word, misc=items("|".join(column) or UNANNOTATED)))
    lines = {key: re.sub("[\r\n]+", " ", value).strip() for key, value in comments.items()}
    return model.ConlluSentence(tuple(words), comments=tuple(f"# {key} = {line}" for key, line in lines.items()))


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
