"""Read and write interlinear texts of FLEx (FieldWorks Language Explorer), in which ELAN and SayMore exchange them too.

UPOS is a ``pos`` item of the word, FLEx's *Word Cat.*; its import looks the value up among the categories of the
project, by the writing system of the item. Where a file has categories of its own (``n``, ``vt``) they stay, and UPOS
has the writing system `OWN`. What a model has chosen has ``analysisStatus="guess"``.

Source: ``FlexInterlinear.xsd`` and the import of interlinear texts of FieldWorks 9.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, pairwise
from pathlib import Path

from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.formats import parts
from fewshot.corpora.formats.conllu import interlinear
from fewshot.corpora.formats.format import Format
from fewshot.corpora.formats.markup import Edit, Element, edited, indent, parse, written
from fewshot.corpora.types import UNANNOTATED, Interlinear, Record, Sentence, file_lines, original_lines
from fewshot.corpora.upos import UPOS
from fewshot.errors import CorpusError

OWN, ENGLISH, UNKNOWN = "en-x-upos", "en", "und"
"""Writing systems: of UPOS beside other categories; of glosses, and of a language, where no file says them."""

STATUS, GUESS = "analysisStatus", "guess"

START = '<?xml version="1.0" encoding="utf-8"?>\n<document version="2">\n'
TEXT, OPEN = "<interlinear-text>", "\n<paragraphs><paragraph><phrases>\n"
CLOSE = "</phrases></paragraph></paragraphs>\n</interlinear-text>\n"
HEAD = 2_000
"""Most bytes of the title and other items of a text that each of its sentences keeps."""

MISSING = "***"
"""How FLEx shows that a morph has no gloss."""

COMMENTS = {"gls": "text", "lit": "literal", "note": "note"}
"""What CoNLL-U calls the items of a phrase, with their language."""

CLOSING, OPENING = ("Po", "Pe", "Pf"), ("Ps", "Pi")
"""Punctuation that has no space before it, or behind it, by its Unicode category."""


def read(path: str | Path, report: Report = fail) -> list[Sentence]:
    """Read the phrases of a file.

    Args:
        path: a UTF-8 file. Words are ``txt`` and ``punct`` items, in the first writing system that they have; a second
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
    found = [pair for pair in keep(partial(_checked, path), pairs, report) if _words(pair[1])]
    if not found:
        raise CorpusError("no phrase with words in this file; export an interlinear text from FLEx", path)
    file, ws = parts.digest(data), _writing_system([phrase for _, phrase in found])
    sentences, before = [], 0
    for number, (text, phrase) in enumerate(found, start=1):
        part = parts.part(file, number, len(found), text=_head(data, text), ws=ws)
        end = len(data) if number == len(found) else phrase.end
        raw = data[before : phrase.start], data[phrase.start : phrase.end], data[phrase.end : end]
        record = Record(FORMAT.name, (part, *(piece.decode() for piece in raw)))
        sentences.append(_sentence(f"{path.stem}-{number}", phrase, ws, record, f"{path}:{phrase.line}"))
        before = phrase.end
    return sentences


def write(sentences: Iterable[Sentence], path: str | Path) -> None:
    """Write UPOS, atomically.

    A file of which all sentences are there comes back with its ``pos`` items changed. Of a part of a file, or of
    several, each phrase comes back so, below the title of its text. Other sentences, and those whose words were
    repaired, become words with glosses.

    Raises:
        CorpusError: when a word has a character that XML has not, or the file cannot be written.
    """
    found = list(sentences)
    known = [parts.of(sentence, FORMAT.name) for sentence in found]
    spaces = {each["ws"] for each in known if each} or {ENGLISH}
    are_upos = all(tag in UPOS or tag == UNANNOTATED for sentence in found for tag in sentence.upos)
    ws = min(spaces) if are_upos and OWN not in spaces else OWN
    whole = chain.from_iterable(_in_place(sentence, ws) for sentence in found)
    return write_text(path, whole if parts.are_whole(known) else _anew(found, ws))


def _phrases(text: Element) -> Iterator[Element]:
    return text.find("paragraphs", "paragraph", "phrases", "phrase")


def _words(phrase: Element) -> list[Element]:
    """Return the words that have a form; FLEx has others, for what it could not read."""
    return [word for word in phrase.find("words", "word") if _forms(word)]


def _items(element: Element, *kinds: str) -> list[tuple[str, str]]:
    """Return language and text of the items of some types that are not empty, in order."""
    found = [item for item in element.find("item") if item.attributes.get("type") in kinds]
    return [(_language(item), text) for item in found if (text := _plain(item.text)).strip()]


def _plain(text: str) -> str:
    return re.sub("[ \t\r\n]+", " ", text).strip(" ")


def _language(item: Element) -> str:
    return re.sub(r"[^\w-]", "", item.attributes.get("lang", "")) or UNKNOWN


def _forms(word: Element) -> list[tuple[str, str]]:
    return _items(word, "txt", "punct")


def _checked(path: Path, pair: tuple[Element, Element]) -> tuple[Element, Element]:
    if _items(pair[1], "txt") and not _words(pair[1]):
        raise CorpusError(
            "a phrase with a text but no words; open the text in FLEx, which finds them", path, pair[1].line
        )
    return pair


def _writing_system(phrases: Sequence[Element]) -> str:
    """Return that of UPOS: `OWN` beside other categories, else that of the tags there are, else that of glosses."""
    words = [word for phrase in phrases for word in _words(phrase)]
    tags = [tag for word in words for tag in _items(word, "pos")]
    if any(lang == OWN or tag not in UPOS for lang, tag in tags):
        return OWN
    glosses = (gloss for element in (*words, *phrases) for gloss in _items(element, "gls"))
    return next(chain(tags, glosses), (ENGLISH, ""))[0]


def _head(data: bytes, text: Element) -> str:
    """Return the start of a text with its title, where that is not too long."""
    pieces = [data[text.start : text.inner], *(data[item.start : item.end] for item in text.find("item"))]
    head = b"\n".join(pieces)
    return head.decode() if len(head) <= HEAD else TEXT


def _sentence(name: str, phrase: Element, ws: str, record: Record, where: str) -> Sentence:
    words = _words(phrase)
    forms = tuple(_forms(word)[0][1] for word in words)
    tags = [_tag(word, ws) for word in words]
    decided = [_plain(tag.text) if tag and not _is_guess(tag) else "" for tag in tags]
    guessed = [_plain(tag.text) if tag else "" for tag in tags]
    is_guessed = any(guessed) and not any(decided)  # guesses beside what people decided are still open
    texts = _items(phrase, "txt")
    return Sentence(
        id=name,
        text=texts[0][1] if texts else _spaced(words, forms),
        words=forms,
        upos=tuple(tag or UNANNOTATED for tag in (guessed if is_guessed else decided)),
        record=record,
        interlinear=Interlinear(tuple(map(_glosses, words)), _comments(phrase)),
        predicted=("upos",) if is_guessed else (),
        where=where,
    )


def _tag(word: Element, ws: str) -> Element | None:
    """Return the item that is the UPOS of a word."""
    items = (item for item in word.find("item") if item.attributes.get("type") == "pos")
    return next((item for item in items if _language(item) == ws), None)


def _is_guess(item: Element) -> bool:
    return item.attributes.get(STATUS, "").startswith(GUESS)


def _spaced(words: Sequence[Element], forms: Sequence[str]) -> str:
    """Return a text of words, with punctuation close to the word that it belongs to."""
    is_punct = [not _items(word, "txt") for word in words]
    text = forms[0]
    for (before, form), (was, is_) in zip(pairwise(forms), pairwise(is_punct), strict=True):
        closes = is_ and unicodedata.category(form[0]) in CLOSING
        opens = was and unicodedata.category(before[-1]) in OPENING
        text += form if closes or opens else f" {form}"
    return text


def _glosses(word: Element) -> dict[str, str]:
    morphs = list(word.find("morphemes", "morph"))
    forms, glosses = ([_first(morph, kind) for morph in morphs] for kind in ("txt", "gls"))
    of_morphs = _joined(forms, [gloss or MISSING for gloss in glosses]) if any(glosses) else ""
    found = {
        "Translit": next((form for _, form in _forms(word)[1:]), ""),
        "Gloss": _first(word, "gls") or of_morphs,
        "MSeg": _joined(forms, [form.strip("-=") for form in forms]) if len(forms) > 1 else "",
    }
    return {key: value for key, value in found.items() if value}


def _first(element: Element, kind: str) -> str:
    return next((text for _, text in _items(element, kind)), "")


def _joined(forms: Sequence[str], values: Sequence[str]) -> str:
    """Return what morphs have, with ``=`` at a clitic and ``-`` elsewhere, as in the Leipzig glossing rules."""
    seams = ["=" if "=" in before[-1:] + after[:1] else "-" for before, after in pairwise(forms)]
    return "".join(chain.from_iterable(zip(["", *seams], values, strict=False)))


def _comments(phrase: Element) -> dict[str, str]:
    found: dict[str, str] = {}
    if number := _first(phrase, "segnum"):
        found["ref"] = number
    for _, text in _items(phrase, "txt")[1:2]:
        found["translit"] = text
    for kind, name in COMMENTS.items():
        for lang, text in _items(phrase, kind):
            key = f"{name}_{lang}"
            found[key] = f"{found[key]} / {text}" if key in found else text
    return found


def _in_place(sentence: Sentence, ws: str) -> tuple[str, str, str]:
    """Return what its file has before a sentence, the phrase with its annotation, and what is behind the last one."""
    _, before, phrase, after = original_lines(sentence, FORMAT.name)
    if not file_lines(sentence, FORMAT.name):
        return before, _fresh(sentence, ws), after
    data = phrase.encode()
    words = _words(parse(data))
    pairs = zip(words, sentence.upos, strict=True)
    edits = (_edits(data, word, tag, ws, bool(sentence.predicted)) for word, tag in pairs)
    return before, edited(data, chain.from_iterable(edits)), after


def _edits(data: bytes, word: Element, tag: str, ws: str, guessed: bool) -> Iterator[Edit]:
    """Yield what changes where a word gets a tag, or loses it."""
    item = _tag(word, ws)
    attributes = dict(item.attributes) if item else {"type": "pos", "lang": ws}
    was_guessed = item is not None and _is_guess(item)
    old = _plain(item.text) or UNANNOTATED if item else UNANNOTATED
    if tag == old and (tag == UNANNOTATED or guessed == was_guessed):
        return
    if tag == UNANNOTATED and was_guessed:
        return  # nobody has decided on it
    if guessed != was_guessed:
        attributes = {key: value for key, value in attributes.items() if key != STATUS}
        attributes |= {STATUS: GUESS} if guessed else {}
    new = "" if tag == UNANNOTATED else written("item", attributes, tag)
    if item:
        space = "" if new else indent(data, item)
        yield item.start - len(space.encode()), item.end, new
    else:
        last = word.children[-1]
        yield last.end, last.end, indent(data, last) + new


def _anew(sentences: Sequence[Sentence], ws: str) -> Iterator[str]:
    """Yield a document of the phrases of sentences, with those of a text together."""
    heads = [TEXT]
    for sentence in sentences:
        heads.append(parts.of(sentence, FORMAT.name).get("text", heads[-1]))
    yield START
    for head, group in groupby(zip(heads[1:], sentences, strict=True), key=lambda pair: pair[0]):
        yield head + OPEN
        for _, sentence in group:
            known = parts.of(sentence, FORMAT.name)
            yield (_in_place(sentence, ws)[1] if known else _fresh(sentence, ws)) + "\n"
        yield CLOSE
    yield "</document>\n"


def _fresh(sentence: Sentence, ws: str) -> str:
    """Return a phrase for a sentence from elsewhere."""
    beside = interlinear(sentence)
    rows = []
    for form, tag, glosses in zip(sentence.words, sentence.upos, beside.words, strict=True):
        kind = "punct" if all(unicodedata.category(char)[0] == "P" for char in form) else "txt"
        items = [(kind, UNKNOWN, form), ("gls", ENGLISH, glosses.get("Gloss", "")), ("pos", ws, tag)]
        rows.append("<word>" + "".join(_item(*item, bool(sentence.predicted)) for item in items) + "</word>\n")
    names = {name: kind for kind, name in COMMENTS.items()}
    said = [(key.partition("_"), value) for key, value in beside.lines.items()]
    lines = [_item(names[name], lang, value) for (name, _, lang), value in said if name in names]
    text = _item("txt", UNKNOWN, sentence.text)
    return f"<phrase>{text}\n<words>\n{''.join(rows)}</words>{''.join(lines)}</phrase>"


def _item(kind: str, lang: str, text: str, guessed: bool = False) -> str:
    status = {STATUS: GUESS} if guessed and kind == "pos" else {}
    is_empty = not text or (kind == "pos" and text == UNANNOTATED)
    return "" if is_empty else written("item", {"type": kind, "lang": lang} | status, text)


FORMAT = Format(
    name="flextext",
    title="FLEx interlinear text",
    rank=10,
    suffixes=(".flextext",),
    holds={Sentence.kind: ("upos",)},
    opens={Sentence.kind: Sentence.columns},
    read=lambda path, how: read(path, how.report),
    write=lambda sentences, path, columns: write(sentences, path),
)
