"""Phrases of a FLEx text: words, glosses, and edits of UPOS.

UPOS is a ``pos`` item of the word, FLEx's *Word Cat.*; FLEx imports it as a category of the project by the item's
writing system. UPOS is read in the writing systems in which most categories are UPOS. Other categories (``n``, ``vt``)
stay, and UPOS gets the writing system `OWN`. Predicted tags have ``analysisStatus="guess"``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TypeAlias

from fewshot.corpora.formats.common.interlinear import interlinear
from fewshot.corpora.formats.common.markup import Edit, Element, indent, write_element
from fewshot.corpora.recordings import Recording, seconds, stretch
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.errors import listed

OWN, ENGLISH, UNKNOWN = "en-x-upos", "en", "und"
"""Writing systems: of UPOS besides other categories; of glosses by default; of unknown languages."""

STATUS, GUESS = "analysisStatus", "guess"

MISSING = "***"
"""FLEx's mark of a morph without a gloss."""

NO_CATEGORY = (MISSING, "<Not Sure>")
"""FLEx's marks of a word without a category."""

FORMS = ("txt", "punct")
"""Items with the form of a word."""

Item: TypeAlias = tuple[str, str]
"""Writing system and text."""

COMMENTS = {"gls": "text", "lit": "literal", "note": "note"}
"""CoNLL-U comment keys, completed by a language, for the items of a phrase."""

CLOSING, OPENING = ("Po", "Pe", "Pf"), ("Ps", "Pi")
"""Unicode categories of punctuation without a space before it, and after it."""


def items(element: Element, *kinds: str) -> list[Item]:
    """Return writing system and text of the non-empty items of some types, in order."""
    return [(_language(item), text) for item in _items(element, *kinds) if (text := plain(item.text))]


def _items(element: Element, *kinds: str) -> list[Element]:
    return [item for item in element.find("item") if item.attributes.get("type") in kinds]


def plain(text: str) -> str:
    """Return a text without white space from XML formatting."""
    return re.sub("[ \t\r\n]+", " ", text).strip()


def _language(item: Element) -> str:
    return re.sub(r"[^\w-]", "", item.attributes.get("lang", "")) or UNKNOWN


def by_system(values: Iterable[Item], ws: str) -> list[Item]:
    """Return items, those of a writing system first, ignoring case."""
    return sorted(values, key=lambda item: item[0].lower() != ws.lower())


def most_used(values: Iterable[Item]) -> str:
    """Return the writing system of most items, the first of several; empty without items."""
    systems = [lang for lang, _ in values]
    counts = Counter(lang.lower() for lang in systems)
    return max(systems, key=lambda lang: counts[lang.lower()], default="")


def words_of(phrase: Element) -> list[Element]:
    """Return the words that have a form, including those of nested phrases."""
    return [word for word in phrase.nearest("word") if forms_of(word)]


def formless(phrase: Element) -> list[Element]:
    """Return the words with other content but no form: FLEx writes these for unreadable input."""
    return [word for word in phrase.nearest("word") if not forms_of(word) and _has_text(word)]


def is_lost(word: Element) -> bool:
    """Return whether a word has a tag but no form, or a blank form."""
    return not forms_of(word) and _has_text(word, *FORMS, "pos")


def _has_text(word: Element, *kinds: str) -> bool:
    candidates = (item for item in word.nearest("item") if not kinds or item.attributes.get("type") in kinds)
    return any(item.text.strip(" \t\r\n") for item in candidates)


def forms_of(word: Element, ws: str = "") -> list[Item]:
    """Return writing system and text of the forms of a word, else of its morphs; those of ``ws`` first."""
    return by_system(items(word, *FORMS), ws) or _form_of_morphs(word, ws)


def _form_of_morphs(word: Element, ws: str) -> list[Item]:
    morphs = [by_system(items(morph, "txt"), ws) for morph in word.find("morphemes", "morph")]
    form = "".join(morph[0][1].strip("-=") for morph in morphs if morph) if all(morphs) else ""
    return [(morphs[0][0][0], form)] if form else []


def system_of_words(phrases: Sequence[Element]) -> str:
    """Return the writing system of most words, the first of several."""
    return most_used(form for phrase in phrases for word in words_of(phrase) for form in forms_of(word)) or UNKNOWN


def systems_of_tags(phrases: Sequence[Element]) -> list[str]:
    """Return the writing systems of UPOS, the one for new tags first; empty without tags.

    These are `OWN`, if some tags have it or other tags are mostly not UPOS, and those in which most tags are UPOS, most
    used first.
    """
    words = (word for phrase in phrases for word in words_of(phrase))
    tags = [(lang, tag) for word in words for lang, tag in items(word, "pos") if tag not in NO_CATEGORY]
    systems = {lang.lower(): lang for lang, _ in reversed(tags)}
    all_ = Counter(lang.lower() for lang, _ in tags)
    upos = Counter(lang.lower() for lang, tag in tags if tag in UPOS)
    mostly = [systems[lang] for lang, count in upos.most_common() if lang != OWN and 2 * count > all_[lang]]
    own = [OWN] if OWN in all_ or (tags and not mostly) else []
    return own + mostly


def system_of_glosses(phrases: Sequence[Element]) -> str:
    """Return the writing system of most glosses of words, else of morphs or translations, else `ENGLISH`."""
    words = [word for phrase in phrases for word in words_of(phrase)]
    morphs = [morph for word in words for morph in word.find("morphemes", "morph")]
    systems = (
        most_used(gloss for element in level for gloss in items(element, "gls")) for level in (words, morphs, phrases)
    )
    return next(filter(None, systems), ENGLISH)


def tags_of(word: Element, systems: Sequence[str]) -> list[Element]:
    """Return the UPOS items of a word, most important first; if all are empty, one of them."""
    tags = _items(word, "pos")
    mine = [item for ws in systems for item in tags if _language(item).lower() == ws.lower()]
    return list(filter(value, mine)) or mine[:1]


def value(item: Element | None) -> str:
    """Return the tag in an item, empty for none; only `OWN` may hold other tags than UPOS."""
    tag = plain(item.text) if item else ""
    return tag if tag in UPOS or (item and _language(item).lower() == OWN and tag not in NO_CATEGORY) else ""


def tag_faults(phrase: Element, systems: Sequence[str]) -> Iterator[tuple[Element, str]]:
    """Yield each item that is not a UPOS, or one of several, with an error message."""
    for word in words_of(phrase):
        for item in tags_of(word, systems)[:1]:
            form, lang = forms_of(word)[0][1], _language(item).lower()
            tags = [tag for ws, tag in items(word, "pos") if ws.lower() == lang and tag not in NO_CATEGORY]
            if len({*tags}) > 1:
                yield item, f"{form!r} has several categories, {listed(tags)}; keep one"
            elif tags and not value(item):
                message = f"the category {tags[0]!r} of {form!r} is not a UPOS, unlike most in its text"
                yield item, f"{message}; write a UPOS, or {MISSING} where it is open"


def is_guess(item: Element) -> bool:
    """Return whether a model has chosen a tag."""
    return item.attributes.get(STATUS, "").startswith(GUESS)


def text_of(phrase: Element, ws: str) -> str:
    """Return the text of a phrase, else its words (``ws``: their writing system) with punctuation."""
    if texts := by_system(items(phrase, "txt"), ws):
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


def glosses_of(word: Element, ws: str, gloss_ws: str) -> dict[str, str]:
    """Return the glosses of a word, in the writing system ``gloss_ws``, under their names in UD.

    A form in another writing system than that of the words, ``ws``, is the transliteration.
    """
    morphs = list(word.find("morphemes", "morph"))
    forms, glosses = ([_first(morph, *kind) for morph in morphs] for kind in (("txt", ws), ("gls", gloss_ws)))
    of_morphs = _joined(forms, [gloss or MISSING for gloss in glosses]) if any(glosses) else ""
    values = {
        "Translit": next((form for _, form in forms_of(word, ws)[1:]), ""),
        "Gloss": _first(word, "gls", gloss_ws) or of_morphs,
        "MSeg": _joined(forms, [form.strip("-=") for form in forms]) if len(forms) > 1 else "",
    }
    return {key: value for key, value in values.items() if value}


def _first(element: Element, kind: str, ws: str = "") -> str:
    return next((text for _, text in by_system(items(element, kind), ws)), "")


def _joined(forms: Sequence[str], values: Sequence[str]) -> str:
    """Return values of morphs, joined by ``=`` at clitics, else ``-``, as in the Leipzig glossing rules."""
    seams = ["=" if "=" in before[-1:] + after[:1] else "-" for before, after in pairwise(forms)]
    return "".join(chain.from_iterable(zip(["", *seams], values, strict=False)))


def comments_of(phrase: Element, ws: str) -> dict[str, str]:
    """Return number, transliteration, translations and notes of a phrase, under their names in CoNLL-U.

    A text in another writing system than that of the words, ``ws``, is the transliteration.
    """
    comments: dict[str, list[str]] = {}
    if number := _first(phrase, "segnum"):
        comments["ref"] = [number]
    for _, text in by_system(items(phrase, "txt"), ws)[1:2]:
        comments["translit"] = [text]
    for kind, name in COMMENTS.items():
        for lang, text in items(phrase, kind):
            comments.setdefault(f"{name}_{lang}", []).append(text)
    return {key: " / ".join(texts) for key, texts in comments.items()}


def media_of(text: Element, root: Element) -> dict[str, str]:
    """Return a text's (or the document's) media files by id, and the only one under an empty id."""
    files = text.first("media-files") or root.first("media-files")
    known = [media.attributes for media in files.find("media")] if files else []
    named = {media.get("guid", ""): media.get("location", "") for media in known}
    return named | ({"": next(iter(named.values()))} if len({*named.values()}) == 1 else {})


def recording_of(phrase: Element, media: Mapping[str, str]) -> Recording | None:
    """Return the recording of a phrase, given the media files of its text, see `media_of`."""
    begin, end = (seconds(phrase.attributes.get(f"{edge}-time-offset", "")) for edge in ("begin", "end"))
    if begin is None or end is None:
        return None
    file = media.get(phrase.attributes.get("media-file", ""), media.get("", ""))
    return stretch(file, begin / 1000, end / 1000)


def edits(data: bytes, word: Element, tag: str, systems: Sequence[str], guessed: bool) -> Iterator[Edit]:
    """Yield the edits of ``data``, which contains the word, when the word gets a tag, or loses it."""
    tags = tags_of(word, systems)
    first = tags[0] if tags else None
    old, was_guessed = value(first) or UNANNOTATED, first is not None and is_guess(first)
    if tag == old and (tag == UNANNOTATED or guessed == was_guessed):
        return
    if tag == UNANNOTATED and was_guessed:
        return  # an undecided guess
    for item in tags:
        attributes = dict(item.attributes)
        if guessed != is_guess(item):
            attributes = _with_status(attributes, guessed)
        new = "" if tag == UNANNOTATED else write_element("item", attributes, tag)
        space = "" if new else indent(data, item)
        yield item.start - len(space.encode()), item.end, new
    if not tags:
        last, attributes = word.children[-1], _with_status({"type": "pos", "lang": systems[0]}, guessed)
        yield last.end, last.end, indent(data, last) + write_element("item", attributes, tag)


def _with_status(attributes: dict[str, str], guessed: bool) -> dict[str, str]:
    kept = {key: value for key, value in attributes.items() if key != STATUS}
    return kept | ({STATUS: GUESS} if guessed else {})


def fresh(sentence: Sentence, ws: str, original: Element | None = None) -> str:
    """Return a new phrase with the words and glosses of a sentence.

    Args:
        ws: writing system of UPOS.
        original: the phrase whose words were repaired, for its writing systems; None for other sources.
    """
    form_ws, gloss_ws = UNKNOWN, ENGLISH
    if original:
        form_ws, gloss_ws = system_of_words([original]), system_of_glosses([original])
    glossed = interlinear(sentence)
    rows = []
    for form, tag, glosses in zip(sentence.words, sentence.upos, glossed.words, strict=True):
        kind = "punct" if all(unicodedata.category(char)[0] == "P" for char in form) else "txt"
        made = [(kind, form_ws, form), ("gls", gloss_ws, glosses.get("Gloss", "")), ("pos", ws, tag)]
        rows.append("<word>" + "".join(_item(*item, bool(sentence.predicted)) for item in made) + "</word>\n")
    names = {name: kind for kind, name in COMMENTS.items()}
    comments = [(key.partition("_"), value) for key, value in glossed.lines.items()]
    lines = [_item(names[name], lang, value) for (name, _, lang), value in comments if name in names]
    text = _item("txt", form_ws, sentence.text)
    return f"<phrase>{text}\n<words>\n{''.join(rows)}</words>{''.join(lines)}</phrase>"


def _item(kind: str, lang: str, text: str, guessed: bool = False) -> str:
    status = {STATUS: GUESS} if guessed and kind == "pos" else {}
    is_empty = not text or (kind == "pos" and text == UNANNOTATED)
    return "" if is_empty else write_element("item", {"type": kind, "lang": lang} | status, text)
