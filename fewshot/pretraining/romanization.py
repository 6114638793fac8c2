"""A tokenizer that reads other scripts in Latin letters, romanized by uroman (Hermjakob et al. 2018).

The rules are the first normalizer of the tokenizer, so that words keep their positions, and texts and annotation do not
change. A rule replaces one letter with its signs, whatever the word around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import regex
from transformers import PreTrainedTokenizerFast

from fewshot.corpora.spelling import composed
from fewshot.encoders.tokenizer_settings import rebuild_tokenizer, settings_of
from fewshot.errors import FewshotError

UNIT = regex.compile(r"(?!\p{Latin})[\p{L}\p{N}--[0-9]]\p{M}*", regex.V1)
"""A letter or digit that is not Latin, with its signs."""

MIN_COUNT = 5
"""Occurrences in the text that a letter needs; rarer letters are from names and quotations."""

MAX_RULES = 1000
"""Number of rules of a tokenizer, each of which costs time; scripts with more letters are known to encoders."""


def romanized(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that reads the letters of raw text in a language as Latin letters.

    Raises:
        FewshotError: when uroman is missing, or the text has no letter that is not Latin, or more than `MAX_RULES`.
    """
    settings = settings_of(tokenizer, "changed", "--romanize")
    replaced = [
        {"type": "Replace", "pattern": {"String": unit}, "content": latin}
        for unit, latin in rules(sentences, _romanizer()).items()
    ]
    rest = [settings["normalizer"]] if settings["normalizer"] else []
    settings["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFC"}, *replaced, *rest]}
    return rebuild_tokenizer(tokenizer, settings)


def rules(sentences: Sequence[str], romanize: Callable[[str], str]) -> Mapping[str, str]:
    """Return the romanizations of frequent letters: with their signs first, then single characters."""
    units = Counter(unit for sentence in sentences for unit in UNIT.findall(composed(sentence)))
    usual = [unit for unit, count in units.items() if count >= MIN_COUNT]
    wanted = {*usual, *(character for unit in usual for character in unit)}
    if not wanted:
        raise FewshotError("the text has Latin letters alone; leave --romanize out")
    if len(wanted) > MAX_RULES:
        raise FewshotError(
            f"the text has {len(wanted):,} letters, with their signs, that are not Latin; --romanize is for "
            f"alphabets and syllabaries, of at most {MAX_RULES:,}"
        )
    longest = sorted(wanted, key=lambda unit: (-len(unit), unit))
    return {unit: latin for unit in longest if (latin := romanize(unit)) != unit}


def _romanizer() -> Callable[[str], str]:
    try:
        from uroman import Uroman
    except ImportError:
        raise FewshotError("uroman, which knows scripts, is missing; pip install 'fewshot[romanize]'") from None
    known: Any = Uroman()
    return lambda text: str(known.romanize_string(text))
