"""One vocabulary over all languages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

PAD, UNK, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

UNSEGMENTED = Regex(r"[\p{Hiragana}\p{Katakana}\p{Han}ー々〆]")
"""Characters that stand alone: scripts that are written without spaces."""


def train(sentences: Iterable[str], size: int, kind: str = "wordpiece") -> PreTrainedTokenizerFast:
    """Learn a cased vocabulary; kana and ideographs are split into characters.

    Pieces of equal merit are taken in the trainer's hash order, so that two runs can differ in a few of them.

    Args:
        sentences: raw text.
        size: number of pieces, special ones included.
        kind: ``wordpiece`` (Wu et al. 2016), ``unigram`` (Kudo 2018), ``character`` or ``word``.

    Returns:
        A tokenizer that `transformers.AutoTokenizer` loads back once it is saved.
    """
    tokenizer, trainer = _MODELS[kind](size)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.BertNormalizer(lowercase=False, strip_accents=False)]
    )
    splits = [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Split(UNSEGMENTED, "isolated")]
    if kind == "character":
        splits.append(pre_tokenizers.Split(Regex("."), "isolated"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits)
    tokenizer.train_from_iterator(sentences, trainer)
    start, end = tokenizer.token_to_id(CLS), tokenizer.token_to_id(SEP)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}", pair=f"{CLS} $A {SEP} $B:1 {SEP}:1", special_tokens=[(CLS, start), (SEP, end)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, unk_token=UNK, cls_token=CLS, sep_token=SEP, mask_token=MASK
    )


def _wordpiece(size: int) -> tuple[Tokenizer, Any]:
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), limit_alphabet=6000, min_frequency=5, show_progress=False
    )
    return Tokenizer(models.WordPiece(unk_token=UNK)), trainer


def _unigram(size: int) -> tuple[Tokenizer, Any]:
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), unk_token=UNK, show_progress=False
    )
    return Tokenizer(models.Unigram()), trainer


def _word_level(size: int) -> tuple[Tokenizer, Any]:
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=list(SPECIALS), show_progress=False)
    return Tokenizer(models.WordLevel(unk_token=UNK)), trainer


_MODELS = {"wordpiece": _wordpiece, "unigram": _unigram, "character": _word_level, "word": _word_level}

KINDS = tuple(_MODELS)
