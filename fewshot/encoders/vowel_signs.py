"""Optional vowel signs: left out of what an encoder reads where pool, test set or encoder lack them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from tokenizers import Regex, normalizers

from fewshot.corpora.types import Example
from fewshot.corpora.writing import OPTIONAL_SIGNS, sign_share
from fewshot.encoders.load import Encoder
from fewshot.encoders.normalization import add_normalizers
from fewshot.encoders.piece_counts import count_pieces
from fewshot.errors import UnknownNameError

AUTO, KEEP, STRIP = SETTINGS = ("auto", "keep", "strip")

MIN_DIFFERENCE = 0.1
"""Difference between the shares of signs in pool and test set from which on one of them lacks signs: a quarter of the
signs of fully vowelled Arabic."""

MIN_SHARE = 0.2
"""Share of signs in a text from which on the encoder may lack signs."""

MIN_RATIO = 1.5
"""Pieces of texts with signs for each piece of the same texts without, from which on the encoder lacks signs."""

MAX_TEXTS = 200
"""Texts whose pieces are counted."""


def strips_signs(encoder: Encoder) -> bool:
    """Return whether the tokenizer of an encoder leaves `OPTIONAL_SIGNS` out."""
    own: Any = encoder.tokenizer.backend_tokenizer.normalizer  # type: ignore[attr-defined]
    return own is not None and OPTIONAL_SIGNS in own.__getstate__().decode()


def strip_signs(encoder: Encoder) -> Encoder:
    """Return the encoder with a tokenizer that leaves `OPTIONAL_SIGNS` out; words and texts do not change."""
    if strips_signs(encoder):
        return encoder
    added = normalizers.NFC(), normalizers.Replace(Regex(OPTIONAL_SIGNS), "")
    return replace(encoder, tokenizer=add_normalizers(encoder.tokenizer, *added))


def fit_encoder(
    encoder: Encoder, pool: Sequence[Example], test: Sequence[Example] = (), setting: str = AUTO
) -> Encoder:
    """Return the encoder for a pool and a test set, with `strip_signs` where the setting asks for that.

    Args:
        setting: ``strip``, ``keep``, or ``auto``: strip where pool and test set differ in their signs, or where most
            words have signs and the encoder lacks them.

    Raises:
        UnknownNameError: for another setting.
    """
    if setting not in SETTINGS:
        raise UnknownNameError("setting of vowel signs", setting, SETTINGS)
    strips = setting == STRIP or (setting == AUTO and _are_lacking(encoder, pool, test))
    return strip_signs(encoder) if strips else encoder


def _are_lacking(encoder: Encoder, pool: Sequence[Example], test: Sequence[Example]) -> bool:
    shares = [sign_share(part) for part in (pool, test) if part] or [0.0]
    differ = max(shares) - min(shares) >= MIN_DIFFERENCE
    if not differ and max(shares) < MIN_SHARE:
        return False
    signed = list(islice(_signed_texts(chain(pool, test)), MAX_TEXTS))
    plain = [re.sub(OPTIONAL_SIGNS, "", text) for text in signed]
    ratio = count_pieces(encoder, signed).cost / count_pieces(encoder, plain).cost
    return ratio >= MIN_RATIO or (differ and ratio > 1)


def _signed_texts(examples: Iterator[Example]) -> Iterator[str]:
    for part in chain.from_iterable(example.parts for example in examples):
        text = part if isinstance(part, str) else " ".join(part)
        if re.search(OPTIONAL_SIGNS, text):
            yield text
