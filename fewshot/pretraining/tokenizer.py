"""A WordPiece vocabulary over all languages."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

PAD, UNK, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

UNSEGMENTED = Regex(r"[\p{Hiragana}\p{Katakana}\p{Han}ー々〆]")
"""Characters that stand alone: scripts that are written without spaces."""


def train(sentences: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """Learn a cased WordPiece vocabulary (Wu et al. 2016); kana and ideographs are split into characters.

    Pieces of equal merit are taken in the trainer's hash order, so that two runs can differ in a few of them.

    Args:
        sentences: raw text.
        size: number of pieces, special ones included.

    Returns:
        A tokenizer that `transformers.AutoTokenizer` loads back once it is saved.
    """
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNK))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.BertNormalizer(lowercase=False, strip_accents=False)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Split(UNSEGMENTED, "isolated")]
    )
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIALS), limit_alphabet=6000, min_frequency=5, show_progress=False
    )
    tokenizer.train_from_iterator(sentences, trainer)
    start, end = tokenizer.token_to_id(CLS), tokenizer.token_to_id(SEP)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}", pair=f"{CLS} $A {SEP} $B:1 {SEP}:1", special_tokens=[(CLS, start), (SEP, end)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, unk_token=UNK, cls_token=CLS, sep_token=SEP, mask_token=MASK
    )
