"""Split running text into words, for pairs, documents and paragraphs."""

from __future__ import annotations

from functools import partial

import regex

ZERO_WIDTH_SPACE = "\u200b"

CLUSTERS_PER_BORDER = 8
"""Most letter clusters per zero-width space where these mark words; Khmer has two or three per word."""

_UNSEGMENTED = (
    r"\p{Line_Break=SA}\p{Tibetan}\p{Javanese}\p{Balinese}"  # SA: Thai, Lao, Burmese, Khmer, Tai
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words."""

_LETTER = r"[\p{L}\p{N}\p{M}]"
_SPACED_LETTER = rf"[[[\p{{L}}\p{{N}}]--[{_UNSEGMENTED}]]\p{{M}}\p{{Nd}}]"
_INVISIBLE = rf"[\p{{Cf}}--{ZERO_WIDTH_SPACE}]*"
_STACKED = r"(?<=[\u1039\u17d2\u1a60\u1b44\ua9c0])"  # after the sign that makes the next consonant a subscript
_CLUSTER = (
    r"(?:[\p{Tibetan}&&[\p{L}\p{N}\p{M}]]+[\u0f0b\u0f0c]?"  # a syllable with the mark that ends it
    rf"|\p{{Logical_Order_Exception}}?[[\p{{L}}\p{{N}}]&&[{_UNSEGMENTED}]]\p{{M}}*"  # a vowel before its consonant
    rf"(?:{_STACKED}\p{{L}}\p{{M}}*"
    r"|[\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3]\p{M}*"  # a vowel after its consonant
    r"|[\u1000-\u1021]\u1037?\u103a\p{M}*)*)"  # a final consonant of Burmese
)
_EMOJI = r"\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}\U000e0020-\U000e007f]*"
_SYMBOL = rf"\p{{Regional_Indicator}}{{2}}|{_EMOJI}(?:\u200d{_EMOJI})*|[\p{{P}}\p{{S}}]\p{{M}}*"


_compiled = partial(regex.compile, flags=regex.VERSION1)  # supports set differences


_WORD, _MARKED_WORD = (
    _compiled(rf"{letter}+(?:{_INVISIBLE}{letter}+)*+|{_CLUSTER}|{_SYMBOL}") for letter in (_SPACED_LETTER, _LETTER)
)
DICTIONARY_RUN = _compiled(
    r"[[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Han}\p{Hiragana}\p{Katakana}\u30fc]&&[\p{L}\p{N}\p{M}]]+"
)
"""Letters of scripts without spaces whose words a dictionary tells apart."""

_LETTER_CLUSTER = _compiled(_CLUSTER)
_CHARACTER = _compiled(rf"(?!\p{{Cf}})\X(?:{_STACKED}\X)*")
_UNSEGMENTED_CHARACTER = _compiled(f"[{_UNSEGMENTED}]")
_BORDER = _compiled(f"(?<=[{_UNSEGMENTED}]){ZERO_WIDTH_SPACE}")


def is_unsegmented(char: str) -> bool:
    """Return whether a character belongs to a script without spaces between words."""
    return _UNSEGMENTED_CHARACTER.match(char) is not None


def are_marked(text: str) -> bool:
    """Return whether zero-width spaces separate the words of a script without spaces."""
    borders = len(_BORDER.findall(text)) if ZERO_WIDTH_SPACE in text else 0
    return borders > 0 and len(_LETTER_CLUSTER.findall(text)) <= CLUSTERS_PER_BORDER * borders


def spans(text: str, marked: bool | None = None) -> list[tuple[int, int]]:
    """Return start and end of every word.

    A word is a run of letters, digits and their marks. Punctuation marks and symbols are words of one character, emoji
    sequences are one word. In scripts without spaces, words are separated by zero-width spaces if the text has them;
    else each letter with its vowels and subscripts, or Tibetan syllable, is a word (an upper bound of the real words).
    Invisible format characters belong to a word only between its letters, like the joiners of Persian and Hindi.

    Args:
        marked: whether zero-width spaces separate words; None: as `are_marked` finds.
    """
    expression = _MARKED_WORD if (are_marked(text) if marked is None else marked) else _WORD
    return [match.span() for match in expression.finditer(text)]


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return [text[start:end] for start, end in spans(text)]


def character_starts(text: str) -> list[int]:
    """Return the start of each visible character: a letter with marks and subscripts, or an emoji."""
    return [match.start() for match in _CHARACTER.finditer(text)]
