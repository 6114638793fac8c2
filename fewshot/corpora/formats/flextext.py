"""Read and write interlinear texts of FLEx (FieldWorks Language Explorer), in which ELAN and SayMore exchange them too.

A document has texts, a text phrases, and every phrase that has words is a sentence.

Source: ``FlexInterlinear.xsd`` and the import of interlinear texts of FieldWorks 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeAlias

from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.formats import parts
from fewshot.corpora.formats.flextext_phrases import (
    ENGLISH,
    OWN,
    comments_of,
    edits,
    forms_of,
    fresh,
    glosses_of,
    is_guess,
    items,
    plain,
    recording_of,
    system_of_glosses,
    system_of_tags,
    system_of_words,
    tag_of,
    text_of,
    words_of,
)
from fewshot.corpora.formats.format import Format
from fewshot.corpora.formats.markup import Element, edited, parse
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines, original_lines
from fewshot.corpora.upos import UPOS
from fewshot.errors import CorpusError

Part: TypeAlias = Mapping[str, Any]
"""What the record of a sentence has of its file and text; nothing for a sentence from elsewhere."""

START, END = '<?xml version="1.0" encoding="utf-8"?>\n<document version="2">\n', "</document>\n"
TEXT, OPEN = "<interlinear-text>", "\n<paragraphs><paragraph><phrases>\n"
CLOSE, TEXT_END = "</phrases></paragraph></paragraphs>", "\n</interlinear-text>\n"
TAIL = ("languages", "media-files")

HEAD, LONGEST = 2_000, 10_000
"""Most characters that each sentence keeps of its text: of title and other items, of languages and of media files."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    """Read the phrases of a file.

    Args:
        path: a UTF-8 file. Words are ``txt`` and ``punct`` items, in the writing system that most of them have; another
            one is their transliteration. A word is glossed by its ``gls`` item, else by those of its morphs.
        report: told of each phrase that has a text but no words.

    Returns:
        The phrases that have words, named ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for a file that is no flextext, or has no phrase with words.
    """
    path = Path(path)
    data = "".join(read_lines(path)).encode()
    root = parse(data, path)
    if root.tag != "document":
        raise CorpusError(f"<{root.tag}> where flextext begins with <document>; export the text from FLEx", path, 1)
    pairs = ((text, phrase) for text in root.find("interlinear-text") for phrase in _phrases(text))
    found = [pair for pair in keep(partial(_checked, path), pairs, report) if words_of(pair[1])]
    if not found:
        raise CorpusError("no phrase with words in this file; export an interlinear text from FLEx", path)
    file, texts = parts.digest(data), _texts(data, root, found)
    word_system = system_of_words([phrase for _, phrase in found])
    sentences, before = [], 0
    for number, (text, phrase) in enumerate(found, start=1):
        known = texts[text.start]
        end = len(data) if number == len(found) else phrase.end
        raw = data[before : phrase.start], data[phrase.start : phrase.end], data[phrase.end : end]
        part = parts.part(file, number, len(found), **known)
        record = Record(FORMAT.name, (part, *(piece.decode() for piece in raw)))
        where = f"{path}:{phrase.line}"
        sentence = _sentence(f"{path.stem}-{number}", phrase, known["ws"], word_system, record, where)
        sentences.append(replace(sentence, recording=recording_of(phrase, text, root)))
        before = phrase.end
    return sentences


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS, atomically.

    A file of which all sentences are there comes back with its ``pos`` items changed. Of a part of a file, or of
    several, each phrase comes back so, in its text with the title, languages and media files that this has, and with
    the writing systems of its file. Other sentences, and those whose words were repaired, become words with glosses.

    Raises:
        CorpusError: when a word has a character that XML has not, or the file cannot be written.
    """
    found = list(sentences)
    known = [parts.of(sentence, FORMAT.name) for sentence in found]
    systems = _systems(found, known)
    whole = chain.from_iterable(map(_in_place, found, systems))
    return write_text(path, whole if parts.are_whole(known) else _anew(found, known, systems))


def _phrases(text: Element) -> Iterator[Element]:
    return text.find("paragraphs", "paragraph", "phrases", "phrase")


def _checked(path: Path, pair: tuple[Element, Element]) -> tuple[Element, Element]:
    if items(pair[1], "txt") and not words_of(pair[1]):
        raise CorpusError(
            "a phrase with a text but no words; open the text in FLEx, which finds them", path, pair[1].line
        )
    return pair


def _texts(data: bytes, root: Element, found: Sequence[tuple[Element, Element]]) -> dict[int, dict[str, str]]:
    """Return what the sentences of a text keep of it, by where it begins.

    Returns:
        ``ws``: the writing system of UPOS, of each text for itself: one file may have texts of several projects.
        ``text``: its start tag, title and other items; ``tail``: its languages and media files.
    """
    of_file = system_of_tags([phrase for _, phrase in found])
    made = {}
    for place, group in groupby(found, key=lambda pair: pair[0].start):
        pairs = list(group)
        text, phrases = pairs[0][0], [phrase for _, phrase in pairs]
        ws = system_of_tags(phrases) or of_file or system_of_glosses(phrases)
        head = data[text.start : text.inner].decode() + _copied(data, text.find("item"))
        tail = (one for tag in TAIL if (one := text.first(tag) or root.first(tag)) and one.end - one.start <= LONGEST)
        made[place] = {"ws": ws, "text": head if len(head) <= HEAD else TEXT, "tail": _copied(data, tail)}
    return made


def _copied(data: bytes, elements: Iterable[Element]) -> str:
    return "".join("\n" + data[element.start : element.end].decode() for element in elements)


def _sentence(name: str, phrase: Element, ws: str, word_system: str, record: Record, where: str) -> Sentence:
    words = words_of(phrase)
    tags = [tag_of(word, ws) for word in words]
    decided = [plain(tag.text) if tag and not is_guess(tag) else "" for tag in tags]
    guessed = [plain(tag.text) if tag else "" for tag in tags]
    is_guessed = any(guessed) and not any(decided)  # guesses beside what people decided are still open
    glosses = tuple(glosses_of(word, word_system) for word in words)
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


def _systems(sentences: Sequence[Sentence], known: Sequence[Part]) -> list[str]:
    """Return the writing system of each sentence's UPOS: `OWN` in files that get other tags."""
    others = {
        part.get("file")
        for sentence, part in zip(sentences, known, strict=True)
        if not {*sentence.upos} <= {*UPOS, UNANNOTATED}
    }
    return [OWN if part.get("file") in others else part.get("ws", ENGLISH) for part in known]


def _in_place(sentence: Sentence, ws: str) -> tuple[str, str, str]:
    """Return what its file has before a sentence, the phrase with its annotation, and what is behind the last one."""
    _, before, phrase, after = original_lines(sentence, FORMAT.name)
    data = phrase.encode()
    original = parse(data)
    if not file_lines(sentence, FORMAT.name):
        return before, fresh(sentence, ws, original), after
    pairs = zip(words_of(original), sentence.upos, strict=True)
    made = (edits(data, word, tag, ws, bool(sentence.predicted)) for word, tag in pairs)
    return before, edited(data, chain.from_iterable(made)), after


def _anew(sentences: Sequence[Sentence], known: Sequence[Part], systems: Sequence[str]) -> Iterator[str]:
    """Yield a document of the phrases of sentences, with those of a text together."""
    texts: dict[tuple[str, str, str], list[str]] = {}
    for sentence, part, ws in zip(sentences, known, systems, strict=True):
        phrase = _in_place(sentence, ws)[1] if part else fresh(sentence, ws)
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
    read=lambda path, how: read(path, how.report),
    write=lambda sentences, path, columns: write(sentences, path),
    units=True,
)
