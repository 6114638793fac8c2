"""New pieces of a tokenizer for a language: missing letters, and merges of frequent pairs.

A letter that is read as unknown, or as bytes, becomes a piece. Then the most frequent pair of adjacent pieces inside
words is merged repeatedly, as in byte-pair encoding (Sennrich et al. 2016), with pieces in place of letters. Pieces
with a punctuation mark are not merged, since most tasks treat the mark as a word. Existing pieces stay, and a new piece
replaces only the pieces that it is made of: other languages are read as before unless they have the same sequences.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from fewshot.encoders.tokenizer_settings import Settings, ids_of, merges_of, rebuild_tokenizer, settings_of
from fewshot.errors import FewshotError

MIN_COUNT = 5
"""Occurrences in the text that a new piece needs."""

MAX_PARTS = 8
"""Number of old pieces that a new piece can consist of."""

UNIGRAM_MARGIN = 0.1
"""Nats by which a new piece of Unigram is likelier than its two parts together."""

MAX_SENTENCES = 100_000
"""Number of sentences from which pieces are learned."""

BATCH_SENTENCES = 1000
"""Sentences that are tokenized at once."""

PRIVATE_USE_START = 0xF0000
"""First character of the private-use planes, whose characters stand for pieces during learning."""

Pair = tuple[str, str]


def extended(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], count: int) -> PreTrainedTokenizerFast:
    """Return a tokenizer with at most ``count`` new pieces, numbered from the end.

    Raises:
        FewshotError: for a tokenizer that cannot be extended.
    """
    read = sentences[:MAX_SENTENCES]
    settings = settings_of(tokenizer, "extended", "--new-pieces")
    model = settings["model"]
    mark = model.get("continuing_subword_prefix") or ""
    if model["type"] == "BPE" and (mark or model.get("end_of_word_suffix")):
        raise FewshotError("a BPE tokenizer that marks the inside of words cannot be extended; leave --new-pieces out")
    known = ids_of(settings)
    missing = Counter(letter for letter in _unread(tokenizer, read, mark) if letter not in known)
    letters = [letter for letter, number in missing.most_common(count) if number >= MIN_COUNT]
    settings = _with_letters(settings, letters)
    pairs = _pairs(rebuild_tokenizer(tokenizer, settings), read, mark, count - len(letters))
    return rebuild_tokenizer(tokenizer, _with_merged(settings, pairs, mark))


def _encodings(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for start in range(0, len(sentences), BATCH_SENTENCES):
        texts = list(sentences[start : start + BATCH_SENTENCES])
        yield from zip(texts, tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False), strict=True)


def _unread(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], mark: str) -> Iterator[str]:
    """Yield the characters of unknown pieces and of bytes, with the mark of the inside of a word."""
    normalizer, silent = tokenizer.backend_tokenizer.normalizer, _silent(tokenizer)
    for text, encoding in _encodings(tokenizer, sentences):
        for piece, (begin, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if piece in silent:
                word = normalizer.normalize_str(text[begin:end]) if normalizer else text[begin:end]
                yield from (mark * (place > 0) + letter for place, letter in enumerate(word) if not letter.isspace())


def _silent(tokenizer: PreTrainedTokenizerFast) -> set[int]:
    """Return the ids of the unknown piece and of the pieces that stand for bytes."""
    bytes_ = {number for piece, number in tokenizer.get_vocab().items() if re.fullmatch("<0x[0-9A-F]{2}>", piece)}
    return {tokenizer.unk_token_id} | bytes_


def _pairs(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], mark: str, count: int) -> list[Pair]:
    """Return the pairs of pieces to merge, in order, for at most ``count`` new pieces."""
    characters: dict[str, str] = {}
    silent = _silent(tokenizer)

    def runs(text: str, encoding: Any) -> Iterator[str]:
        skipped = [
            piece in silent or any(unicodedata.category(letter)[0] in "PS" for letter in text[begin:end])
            for piece, (begin, end) in zip(encoding.ids, encoding.offsets, strict=True)
        ]
        words = zip(encoding.word_ids, skipped, encoding.tokens, strict=True)
        for (_, skip), run in groupby(words, itemgetter(0, 1)):
            if not skip:
                yield "".join(
                    characters.setdefault(piece, chr(PRIVATE_USE_START + len(characters))) for _, _, piece in run
                )

    lines = [" ".join(runs(text, encoding)) for text, encoding in _encodings(tokenizer, sentences)]
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=len(characters) + max(0, count),
        min_frequency=MIN_COUNT,
        max_token_length=MAX_PARTS,
        show_progress=False,
        special_tokens=[],
    )
    learner.train_from_iterator(lines, trainer)
    pieces = {character: piece for piece, character in characters.items()}
    merges = merges_of(json.loads(learner.to_str())["model"])
    return [(_joined(map(pieces.__getitem__, a), mark), _joined(map(pieces.__getitem__, b), mark)) for a, b in merges]


def _joined(pieces: Iterable[str], mark: str) -> str:
    first, *rest = pieces
    return first + "".join(piece.removeprefix(mark) for piece in rest)


def _with_letters(settings: Settings, letters: Sequence[str]) -> Settings:
    """Add pieces of one character; in Unigram their score is that of the least likely piece."""
    model = settings["model"]
    least = min(score for _, score in model["vocab"]) if model["type"] == "Unigram" else 0.0
    return _with(settings, dict.fromkeys(letters, least))


def _with_merged(settings: Settings, pairs: Sequence[Pair], mark: str) -> Settings:
    model, known = settings["model"], ids_of(settings)
    scores = dict(model["vocab"]) if model["type"] == "Unigram" else {}
    new: dict[str, float] = {}
    for first, second in pairs:
        merged = _joined((first, second), mark)
        if merged not in known:
            scores[merged] = new[merged] = scores.get(first, 0.0) + scores.get(second, 0.0) + UNIGRAM_MARGIN
    if model["type"] == "BPE":
        model["merges"] = [*merges_of(model), *pairs]
    return _with(settings, new)


def _with(settings: Settings, scores: Mapping[str, float]) -> Settings:
    """Add pieces at the end, with scores in a Unigram model."""
    model, ids = settings["model"], ids_of(settings)
    end = max(ids.values()) + 1
    if model["type"] == "Unigram":  # its ids are positions in a list that may lack added tokens
        names = {number: piece for piece, number in ids.items()}
        least = min(score for _, score in model["vocab"])
        filler = [[names.get(number, f"<unused {number}>"), least] for number in range(len(model["vocab"]), end)]
        model["vocab"] += [*filler, *([piece, score] for piece, score in scores.items())]
    else:
        model["vocab"] |= {piece: end + number for number, piece in enumerate(scores)}
    return settings
