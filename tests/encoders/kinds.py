"""Tiny random encoders of many kinds, with tokenizers of each kind, as transformers saves them."""

import random
from functools import cache

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

SIZE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 64}
T5 = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 3, "num_heads": 2}

KINDS = {
    "Bert": SIZE,
    "XLMRoberta": SIZE | {"max_position_embeddings": 66},
    "DistilBert": {"dim": 32, "n_layers": 3, "n_heads": 2, "hidden_dim": 64},
    "Albert": SIZE | {"embedding_size": 32},
    "T5": T5,
    "MT5": T5 | {"feed_forward_proj": "gated-gelu"},
}
"""By the name of transformers' classes: what makes one small."""

SYLLABLES = {
    "latin": ["ka", "la", "me", "ti", "so", "nu", "ver", "lin", "est", "ing"],
    "cyrillic": ["ко", "ла", "ми", "то", "на", "ре", "ст"],
    "kanji": ["東", "京", "都", "大", "学", "生", "水", "火"],
}


def corpus(count=400, seed=0):
    """Sentences of made-up words of three scripts; the first words of a script are the frequent ones."""
    rng = random.Random(seed)
    words = {
        name: ["".join(rng.choices(parts, k=rng.randint(1, 4))) for _ in range(60)] for name, parts in SYLLABLES.items()
    }
    lines = []
    for _ in range(count):
        script = rng.choice(list(words))
        picked = [words[script][min(59, int(rng.expovariate(1 / 12)))] for _ in range(rng.randint(2, 8))]
        lines.append(("" if script == "kanji" else " ").join(picked))
    return lines


@cache
def wordpiece():
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(corpus(), trainers.WordPieceTrainer(vocab_size=250, special_tokens=specials))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return _wrapped(tokenizer, specials)


@cache
def unigram(start="<s> "):
    specials = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=250, special_tokens=specials, unk_token="<unk>")
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start}$A </s>", pair=f"{start}$A </s> $B </s>", special_tokens=[("<s>", 2), ("</s>", 3)]
    )
    return _wrapped(tokenizer, specials)


def startless():
    """Nothing stands before a sentence, as with T5."""
    return unigram(start="")


@cache
def bpe():
    specials = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=450, special_tokens=specials, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 3), ("<s>", 2))
    return _wrapped(tokenizer, specials)


TOKENIZERS = {"WordPiece": wordpiece, "Unigram": unigram, "BPE": bpe}


def _wrapped(tokenizer, specials):
    pad, unknown, start, end, mask = specials
    names = {"pad_token": pad, "unk_token": unknown, "cls_token": start, "sep_token": end, "mask_token": mask}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)


def save(folder, kind="Bert", tokenizer=wordpiece, **changes):
    pieces = tokenizer()
    pieces.save_pretrained(folder)
    shape = {"vocab_size": len(pieces), "pad_token_id": pieces.pad_token_id, **KINDS[kind], **changes}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**shape))
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.data += torch.randn_like(parameter) / 20  # as if it had been trained
    module.save_pretrained(folder)
    return folder
