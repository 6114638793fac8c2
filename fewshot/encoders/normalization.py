"""Normalizers before a tokenizer's own, so that texts that are equal to people become the same pieces.

They are part of the tokenizer: words keep their positions, and texts and annotation do not change.
"""

from __future__ import annotations

from typing import Any
from unicodedata import normalize

from tokenizers import Regex, normalizers
from transformers import PreTrainedTokenizerFast

from fewshot.encoders.tokenizer_settings import wrap_tokenizer

LETTERS = normalize("NFC", "é각й")
"""Letters that NFD takes apart."""

INVISIBLE = "\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Spaces without width, joiners, and marks of direction."""

STRETCH = r"(?<=\p{L})(\u00ad|ـ+)(?=\p{L})"
"""Signs that only change the look of a word: soft hyphens, and the strokes that stretch Arabic."""

STRETCHED = {"a\u00ada": "aa", "كتـاب": "كتاب"}
"""Words with and without `STRETCH`."""


def add_normalizers(tokenizer: Any, *added: Any) -> PreTrainedTokenizerFast:
    """Return a tokenizer with further normalizers before its own."""
    own = tokenizer.backend_tokenizer.normalizer
    made = wrap_tokenizer(tokenizer.backend_tokenizer, tokenizer)  # a copy
    made.backend_tokenizer.normalizer = normalizers.Sequence([*added, *([own] if own else [])])
    return made


def unify(tokenizer: Any) -> Any:
    """Return a tokenizer to which texts are equal that are equal to people.

    It reads NFC as NFD. `INVISIBLE` signs that it does not know are spaces inside a word, as XLM-R was taught (the
    rules ``nmt_nfkc`` of SentencePiece), and are left out at the ends of words. Soft hyphens, and the strokes that
    stretch Arabic words, are left out everywhere.

    It reads a word alike wherever the word stands. Byte-level BPE and Gemma's tokenizer write the space before a word
    into its first piece; the first word of a text, and words that are given one by one, have no space. Such a tokenizer
    gets a normalizer that adds a space.
    """
    added: list[Any] = []
    own = tokenizer.backend_tokenizer.normalizer
    if unknown := [sign for sign in INVISIBLE if tokenizer.unk_token_id in _pieces(tokenizer, sign)]:
        signs = f"[{''.join(unknown)}]+"
        added.append(normalizers.Replace(Regex(rf"(?<!\S){signs}|{signs}(?!\S)"), ""))  # at the ends of words
        added.append(normalizers.Replace(Regex(signs), " "))
    if any(_pieces(tokenizer, word) != _pieces(tokenizer, plain) for word, plain in STRETCHED.items()):
        added.append(normalizers.Replace(Regex(STRETCH), ""))
    forms = [LETTERS, normalize("NFD", LETTERS)]
    if not own or len({own.normalize_str(form) for form in forms}) > 1:
        added.append(normalizers.NFC())
    if _pieces(tokenizer, "a a") != _pieces(tokenizer, ["a", "a"]):
        added.append(normalizers.Prepend(" "))
    return add_normalizers(tokenizer, *added) if added else tokenizer


def _pieces(tokenizer: Any, text: str | list[str]) -> list[int]:
    """Return the ids of the pieces of a text, or of words."""
    ids: list[int] = tokenizer(text, is_split_into_words=not isinstance(text, str))["input_ids"]
    return ids
