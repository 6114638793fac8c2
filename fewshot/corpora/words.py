"""Words of running text, for what is not given as words: pairs, documents, paragraphs."""

from __future__ import annotations

import re
import unicodedata

_UNSEGMENTED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts without spaces between words."""

_ZERO_WIDTH_SPACE = "\u200b"


def unsegmented(char: str) -> bool:
    """Return whether a character is of a script that writes no spaces between words."""
    return _UNSEGMENTED.match(char) is not None


def spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of every word.

    A word is a run of letters, digits and the marks on them. Punctuation marks and symbols are words of one character,
    and so are the characters of scripts that write no spaces (an upper bound of their words). Invisible format
    characters belong to a word only between its letters, as the joiners of Persian and Hindi do.
    """
    found: list[tuple[int, int]] = []
    grows = False  # whether the last word takes one more letter
    for place, char in enumerate(text):
        category = unicodedata.category(char)
        if category == "Cf":
            grows = grows and char != _ZERO_WIDTH_SPACE
        elif category[0] == "M" and found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        elif category[0] not in "LNM":
            grows = False
            if category[0] in "PS":
                found.append((place, place + 1))
        elif unsegmented(char):
            grows = False
            found.append((place, place + 1))
        elif grows:
            found[-1] = (found[-1][0], place + 1)
        else:
            grows = True
            found.append((place, place + 1))
    return found


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return [text[start:end] for start, end in spans(text)]
