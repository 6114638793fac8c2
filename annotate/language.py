"""In which language people see the app: the catalogues in ``locales/``, and which of them holds for whoever is here.

English texts are written where they are shown, as ``_("... {name}", name=name)``: they are the keys of the catalogues,
and what is shown where a translation is missing. What runs outside of a window, such as the command line and the
worker, speaks English, and so do errors of the library.
"""

from __future__ import annotations

import gettext
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.internals import in_script

DOMAIN = "fewshot"
FOLDER = Path(str(files("annotate"))) / "locales"
"""Where the catalogues are, as gettext looks for them: ``de/LC_MESSAGES/fewshot.po``, and compiled ``fewshot.mo``."""

SOURCE = "en"
LANGUAGES = {SOURCE: "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ja": "日本語"}
"""The languages of the app by their codes, each as it calls itself."""

COOKIE = "fewshot_language"
"""Name of the cookie that keeps a choice."""

KEPT = 365 * 86400
"""Seconds for which a choice is kept."""

CHOSEN = "language"
"""Key of the window's state that holds its language."""


def _(message: str, **values: Any) -> str:
    """Return a message in the language of the window, with values in place of its ``{placeholders}``."""
    found = catalogue(current()).gettext(message)
    return found.format(**values) if values else found


def ngettext(one: str, many: str, number: int, **values: Any) -> str:
    """Return a message about a number of things, which stands in place of ``{number}``."""
    return catalogue(current()).ngettext(one, many, number).format(number=f"{number:,}", **values)


def gettext_noop(message: str) -> str:
    """Return a message as it is: one that stands in a constant, and is translated by ``_`` where it is shown."""
    return message


def current() -> str:
    """Return the language of this window: what was chosen in this browser, else the first of it; English elsewhere."""
    if not in_script():
        return SOURCE
    found = st.session_state.get(CHOSEN)  # once: this is asked for each message
    if found is None:
        kept = st.context.cookies.get(COOKIE)
        found = st.session_state[CHOSEN] = kept if kept in LANGUAGES else nearest(st.context.locale)
    return str(found)


def nearest(locale: str | None) -> str:
    """Return the language of the app for a browser's locale, such as ``de-AT``."""
    code = (locale or SOURCE).replace("_", "-").partition("-")[0].lower()
    return code if code in LANGUAGES else SOURCE


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """Return the messages of a language; without a catalogue all are English."""
    return gettext.translation(DOMAIN, FOLDER, [language], fallback=True)


def messages(language: str) -> dict[str, str]:
    """Return all messages of a language that are no plurals, by the English ones: what editors show."""
    entries = getattr(catalogue(language), "_catalog", {})
    return {english: text for english, text in entries.items() if english and isinstance(english, str)}
