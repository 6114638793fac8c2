"""Validate and normalize language codes."""

from __future__ import annotations

import langcodes


def check_code(code: str) -> str:
    """Return why a code may be a typing error; empty for valid BCP 47 codes (ISO 639, private codes)."""
    if langcodes.tag_is_valid(code):
        return ""
    try:
        meant = langcodes.find(code)
    except LookupError:
        return f"{code} is not a known language code; use ISO 639 codes, such as wo for Wolof"
    return f"{code} is not a known language code; {meant.display_name()} is {meant.to_tag()}"


def language(code: str) -> str:
    """Return the shortest code of a language, such as ``ja`` for ``jpn``; invalid codes stay unchanged."""
    return langcodes.standardize_tag(code, macro=True) if langcodes.tag_is_valid(code) else code
