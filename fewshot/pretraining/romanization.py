"""A tokenizer that reads other scripts in Latin letters, as uroman writes them (Hermjakob et al. 2018).

The rules stand in the tokenizer itself, before whatever else it does to text, so that words keep their places, and
texts, files and annotation stay as they are. A rule knows one letter with its signs and not the word around it.
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
"""A letter or a digit that is not Latin, with the signs that belong to it."""

FEWEST = 5
"""How often a letter occurs in the text, at least: rarer ones are of names and quotations."""

MOST = 1000
"""Rules of a tokenizer: each is looked for in every text. A text of more letters is of a script that encoders know."""


def romanized(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that reads the letters of a text in Latin ones.

    Args:
        sentences: raw text of the language.

    Raises:
        FewshotError: when uroman is not installed, the text has Latin letters alone, or more others than `MOST`.
    """
    settings = settings_of(tokenizer, "changed", "--romanize")
    replaced = [
        {"type": "Replace", "pattern": {"String": unit}, "content": latin}
        for unit, latin in rules(sentences, _romanizer()).items()
    ]
    then = [settings["normalizer"]] if settings["normalizer"] else []
    settings["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFC"}, *replaced, *then]}
    return rebuild_tokenizer(tokenizer, settings)


def rules(sentences: Sequence[str], romanize: Callable[[str], str]) -> Mapping[str, str]:
    """Return how each letter that the text has `FEWEST` times is written: first with its signs, then each alone.

    Raises:
        FewshotError: see `romanized`.
    """
    units = Counter(unit for sentence in sentences for unit in UNIT.findall(composed(sentence)))
    usual = [unit for unit, count in units.items() if count >= FEWEST]
    wanted = {*usual, *(character for unit in usual for character in unit)}
    if not wanted:
        raise FewshotError("the text has Latin letters alone; leave --romanize out")
    if len(wanted) > MOST:
        raise FewshotError(
            f"the text has {len(wanted):,} letters, with their signs, that are not Latin; --romanize is for "
            f"alphabets and syllabaries, of at most {MOST:,}"
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
