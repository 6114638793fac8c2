"""Keep the most needed pieces of a vocabulary (Abdaoui et al. 2020, *Load What You Need*).

Single characters and bytes always stay, so that a word without its piece is cut into smaller pieces; pieces that cannot
be cut into these stay too. The tokenizer does not change otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from transformers import PreTrainedTokenizerFast

from fewshot.encoders.tokenizer_settings import Settings, ids_of, merges_of, rebuild_tokenizer, settings_of
from fewshot.errors import FewshotError
from fewshot.pretraining.tokenizer import piece_ids

WORD_MARKS = ("▁", "Ġ", "##")
"""Prefixes of pieces that mark the start or the inside of a word."""

ERROR_WORDS = ("trimmed", "--pieces")
"""Verb and option in the message about a tokenizer that cannot be trimmed."""


def kept_pieces(tokenizer: PreTrainedTokenizerFast, count: int, texts: Sequence[str] | None = None) -> list[int]:
    """Return the ids of the pieces to keep, in order.

    Args:
        count: maximum number; pieces that must stay come first.
        texts: the most frequent pieces in these texts stay; by default those that the tokenizer ranks first: Unigram by
            the logarithm of a frequency, WordPiece and BPE by the order in which pieces were learned.

    Raises:
        FewshotError: for another kind of tokenizer, or when more pieces must stay.
    """
    settings = settings_of(tokenizer, *ERROR_WORDS)
    ids = ids_of(settings)
    parts = _parts(settings, ids)
    ranks = _counts(tokenizer, texts, parts) if texts is not None else _ranks(settings, ids)
    kept = _always_kept(settings, ids)
    if len(kept) > count:
        raise FewshotError(f"{count} pieces are too few: {len(kept)} are single characters or special; keep more")
    for piece in sorted(set(ids.values()) - kept, key=lambda piece: (-ranks.get(piece, -float("inf")), piece)):
        whole = _with_parts(piece, parts) - kept
        if len(kept) + len(whole) <= count:
            kept |= whole
        if len(kept) == count:
            break
    return sorted(kept)


def trimmed(tokenizer: PreTrainedTokenizerFast, kept: Sequence[int]) -> PreTrainedTokenizerFast:
    """Return a tokenizer of the kept pieces, numbered in their order."""
    settings = settings_of(tokenizer, *ERROR_WORDS)
    ids = ids_of(settings)
    new = {old: number for number, old in enumerate(kept)}
    model = settings["model"]
    if model["type"] == "Unigram":
        model["vocab"] = [model["vocab"][old] for old in kept if old < len(model["vocab"])]
        model["unk_id"] = new.get(model["unk_id"])
    else:
        pieces = {piece: new[old] for piece, old in ids.items() if old in new and piece in model["vocab"]}
        model["vocab"] = pieces
        if model["type"] == "BPE":
            merges = merges_of(model)
            model["merges"] = [pair for pair in merges if "".join(pair) in pieces and set(pair) <= pieces.keys()]
    for added in settings["added_tokens"]:
        added["id"] = new[added["id"]]
    _renumber(settings.get("post_processor"), new)
    return rebuild_tokenizer(tokenizer, settings)


def _always_kept(settings: Settings, ids: Mapping[str, int]) -> set[int]:
    model = settings["model"]
    kept = {added["id"] for added in settings["added_tokens"]}
    kept |= {number for piece, number in ids.items() if _is_single(piece, model.get("end_of_word_suffix") or "")}
    if model["type"] != "BPE":  # BPE can cut every piece
        mark = model.get("continuing_subword_prefix") or ""
        kept |= {number for piece, number in ids.items() if not ids.keys() >= _characters(piece, mark)}
    if model.get("unk_id") is not None:
        kept.add(model["unk_id"])
    if model.get("unk_token") in ids:
        kept.add(ids[model["unk_token"]])
    return kept


def _is_single(piece: str, suffix: str) -> bool:
    """Return whether a piece is one character or byte, apart from marks and a suffix."""
    for mark in WORD_MARKS:
        piece = piece.removeprefix(mark) if len(piece) > len(mark) else piece
    piece = piece.removesuffix(suffix) or piece
    return len(piece) == 1 or piece in WORD_MARKS or (piece.startswith("<0x") and piece.endswith(">"))


def _characters(piece: str, mark: str) -> set[str]:
    """Return the pieces of one character that a piece can be cut into."""
    if mark and piece.startswith(mark):
        return {mark + letter for letter in piece.removeprefix(mark)}
    return {piece[:1], *(mark + letter for letter in piece[1:])}


def _ranks(settings: Settings, ids: Mapping[str, int]) -> dict[int, float]:
    if settings["model"]["type"] == "Unigram":
        return {number: score for number, (_, score) in enumerate(settings["model"]["vocab"])}
    if settings["model"]["type"] == "BPE":
        merged = ["".join(pair) for pair in merges_of(settings["model"])]
        return {ids[piece]: -float(rank) for rank, piece in enumerate(merged) if piece in ids}
    return {number: -float(number) for number in ids.values()}


def _counts(
    tokenizer: PreTrainedTokenizerFast, texts: Sequence[str], parts: Mapping[int, tuple[int, int]]
) -> dict[int, float]:
    """Count pieces in texts; the parts of a merged piece count with it, so that they stay when it stays."""
    counts = Counter(chain.from_iterable(piece_ids(tokenizer, texts)))
    if parts:
        for piece, count in list(counts.items()):
            for part in _with_parts(piece, parts) - {piece}:
                counts[part] += count
    return {piece: float(count) for piece, count in counts.items()}


def _parts(settings: Settings, ids: Mapping[str, int]) -> dict[int, tuple[int, int]]:
    """Return the two pieces that each piece is first merged from; only BPE merges."""
    parts: dict[int, tuple[int, int]] = {}
    for first, second in merges_of(settings["model"]):
        if first + second in ids:
            parts.setdefault(ids[first + second], (ids[first], ids[second]))
    return parts


def _with_parts(piece: int, parts: Mapping[int, tuple[int, int]]) -> set[int]:
    whole, pending = set(), [piece]
    while pending:
        part = pending.pop()
        whole.add(part)
        pending += parts.get(part, ())
    return whole


def _renumber(processor: dict[str, Any] | None, new: Mapping[int, int]) -> None:
    if not processor:
        return
    for inner in processor.get("processors", []):
        _renumber(inner, new)
    for name in ("sep", "cls"):
        if name in processor:
            processor[name] = [processor[name][0], new[processor[name][1]]]
    for special in processor.get("special_tokens", {}).values() if "special_tokens" in processor else ():
        special["ids"] = [new[old] for old in special["ids"]]
