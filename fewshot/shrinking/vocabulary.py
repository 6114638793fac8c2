"""Keep the pieces of a vocabulary that are needed most (Abdaoui et al. 2020, *Load What You Need*).

Single characters and bytes are always kept, so that no script is lost: a word whose piece is gone is cut into smaller
ones. Pieces that could not be cut so are kept too. The tokenizer stays what it was in all else.
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

MARKS = ("▁", "Ġ", "##")
"""What pieces begin with that tells the start of a word, or that it goes on."""

ASKED = ("trimmed", "--pieces")
"""For the message about a tokenizer that cannot be."""


def kept_pieces(tokenizer: PreTrainedTokenizerFast, count: int, texts: Sequence[str] | None = None) -> list[int]:
    """Return the ids of the pieces to keep, in order.

    Args:
        count: how many to keep at most; what is always kept comes first.
        texts: keep what occurs most often in these; by default what the tokenizer itself ranks first: Unigram has the
            logarithm of each piece's frequency, WordPiece and BPE have learned the more frequent ones first.

    Raises:
        FewshotError: for another kind of tokenizer, or when more must be kept.
    """
    settings = settings_of(tokenizer, *ASKED)
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
    """Return a tokenizer of the kept pieces, which are numbered anew in their order."""
    settings = settings_of(tokenizer, *ASKED)
    ids = ids_of(settings)
    new = {old: number for number, old in enumerate(kept)}
    model = settings["model"]
    if model["type"] == "Unigram":
        model["vocab"] = [model["vocab"][old] for old in kept if old < len(model["vocab"])]
        model["unk_id"] = new.get(model["unk_id"])
    else:
        model["vocab"] = {piece: new[old] for piece, old in ids.items() if old in new and piece in model["vocab"]}
        there = model["vocab"]
        if model["type"] == "BPE":
            model["merges"] = [
                pair for pair in merges_of(model) if "".join(pair) in there and set(pair) <= there.keys()
            ]
    for added in settings["added_tokens"]:
        added["id"] = new[added["id"]]
    _renumber(settings.get("post_processor"), new)
    return rebuild_tokenizer(tokenizer, settings)


def _always_kept(settings: Settings, ids: Mapping[str, int]) -> set[int]:
    model = settings["model"]
    kept = {added["id"] for added in settings["added_tokens"]}
    kept |= {number for piece, number in ids.items() if _is_single(piece, model.get("end_of_word_suffix") or "")}
    if model["type"] != "BPE":  # which makes every piece of smaller ones
        mark = model.get("continuing_subword_prefix") or ""
        kept |= {number for piece, number in ids.items() if not ids.keys() >= _characters(piece, mark)}
    if model.get("unk_id") is not None:
        kept.add(model["unk_id"])
    if model.get("unk_token") in ids:
        kept.add(ids[model["unk_token"]])
    return kept


def _is_single(piece: str, suffix: str) -> bool:
    """Return whether a piece is one character or byte, with or without a mark before it or a suffix."""
    for mark in MARKS:
        piece = piece.removeprefix(mark) if len(piece) > len(mark) else piece
    piece = piece.removesuffix(suffix) or piece
    return len(piece) == 1 or piece in MARKS or (piece.startswith("<0x") and piece.endswith(">"))


def _characters(piece: str, mark: str) -> set[str]:
    """Return what would be left of a piece: its characters, those inside of a word with the mark that says so."""
    if mark and piece.startswith(mark):
        return {mark + each for each in piece.removeprefix(mark)}
    return {piece[:1], *(mark + each for each in piece[1:])}


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
    """Count pieces in texts; a piece of which another is merged counts with it, so that it is kept before it."""
    counts = Counter(chain.from_iterable(piece_ids(tokenizer, texts)))
    if parts:
        for piece, count in list(counts.items()):
            for part in _with_parts(piece, parts) - {piece}:
                counts[part] += count
    return {piece: float(count) for piece, count in counts.items()}


def _parts(settings: Settings, ids: Mapping[str, int]) -> dict[int, tuple[int, int]]:
    """Return of which two pieces each is merged, the first way that the tokenizer has learned; BPE alone merges."""
    parts: dict[int, tuple[int, int]] = {}
    for first, second in merges_of(settings["model"]):
        if first + second in ids:
            parts.setdefault(ids[first + second], (ids[first], ids[second]))
    return parts


def _with_parts(piece: int, parts: Mapping[int, tuple[int, int]]) -> set[int]:
    whole, open_ = set(), [piece]
    while open_:
        whole.add(here := open_.pop())
        open_ += parts.get(here, ())
    return whole


def _renumber(processor: dict[str, Any] | None, new: Mapping[int, int]) -> None:
    """Give the special tokens that a post-processor adds their new ids."""
    if not processor:
        return
    for inner in processor.get("processors", []):
        _renumber(inner, new)
    for name in ("sep", "cls"):
        if name in processor:
            processor[name] = [processor[name][0], new[processor[name][1]]]
    for special in processor.get("special_tokens", {}).values() if "special_tokens" in processor else ():
        special["ids"] = [new[old] for old in special["ids"]]
