"""The language of the app: catalogues in ``locales/``, and the choice for each window.

English texts are written where they are shown, as ``_("... {name}", name=name)``: they are the keys of the catalogues,
and shown if a translation is missing. The command line, the worker and errors of the library are English.
"""

from __future__ import annotations

import gettext
import re
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.internals import in_script

DOMAIN = "fewshot"
FOLDER = Path(str(files("annotate"))) / "locales"
"""Folder of the catalogues for gettext: ``de/LC_MESSAGES/fewshot.po``, and compiled ``fewshot.mo``."""

SOURCE = "en"
LANGUAGES = {SOURCE: "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ja": "日本語"}
"""Languages of the app by code, with their own names."""

SEPARATORS = {"de": ".,", "es": ".,", "fr": "\u202f,"}
"""Separator of thousands and decimal sign of languages that write figures otherwise than English."""

COOKIE = "fewshot_language"
"""Name of the cookie that stores the choice."""

COOKIE_SECONDS = 365 * 86400

STATE_KEY = "language"
"""Key of the language in the window's session state."""

OUTSIDE: ContextVar[str] = ContextVar("language", default=SOURCE)
"""Language outside of a window: that of the request which a route answers."""


def _(message: str, **values: Any) -> str:
    """Return a message in the language of the window, with values for its ``{placeholders}``."""
    text = catalogue(current()).gettext(message)
    return text.format(**values) if values else text


def ngettext(singular: str, plural: str, number: int, **values: Any) -> str:
    """Return a message in singular or plural, with the number in place of ``{number}``."""
    return catalogue(current()).ngettext(singular, plural, number).format(number=written(number), **values)


def written(value: float, digits: int = 0, sign: str = "-") -> str:
    """Return a number as the language of the window writes it, for example ``1.234,5``.

    Args:
        digits: decimals.
        sign: ``+`` writes a plus before positive numbers.
    """
    return figures(f"{value:{sign},.{digits}f}")


def figures(text: str) -> str:
    """Return figures in English, such as ``1,234.5 [0.5, 2]``, as the language of the window writes them."""
    if not (signs := SEPARATORS.get(current())):
        return text
    swapped = re.sub(r"(?<=\d)[,.](?=\d)", lambda sign: signs[sign[0] == "."], text)
    return swapped.replace(", ", "; ")


def gettext_noop(message: str) -> str:
    """Mark a message of a constant for translation, which ``_`` does where it is shown."""
    return message


def current() -> str:
    """Return the window's language, see `preferred`; outside of a window `OUTSIDE`."""
    if not in_script():
        return OUTSIDE.get()
    language = st.session_state.get(STATE_KEY)  # cached, since it is needed for each message
    if language is None:
        language = st.session_state[STATE_KEY] = preferred(st.context.cookies.get(COOKIE), st.context.locale)
    return str(language)


def preferred(chosen: str | None, locale: str | None) -> str:
    """Return the language that a person has chosen, else that of the browser."""
    return chosen if chosen in LANGUAGES else nearest(locale)


def nearest(locale: str | None) -> str:
    """Return the language of the app for a locale such as ``de-AT``, or ``de-AT,de;q=0.9``."""
    code = re.split(r"[-_,;]", locale or SOURCE, maxsplit=1)[0].lower()
    return code if code in LANGUAGES else SOURCE


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """Return the messages of a language; without a catalogue all are English."""
    return gettext.translation(DOMAIN, FOLDER, [language], fallback=True)


def messages(language: str) -> dict[str, str]:
    """Return all messages of a language without plurals, by their English text, for the editors."""
    entries = getattr(catalogue(language), "_catalog", {})
    return {english: text for english, text in entries.items() if english and isinstance(english, str)}
