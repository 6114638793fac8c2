"""Phrases of a FLEx text: their words, what stands below these, and how UPOS is changed in them.

UPOS is a ``pos`` item of the word, FLEx's *Word Cat.*; its import looks the value up among the categories of the
project, by the writing system of the item. Where a text has categories of its own (``n``, ``vt``) they stay, and UPOS
has the writing system `OWN`. What a model has chosen has ``analysisStatus="guess"``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from fewshot.corpora.formats.conllu import interlinear
from fewshot.corpora.formats.markup import Edit, Element, indent, written
from fewshot.corpora.recordings import Recording, seconds, stretch
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS

OWN, ENGLISH, UNKNOWN = "en-x-upos", "en", "und"
"""Writing systems: of UPOS beside other categories; of glosses, and of a language, where no file says them."""

STATUS, GUESS = "analysisStatus", "guess"

MISSING = "***"
"""How FLEx shows that a morph has no gloss."""

COMMENTS = {"gls": "text", "lit": "literal", "note": "note"}
"""What CoNLL-U calls the items of a phrase, with their language."""

CLOSING, OPENING = ("Po", "Pe", "Pf"), ("Ps", "Pi")
"""Punctuation that has no space before it, or behind it, by its Unicode category."""


def items(element: Element, *kinds: str) -> list[tuple[str, str]]:
    """Return writing system and text of the items of some types that are not empty, in order."""
    found = [item for item in element.find("item") if item.attributes.get("type") in kinds]
    return [(_language(item), text) for item in found if (text := plain(item.text)).strip()]


def plain(text: str) -> str:
    """Return a text without what its layout in XML has added."""
    return re.sub("[ \t\r\n]+", " ", text).strip(" ")


def _language(item: Element) -> str:
    return re.sub(r"[^\w-]", "", item.attributes.get("lang", "")) or UNKNOWN


def words_of(phrase: Element) -> list[Element]:
    """Return the words that have a form; FLEx has others, for what it could not read."""
    return [word for word in phrase.find("words", "word") if forms_of(word)]


def forms_of(word: Element, ws: str = "") -> list[tuple[str, str]]:
    """Return writing system and text of the forms of a word, those of one writing system first."""
    return sorted(items(word, "txt", "punct"), key=lambda form: form[0] != ws)


def system_of_words(phrases: Sequence[Element]) -> str:
    """Return the writing system that most words have, the first one of several; the order of items may change."""
    counts = Counter(lang for phrase in phrases for word in words_of(phrase) for lang, _ in forms_of(word))
    return max(counts, key=lambda lang: counts[lang], default=UNKNOWN)


def system_of_tags(phrases: Sequence[Element]) -> str:
    """Return the writing system of UPOS, `OWN` beside other categories; empty where there are no tags."""
    tags = [tag for phrase in phrases for word in words_of(phrase) for tag in items(word, "pos")]
    if any(lang == OWN or tag not in UPOS for lang, tag in tags):
        return OWN
    return tags[0][0] if tags else ""


def system_of_glosses(phrases: Sequence[Element]) -> str:
    """Return the writing system of glosses, else that of translations, else `ENGLISH`."""
    words = [word for phrase in phrases for word in words_of(phrase)]
    return next((lang for element in (*words, *phrases) for lang, _ in items(element, "gls")), ENGLISH)


def tag_of(word: Element, ws: str) -> Element | None:
    """Return the item that is the UPOS of a word."""
    found = (item for item in word.find("item") if item.attributes.get("type") == "pos")
    return next((item for item in found if _language(item) == ws), None)


def is_guess(item: Element) -> bool:
    """Return whether a model has chosen a tag."""
    return item.attributes.get(STATUS, "").startswith(GUESS)


def text_of(phrase: Element, ws: str) -> str:
    """Return the text of a phrase, else its words, with punctuation close to the one that it belongs to.

    Args:
        ws: writing system of the words.
    """
    if texts := sorted(items(phrase, "txt"), key=lambda text: text[0] != ws):
        return texts[0][1]
    words = words_of(phrase)
    is_punct = [not items(word, "txt") for word in words]
    forms = [forms_of(word, ws)[0][1] for word in words]
    text = forms[0]
    for (before, form), (was, is_) in zip(pairwise(forms), pairwise(is_punct), strict=True):
        closes = is_ and unicodedata.category(form[0]) in CLOSING
        opens = was and unicodedata.category(before[-1]) in OPENING
        text += form if closes or opens else f" {form}"
    return text


def glosses_of(word: Element, ws: str) -> dict[str, str]:
    """Return what stands below a word, under the names that UD has for it.

    Args:
        ws: writing system of the words; a form in another one is their transliteration.
    """
    morphs = list(word.find("morphemes", "morph"))
    forms, glosses = ([_first(morph, kind) for morph in morphs] for kind in ("txt", "gls"))
    of_morphs = _joined(forms, [gloss or MISSING for gloss in glosses]) if any(glosses) else ""
    found = {
        "Translit": next((form for _, form in forms_of(word, ws)[1:]), ""),
        "Gloss": _first(word, "gls") or of_morphs,
        "MSeg": _joined(forms, [form.strip("-=") for form in forms]) if len(forms) > 1 else "",
    }
    return {key: value for key, value in found.items() if value}


def _first(element: Element, kind: str) -> str:
    return next((text for _, text in items(element, kind)), "")


def _joined(forms: Sequence[str], values: Sequence[str]) -> str:
    """Return what morphs have, with ``=`` at a clitic and ``-`` elsewhere, as in the Leipzig glossing rules."""
    seams = ["=" if "=" in before[-1:] + after[:1] else "-" for before, after in pairwise(forms)]
    return "".join(chain.from_iterable(zip(["", *seams], values, strict=False)))


def comments_of(phrase: Element, ws: str) -> dict[str, str]:
    """Return number, transliteration, translations and notes of a phrase, under the names of CoNLL-U.

    Args:
        ws: writing system of the words; a text in another one is the transliteration.
    """
    found: dict[str, str] = {}
    if number := _first(phrase, "segnum"):
        found["ref"] = number
    for _, text in sorted(items(phrase, "txt"), key=lambda text: text[0] != ws)[1:2]:
        found["translit"] = text
    for kind, name in COMMENTS.items():
        for lang, text in items(phrase, kind):
            key = f"{name}_{lang}"
            found[key] = f"{found[key]} / {text}" if key in found else text
    return found


def recording_of(phrase: Element, text: Element, root: Element) -> Recording | None:
    """Return where a phrase is heard; None where its file does not say it.

    Args:
        text: that the phrase stands in.
        root: of the document, which has the media files where a text has none.
    """
    files = text.first("media-files") or root.first("media-files")
    named = (
        {one.attributes.get("guid"): one.attributes.get("location", "") for one in files.find("media")} if files else {}
    )
    only = next(iter(named.values()), "") if len({*named.values()}) == 1 else ""
    begin, end = (seconds(phrase.attributes.get(f"{edge}-time-offset", "")) for edge in ("begin", "end"))
    if begin is None or end is None:
        return None
    return stretch(named.get(phrase.attributes.get("media-file"), only), begin / 1000, end / 1000)


def edits(data: bytes, word: Element, tag: str, ws: str, guessed: bool) -> Iterator[Edit]:
    """Yield what changes where a word gets a tag, or loses it.

    Args:
        data: what the word stands in.
        ws: writing system of UPOS.
        guessed: whether a model has chosen the tag.
    """
    item = tag_of(word, ws)
    attributes = dict(item.attributes) if item else {"type": "pos", "lang": ws}
    was_guessed = item is not None and is_guess(item)
    old = plain(item.text) or UNANNOTATED if item else UNANNOTATED
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


def fresh(sentence: Sentence, ws: str, original: Element | None = None) -> str:
    """Return a phrase with the words and glosses of a sentence.

    Args:
        ws: writing system of UPOS.
        original: the phrase of which its words were repaired, which says their writing systems and those of glosses;
            None for a sentence from elsewhere.
    """
    form_ws, gloss_ws = UNKNOWN, ENGLISH
    if original:
        form_ws, gloss_ws = system_of_words([original]), system_of_glosses([original])
    beside = interlinear(sentence)
    rows = []
    for form, tag, glosses in zip(sentence.words, sentence.upos, beside.words, strict=True):
        kind = "punct" if all(unicodedata.category(char)[0] == "P" for char in form) else "txt"
        made = [(kind, form_ws, form), ("gls", gloss_ws, glosses.get("Gloss", "")), ("pos", ws, tag)]
        rows.append("<word>" + "".join(_item(*item, bool(sentence.predicted)) for item in made) + "</word>\n")
    names = {name: kind for kind, name in COMMENTS.items()}
    said = [(key.partition("_"), value) for key, value in beside.lines.items()]
    lines = [_item(names[name], lang, value) for (name, _, lang), value in said if name in names]
    text = _item("txt", form_ws, sentence.text)
    return f"<phrase>{text}\n<words>\n{''.join(rows)}</words>{''.join(lines)}</phrase>"


def _item(kind: str, lang: str, text: str, guessed: bool = False) -> str:
    status = {STATUS: GUESS} if guessed and kind == "pos" else {}
    is_empty = not text or (kind == "pos" and text == UNANNOTATED)
    return "" if is_empty else written("item", {"type": kind, "lang": lang} | status, text)
