"""Pieces that a tokenizer lacks for a language: its letters, and what its words are cut into too finely.

A letter that is read as unknown, or as bytes, becomes a piece. Then the two pieces that stand side by side most often
inside of words become one, and so on, as in byte-pair encoding (Sennrich et al. 2016), but with pieces for letters;
those with a punctuation mark are left alone, since most tasks have it as a word of its own. No piece is taken away, and
a new one is used where the text was cut into its parts: other languages are read as before, but where they have the
same parts side by side.
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

FEWEST = 5
"""How often a new piece occurs in the text, at least."""

LONGEST = 8
"""Pieces that one is made of, at most."""

MARGIN = 0.1
"""By how much a new piece of Unigram is likelier than its parts together, in nats."""

READ = 100_000
"""Sentences from which pieces are learned, at most."""

AT_ONCE = 1000
"""Sentences that are read at once."""

FIRST = 0xF0000
"""Where the planes for private use begin, whose characters stand for pieces while pieces are learned."""

Pair = tuple[str, str]


def extended(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], count: int) -> PreTrainedTokenizerFast:
    """Return a tokenizer with new pieces, numbered from the end.

    Args:
        sentences: raw text of the language, in any order.
        count: most new pieces; fewer are made where the text has no more that occur `FEWEST` times.

    Raises:
        FewshotError: for a tokenizer that cannot be extended.
    """
    read = sentences[:READ]
    settings = settings_of(tokenizer, "extended", "--new-pieces")
    model = settings["model"]
    mark = model.get("continuing_subword_prefix") or ""
    if model["type"] == "BPE" and (mark or model.get("end_of_word_suffix")):
        raise FewshotError("a BPE tokenizer that marks the inside of words cannot be extended; leave --new-pieces out")
    known = ids_of(settings)
    missing = Counter(letter for letter in _unread(tokenizer, read, mark) if letter not in known)
    letters = [letter for letter, number in missing.most_common(count) if number >= FEWEST]
    settings = _with_letters(settings, letters)
    pairs = _pairs(rebuild_tokenizer(tokenizer, settings), read, mark, count - len(letters))
    return rebuild_tokenizer(tokenizer, _with_merged(settings, pairs, mark))


def _encodings(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield sentences with their pieces, special ones around them left out."""
    for start in range(0, len(sentences), AT_ONCE):
        texts = list(sentences[start : start + AT_ONCE])
        yield from zip(texts, tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False), strict=True)


def _unread(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], mark: str) -> Iterator[str]:
    """Yield the characters of what is not read, as pieces would name them."""
    normalizer, silent = tokenizer.backend_tokenizer.normalizer, _silent(tokenizer)
    for text, encoding in _encodings(tokenizer, sentences):
        for piece, (begin, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if piece in silent:
                word = normalizer.normalize_str(text[begin:end]) if normalizer else text[begin:end]
                yield from (mark * (place > 0) + letter for place, letter in enumerate(word) if not letter.isspace())


def _silent(tokenizer: PreTrainedTokenizerFast) -> set[int]:
    """Return the pieces that stand for what is unknown, or for a byte of it."""
    bytes_ = {number for piece, number in tokenizer.get_vocab().items() if re.fullmatch("<0x[0-9A-F]{2}>", piece)}
    return {tokenizer.unk_token_id} | bytes_


def _pairs(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], mark: str, count: int) -> list[Pair]:
    """Return which pieces to merge, in this order, so that there are at most so many new ones."""
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
                yield "".join(characters.setdefault(piece, chr(FIRST + len(characters))) for _, _, piece in run)

    lines = [" ".join(runs(text, encoding)) for text, encoding in _encodings(tokenizer, sentences)]
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=len(characters) + max(0, count),
        min_frequency=FEWEST,
        max_token_length=LONGEST,
        show_progress=False,
        special_tokens=[],
    )
    learner.train_from_iterator(lines, trainer)
    pieces = {character: piece for piece, character in characters.items()}
    merges = merges_of(json.loads(learner.to_str())["model"])
    return [(_joined(map(pieces.__getitem__, a), mark), _joined(map(pieces.__getitem__, b), mark)) for a, b in merges]


def _joined(pieces: Iterable[str], mark: str) -> str:
    """Return the name of the piece that some make together."""
    first, *others = pieces
    return first + "".join(other.removeprefix(mark) for other in others)


def _with_letters(settings: Settings, letters: Sequence[str]) -> Settings:
    """Add pieces of one character; in Unigram they are as likely as the least likely piece there is."""
    model = settings["model"]
    least = min(score for _, score in model["vocab"]) if model["type"] == "Unigram" else 0.0
    return _with(settings, dict.fromkeys(letters, least))


def _with_merged(settings: Settings, pairs: Sequence[Pair], mark: str) -> Settings:
    """Add pieces that are made of two others, of which some are new themselves."""
    model, known = settings["model"], ids_of(settings)
    scores = dict(model["vocab"]) if model["type"] == "Unigram" else {}
    new: dict[str, float] = {}
    for first, second in pairs:
        merged = _joined((first, second), mark)
        if merged not in known:
            scores[merged] = new[merged] = scores.get(first, 0.0) + scores.get(second, 0.0) + MARGIN
    if model["type"] == "BPE":
        model["merges"] = [*merges_of(model), *pairs]
    return _with(settings, new)


def _with(settings: Settings, scores: Mapping[str, float]) -> Settings:
    """Add pieces at the end, with their scores where the model has such."""
    model, ids = settings["model"], ids_of(settings)
    end = max(ids.values()) + 1
    if model["type"] == "Unigram":  # whose ids are places in a list, which the added tokens need not be in
        names = {number: piece for piece, number in ids.items()}
        least = min(score for _, score in model["vocab"])
        between = [[names.get(number, f"<unused {number}>"), least] for number in range(len(model["vocab"]), end)]
        model["vocab"] += [*between, *([piece, score] for piece, score in scores.items())]
    else:
        model["vocab"] |= {piece: end + number for number, piece in enumerate(scores)}
    return settings
