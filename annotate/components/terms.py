"""Terms of the library in the language of the window: tasks, examples, languages."""

from __future__ import annotations

import langcodes

from annotate.language import _, current, gettext_noop, ngettext
from fewshot import tasks

TASKS = (
    gettext_noop("POS tagging"),
    gettext_noop("morphological features"),
    gettext_noop("lemmatization"),
    gettext_noop("dependency parsing"),
    gettext_noop("named entity recognition"),
    gettext_noop("natural language inference"),
    gettext_noop("question answering"),
    gettext_noop("document classification"),
    gettext_noop("document classification with several topics"),
)
"""Titles of tasks, for translation; tasks of users keep their titles."""

FAMILIAR = {
    "dep": gettext_noop("dependency parsing (trees)"),
    "ner": gettext_noop("named entity recognition (entities)"),
    "nli": gettext_noop("natural language inference (pairs)"),
    "topic": gettext_noop("document classification (topics)"),
}
"""Titles that contain the everyday word for the task, so that typing the word finds it in a list."""

KINDS = gettext_noop("sentences"), gettext_noop("pairs"), gettext_noop("documents"), gettext_noop("articles")
"""Plural nouns for kinds of examples, for translation."""

FORMATS = (
    gettext_noop("BIO with tabs"),
    gettext_noop("ELAN transcript"),
    gettext_noop("FLEx interlinear text"),
    gettext_noop("JSON Lines with character offsets"),
    gettext_noop("Toolbox interlinear text"),
    gettext_noop("flags and comments (TSV)"),
    gettext_noop("raw text, one sentence a line"),
    gettext_noop("tab-separated columns"),
)
"""Titles of formats of files that are more than a name, for translation."""

COMMENTS = {
    "text": gettext_noop("Translation"),
    "literal": gettext_noop("Literal translation"),
    "translit": gettext_noop("Transliteration"),
    "gloss": gettext_noop("Gloss"),
    "note": gettext_noop("Note"),
}
"""Comments of a sentence that help to understand it, by the key before the language code."""


def task(name: str) -> str:
    """Return the title of a task."""
    return _(tasks.get(name).title)


def offered_task(name: str) -> str:
    """Return the title of a task in a list of all tasks."""
    return _(FAMILIAR[name]) if name in FAMILIAR else task(name)


def kind(things: str) -> str:
    """Return the plural noun for examples of a kind."""
    return _(things)


def counted(number: int, things: str) -> str:
    """Return a number of examples, for example ``1 sentence``."""
    return {
        "sentences": ngettext("{number} sentence", "{number} sentences", number),
        "pairs": ngettext("{number} pair", "{number} pairs", number),
        "documents": ngettext("{number} document", "{number} documents", number),
        "articles": ngettext("{number} article", "{number} articles", number),
    }[things]


def comment(key: str) -> str:
    """Return the name of a comment in `COMMENTS`, ``Translation (English)`` for ``text_en``, or its key."""
    name, _separator, code = key.partition("_")
    if code in ("", "und"):
        return _(COMMENTS[name])
    return key if language(code) == code else f"{_(COMMENTS[name])} ({language(code)})"


def language(code: str) -> str:
    """Return the name of a language, or its code if the name is unknown."""
    try:
        language = langcodes.get(code)
        known = not language.display_name().startswith("Unknown")
    except (LookupError, ValueError):
        return code
    return str(language.display_name(current())) if known else code
