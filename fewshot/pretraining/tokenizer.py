"""A tokenizer with one vocabulary for all languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.corpora.writing import OPTIONAL_SIGNS

PAD, UNK, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

UNLIMITED = 10**9
"""Size of a vocabulary without a limit."""

UNSEGMENTED = Regex(r"[\p{Hiragana}\p{Katakana}\p{Han}ー々〆]")
"""Characters of scripts without spaces; each is a piece."""

ALEFS = Regex("[أإآٱ]")
"""Alefs with a sign above or below, which many texts leave out."""

BATCH_SENTENCES = 1000
"""Sentences that are encoded at once."""

MAX_LETTERS = 6_000
"""Number of characters of WordPiece, also limited to a quarter of its pieces; those of frequent words come first."""


def train(sentences: Sequence[str], size: int, kind: str = "wordpiece") -> PreTrainedTokenizerFast:
    """Learn a cased vocabulary, with single kana and ideographs, without `OPTIONAL_SIGNS`.

    The same sentences give the same vocabulary, except for ``unigram``: its trainer adds numbers in hash order, and the
    order of a few pieces can differ.

    Args:
        size: number of pieces, including special pieces.
        kind: ``wordpiece`` (Wu et al. 2016), ``unigram`` (Kudo 2018), ``character`` or ``word``.

    Returns:
        A tokenizer that `transformers.AutoTokenizer` can load once it is saved.
    """
    tokenizer = _TRAINERS[kind](sentences, size)
    start, end = tokenizer.token_to_id(CLS), tokenizer.token_to_id(SEP)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}", pair=f"{CLS} $A {SEP} $B:1 {SEP}:1", special_tokens=[(CLS, start), (SEP, end)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, unk_token=UNK, cls_token=CLS, sep_token=SEP, mask_token=MASK
    )


def piece_ids(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> Iterator[list[int]]:
    """Yield the ids of the pieces of each sentence, without special pieces."""
    for start in range(0, len(sentences), BATCH_SENTENCES):
        texts = list(sentences[start : start + BATCH_SENTENCES])
        encoded = tokenizer.backend_tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        yield from (sentence.ids for sentence in encoded)


def count_pieces(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> Tensor:
    """Return the count of each piece in some sentences, ``[vocabulary]``."""
    counts = Counter(chain.from_iterable(piece_ids(tokenizer, sentences)))
    return torch.tensor([counts[piece] for piece in range(len(tokenizer))])


def _wordpiece(sentences: Sequence[str], size: int) -> Tokenizer:
    """Learn pieces by merging, with the pieces of one character named beforehand.

    The trainer numbers characters inside words in hash order, and breaks ties between merges by number. Naming the
    characters as special pieces gives them a fixed order; the model of the result has them as normal pieces.
    """
    vocabulary = _word(sentences, UNLIMITED).get_vocab()
    words = sorted(vocabulary.keys() - set(SPECIALS), key=vocabulary.__getitem__)
    letters = list(dict.fromkeys(letter for word in words for letter in word))[: min(MAX_LETTERS, size // 4)]
    known = set(letters)
    inner = list(dict.fromkeys(f"##{letter}" for word in words for letter in word[1:] if letter in known))
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        special_tokens=[*SPECIALS, *inner],
        initial_alphabet=letters,
        limit_alphabet=len(letters),
        min_frequency=5,
        show_progress=False,
    )
    learnt = _learn(_blank(models.WordPiece(unk_token=UNK)), trainer, sentences)
    return _blank(models.WordPiece(learnt.get_vocab(), unk_token=UNK))


def _unigram(sentences: Sequence[str], size: int) -> Tokenizer:
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), unk_token=UNK, show_progress=False
    )
    return _learn(_blank(models.Unigram()), trainer, sentences)


def _word(sentences: Sequence[str], size: int, *splits: Any) -> Tokenizer:
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=list(SPECIALS), show_progress=False)
    return _learn(_blank(models.WordLevel(unk_token=UNK), *splits), trainer, sentences)


def _character(sentences: Sequence[str], size: int) -> Tokenizer:
    return _word(sentences, size, pre_tokenizers.Split(Regex("."), "isolated"))


def _blank(model: Any, *splits: Any) -> Tokenizer:
    """Return a tokenizer that normalizes and splits text, with optional further splits."""
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.BertNormalizer(lowercase=False, strip_accents=False),
            normalizers.Replace(Regex(OPTIONAL_SIGNS), ""),
            normalizers.Replace(ALEFS, "ا"),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Split(UNSEGMENTED, "isolated"), *splits]
    )
    return tokenizer


def _learn(tokenizer: Tokenizer, trainer: Any, sentences: Sequence[str]) -> Tokenizer:
    tokenizer.train_from_iterator(sentences, trainer)
    return tokenizer


_TRAINERS = {"wordpiece": _wordpiece, "unigram": _unigram, "character": _character, "word": _word}

KINDS = tuple(_TRAINERS)
