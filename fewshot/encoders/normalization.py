"""Normalizers before a tokenizer's own, so that texts that are equal to people become the same pieces.

They are part of the tokenizer: words keep their positions, and texts and annotation do not change.
"""

from __future__ import annotations

from typing import Any
from unicodedata import normalize

from tokenizers import normalizers
from transformers import PreTrainedTokenizerFast

from fewshot.encoders.tokenizer_settings import wrap_tokenizer

LETTERS = normalize("NFC", "é각й")
"""Letters that NFD takes apart."""


def add_normalizers(tokenizer: Any, *added: Any) -> PreTrainedTokenizerFast:
    """Return a tokenizer with further normalizers before its own."""
    own = tokenizer.backend_tokenizer.normalizer
    made = wrap_tokenizer(tokenizer.backend_tokenizer, tokenizer)  # a copy
    made.backend_tokenizer.normalizer = normalizers.Sequence([*added, *([own] if own else [])])
    return made


def unify(tokenizer: Any) -> Any:
    """Return a tokenizer that reads NFC and NFD alike, and a word alike wherever it stands.

    Byte-level BPE and Gemma's tokenizer write the space before a word into its first piece; the first word of a text,
    and words that are given one by one, have no space. Such a tokenizer gets a normalizer that adds a space.
    """
    added: list[Any] = []
    own = tokenizer.backend_tokenizer.normalizer
    forms = [LETTERS, normalize("NFD", LETTERS)]
    if not own or len({own.normalize_str(form) for form in forms}) > 1:
        added.append(normalizers.NFC())
    spaced, split = (tokenizer(text, is_split_into_words=not isinstance(text, str)) for text in ("a a", ["a", "a"]))
    if spaced["input_ids"] != split["input_ids"]:
        added.append(normalizers.Prepend(" "))
    return add_normalizers(tokenizer, *added) if added else tokenizer
