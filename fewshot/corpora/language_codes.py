"""Codes of languages, which are as easily mistyped as any name, and stand in files and folders for good."""

from __future__ import annotations

import langcodes


def doubt(code: str) -> str:
    """Return why a code may be a slip; empty where it is one of BCP 47, those of ISO 639 and private ones included."""
    if langcodes.tag_is_valid(code):
        return ""
    try:
        meant = langcodes.find(code)
    except LookupError:
        return f"{code} is no language code that is known; codes are those of ISO 639, as wo for Wolof"
    return f"{code} is no language code that is known; {meant.display_name()} is {meant.to_tag()}"


def language(code: str) -> str:
    """Return the shortest code of a language: ``ja`` for ``jpn``, ``ar`` for ``arb``; what is none stays as it is."""
    return langcodes.standardize_tag(code, macro=True) if langcodes.tag_is_valid(code) else code
