"""Read and write interlinear texts of FLEx (FieldWorks Language Explorer), ELAN and SayMore.

A document has texts, and a text has phrases; every phrase with words is a sentence.

Source: ``FlexInterlinear.xsd`` and the import of interlinear texts of FieldWorks 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeAlias

from fewshot.corpora.files import Report, fail, keep, line_after, read_lines, write_text
from fewshot.corpora.formats.common import parts
from fewshot.corpora.formats.common.markup import Element, apply_edits, parse, writable
from fewshot.corpora.formats.flextext_phrases import (
    ENGLISH,
    NO_CATEGORY,
    OWN,
    comments_of,
    edits,
    formless,
    forms_of,
    fresh,
    glosses_of,
    is_guess,
    is_lost,
    items,
    media_of,
    recording_of,
    system_of_glosses,
    system_of_words,
    systems_of_tags,
    tag_faults,
    tags_of,
    text_of,
    value,
    words_of,
)
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines, original_lines
from fewshot.corpora.upos import UPOS
from fewshot.errors import CorpusError

Part: TypeAlias = Mapping[str, Any]
"""File and text data in the record of a sentence; empty for other sources."""

START, END = '<?xml version="1.0" encoding="utf-8"?>\n<document version="2">\n', "</document>\n"
TEXT, OPEN = "<interlinear-text>", "\n<paragraphs><paragraph><phrases>\n"
CLOSE, TEXT_END = "</phrases></paragraph></paragraphs>", "\n</interlinear-text>\n"
TAIL = ("languages", "media-files")

MAX_HEAD_BYTES, MAX_TAIL_BYTES = 5_000, 10_000
"""Most bytes of its text that a sentence stores: of title and other items; of languages and media."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    """Read the phrases that have words.

    Words are ``txt`` and ``punct`` items in the writing system of most words; another one is their transliteration. A
    word is glossed by its ``gls`` item, else by those of its morphs.

    Args:
        report: receives an error for each phrase with a text but no words, for unreadable words, and for categories
            that are not UPOS where most are; such words are open.
    """
    path = Path(path)
    data = "".join(read_lines(path)).encode()
    root = parse(data, path)
    if root.tag != "document":
        raise CorpusError(f"<{root.tag}> where flextext begins with <document>; export the text from FLEx", path, 1)
    pairs = ((text, phrase) for text in root.find("interlinear-text") for phrase in text.nearest("phrase"))
    rows = [pair for pair in keep(partial(_checked, path), pairs, report) if words_of(pair[1])]
    _report_lost(root, path, report)
    if not rows:
        raise CorpusError("no phrase with words in this file; export an interlinear text from FLEx", path)
    file, texts = parts.digest(data), _texts(data, root, rows)
    media = {text.start: media_of(text, root) for text in root.find("interlinear-text")}
    word_system = system_of_words([phrase for _, phrase in rows])
    sentences, before = [], 0
    for number, (text, phrase) in enumerate(rows, start=1):
        known = texts[text.start]
        end = len(data) if number == len(rows) else phrase.end
        raw = data[before : phrase.start], data[phrase.start : phrase.end], data[phrase.end : end]
        part = parts.write_part(file, number, len(rows), **known)
        record = Record(FORMAT.name, (part, *(piece.decode() for piece in raw)))
        for element, message in tag_faults(phrase, known["ws"].split()):
            report(CorpusError(message, path, element.line))
        where = f"{path}:{phrase.line}"
        sentence = _sentence(f"{path.stem}-{number}", phrase, known, word_system, record, where)
        sentences.append(replace(sentence, recording=recording_of(phrase, media[text.start])))
        before = phrase.end
    return sentences


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS.

    A complete file comes back with its ``pos`` items changed. For parts of files, each phrase comes back so, with the
    title, languages and media files of its text and the writing systems of its file. Other sentences, and those with
    repaired words, become words with glosses.

    Raises:
        CorpusError: for a word with a character that XML cannot hold.
    """
    checked = writable(sentences)
    known = [parts.read_part(sentence, FORMAT.name) for sentence in checked]
    systems = _systems(checked, known)
    whole = chain.from_iterable(map(_in_place, checked, systems))
    return write_text(path, whole if parts.are_whole(known) else _new_document(checked, known, systems))


def oddities(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning) for a sentence of this format."""
    if not (lines := original_lines(sentence, FORMAT.name)):
        return
    part, phrase = parts.read_part(sentence, FORMAT.name), parse(lines[2].encode())
    for word in formless(phrase):
        message = "a word without a form is not read; give it one in FLEx if it is a word"
        yield line_after(sentence.where, word.line - 1), message
    for word in words_of(phrase):
        if not tags_of(word, part["ws"].split()) and any(tag not in NO_CATEGORY for _, tag in items(word, "pos")):
            message = f"categories other than UPOS are not read; they stay, and UPOS is written in addition ({OWN})"
            yield line_after(sentence.where, word.line - 1), message
    if part.get("left"):
        yield sentence.where, f"an export of a part of this text is without its {part['left']}, which is long"


def _report_lost(root: Element, path: Path, report: Report) -> None:
    """Report words outside phrases of a text, and words with a tag or blanks instead of a form."""
    phrases = (phrase for text in root.find("interlinear-text") for phrase in text.nearest("phrase"))
    known = {word.start for phrase in phrases for word in phrase.nearest("word")}
    for word in root.nearest("word"):
        if is_lost(word):
            report(CorpusError("a word without a form; give it one in FLEx, or remove it", path, word.line))
        elif word.start not in known and forms_of(word):
            report(CorpusError("a word that is in no phrase of a text; export the text from FLEx", path, word.line))


def _checked(path: Path, pair: tuple[Element, Element]) -> tuple[Element, Element]:
    for phrase in (pair[1], *pair[1].nearest("phrase")):
        if items(phrase, "txt") and not words_of(phrase):
            message = "a phrase with a text but no words; open the text in FLEx, which finds them"
            raise CorpusError(message, path, phrase.line)
    return pair


def _texts(data: bytes, root: Element, rows: Sequence[tuple[Element, Element]]) -> dict[int, dict[str, str]]:
    """Return the data of each text that its sentences store, by its position in the file.

    Returns:
        ``ws``: writing systems of UPOS, for each text, since a file may have texts of several projects. ``gloss``: that
            of glosses. ``text``: start tag, title and other items; ``tail``: languages and media files; ``left``: names
            of those that are too long.
    """
    of_file = systems_of_tags([phrase for _, phrase in rows])
    made = {}
    for place, group in groupby(rows, key=lambda pair: pair[0].start):
        pairs = list(group)
        text, phrases = pairs[0][0], [phrase for _, phrase in pairs]
        gloss = system_of_glosses(phrases)
        ws = systems_of_tags(phrases) or of_file or [gloss]
        tail = [element for tag in TAIL if (element := text.first(tag) or root.first(tag))]
        titles_first = sorted(text.find("item"), key=lambda item: item.attributes.get("type") != "title")
        head, long = _copied(data, titles_first, MAX_HEAD_BYTES)
        behind, longer = _copied(data, tail, MAX_TAIL_BYTES)
        start = data[text.start : text.inner].decode() if text.inner - text.start <= MAX_HEAD_BYTES else TEXT
        left = ", ".join((*long, *longer))
        made[place] = {"ws": " ".join(ws), "gloss": gloss, "text": start + head, "tail": behind, "left": left}
    return made


def _copied(data: bytes, elements: Iterable[Element], most: int) -> tuple[str, list[str]]:
    """Return the elements that fit into a number of bytes, and the names of the others."""
    copied, left = "", []
    for element in elements:
        if len(copied) + element.end - element.start <= most:
            copied += "\n" + data[element.start : element.end].decode()
        else:
            left.append(element.attributes.get("type", element.tag))
    return copied, left


def _sentence(
    name: str, phrase: Element, known: dict[str, str], word_system: str, record: Record, where: str
) -> Sentence:
    words, systems = words_of(phrase), known["ws"].split()
    tags = [next(iter(tags_of(word, systems)), None) for word in words]
    guessed = [value(tag) for tag in tags]
    decided = [value(tag) if tag and not is_guess(tag) else "" for tag in tags]
    is_guessed = any(guessed) and not any(decided)  # guesses besides decisions of people are open
    glosses = tuple(glosses_of(word, word_system, known["gloss"]) for word in words)
    return Sentence(
        id=name,
        text=text_of(phrase, word_system),
        words=tuple(forms_of(word, word_system)[0][1] for word in words),
        upos=tuple(tag or UNANNOTATED for tag in (guessed if is_guessed else decided)),
        record=record,
        interlinear=Interlinear(glosses, comments_of(phrase, word_system)),
        predicted=("upos",) if is_guessed else (),
        where=where,
    )


def _systems(sentences: Sequence[Sentence], known: Sequence[Part]) -> list[list[str]]:
    """Return the writing systems of each sentence's UPOS: `OWN` in files that get other tags."""
    others = {
        part.get("file")
        for sentence, part in zip(sentences, known, strict=True)
        if not {*sentence.upos} <= {*UPOS, UNANNOTATED}
    }
    return [[OWN] if part.get("file") in others else part.get("ws", ENGLISH).split() for part in known]


def _in_place(sentence: Sentence, systems: Sequence[str]) -> tuple[str, str, str]:
    """Return the text before a sentence, its phrase with the current annotation, and the text after it."""
    _, before, phrase, after = original_lines(sentence, FORMAT.name)
    data = phrase.encode()
    original = parse(data)
    if not file_lines(sentence, FORMAT.name):
        return before, fresh(sentence, systems[0], original), after
    pairs = zip(words_of(original), sentence.upos, strict=True)
    made = (edits(data, word, tag, systems, bool(sentence.predicted)) for word, tag in pairs)
    return before, apply_edits(data, chain.from_iterable(made)), after


def _new_document(
    sentences: Sequence[Sentence], known: Sequence[Part], systems: Sequence[Sequence[str]]
) -> Iterator[str]:
    texts: dict[tuple[str, str, str], list[str]] = {}
    for sentence, part, ws in zip(sentences, known, systems, strict=True):
        phrase = _in_place(sentence, ws)[1] if part else fresh(sentence, ws[0])
        texts.setdefault((part.get("file", ""), part.get("text", TEXT), part.get("tail", "")), []).append(phrase)
    yield START
    for (_, head, tail), phrases in texts.items():
        yield from (head, OPEN, *(phrase + "\n" for phrase in phrases), CLOSE, tail, TEXT_END)
    yield END


FORMAT = Format(
    name="flextext",
    title="FLEx interlinear text",
    rank=10,
    suffixes=(".flextext",),
    holds={Sentence.kind: ("upos",)},
    opens={Sentence.kind: Sentence.columns},
    read=lambda path, options: read(path, options.report),
    write=lambda sentences, path, columns: write(sentences, path),
    units=True,
    marks_begun=False,
)
