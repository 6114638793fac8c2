"""The settings of a fast tokenizer in the format of ``tokenizer.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from fewshot.errors import FewshotError

KINDS = ("Unigram", "WordPiece", "BPE")
"""Tokenizer models whose pieces can be changed."""

Settings = dict[str, Any]


def settings_of(tokenizer: PreTrainedTokenizerFast, wanted: str, option: str) -> Settings:
    """Return a copy of a tokenizer's settings, without padding and truncation.

    Args:
        wanted: the change, for the message: ``trimmed``.
        option: the command-line option that asks for the change.

    Raises:
        FewshotError: for a model that is not in `KINDS`.
    """
    settings: Settings = json.loads(tokenizer.backend_tokenizer.to_str())
    if settings["model"]["type"] not in KINDS:
        raise FewshotError(
            f"a {settings['model']['type']} tokenizer cannot be {wanted}, only {', '.join(KINDS)}; leave {option} out"
        )
    settings["padding"] = settings["truncation"] = None
    return settings


def ids_of(settings: Settings) -> dict[str, int]:
    """Return the ids of all pieces, including added ones such as the mask."""
    vocabulary = settings["model"]["vocab"]
    if settings["model"]["type"] == "Unigram":
        ids = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    else:
        ids = dict(vocabulary)
    return ids | {added["content"]: added["id"] for added in settings["added_tokens"]}


def merges_of(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of pieces that a BPE model merges, in order; empty for other models."""
    return [_pair(merge) for merge in model.get("merges", [])]


def rebuild_tokenizer(tokenizer: PreTrainedTokenizerFast, settings: Settings) -> PreTrainedTokenizerFast:
    """Return a tokenizer with new settings, see `wrap_tokenizer`."""
    return wrap_tokenizer(Tokenizer.from_str(json.dumps(settings)), tokenizer)


def wrap_tokenizer(backend: Tokenizer, like: PreTrainedTokenizerFast) -> PreTrainedTokenizerFast:
    """Return a tokenizer with the special tokens, length limit and inputs of another one.

    Its class is the general one: the class of a kind, such as ``BertTokenizer``, would be loaded without the changes.
    """
    names = {name: value for name, value in like.special_tokens_map.items() if isinstance(value, str)}
    kept = {name: getattr(like, name) for name in ("model_max_length", "model_input_names", "padding_side")}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **names, **kept)


def _pair(merge: str | Sequence[str]) -> tuple[str, str]:
    first, second = merge.split(" ") if isinstance(merge, str) else merge
    return first, second
