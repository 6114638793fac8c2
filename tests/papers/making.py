"""A small corpus of two languages, treebanks of both, and a scale at which an analysis takes seconds."""

from dataclasses import replace

import torch
from making import made_up, save_encoder
from pretraining.making import pairs, write_lines
from transformers import XLMRobertaConfig, XLMRobertaModel

from fewshot.corpora.formats import conllu
from fewshot.papers.small_encoders.scale import Scale

SETTINGS = {
    "sentences": 100,
    "vocabulary": 80,
    "layers": 1,
    "hidden": 8,
    "heads": 2,
    "length": 16,
    "updates": 3,
    "batch": 4,
    "probe_sentences": 20,
    "probe_updates": 2,
}
SMALL = Scale(**SETTINGS)


def write_corpus(folder):
    """Write a corpus folder whose sentences are all different ones."""
    for number, lang in enumerate(("en", "fi")):
        lines = [f"{row[lang]}, n{place}." for place, row in enumerate(pairs(300, seed=number))]
        write_lines(folder / "mono" / f"{lang}.txt.xz", lines)
    return folder


def write_treebanks(folder):
    """Write ``en_made`` and ``fi_made``, both with a training and a test file."""
    for number, lang in enumerate(("en", "fi")):
        for split, count in (("train", 30), ("test", 15)):
            sentences = made_up(count, seed=10 * number + count, name=f"{lang}-{split}")
            (folder / f"{lang}_made").mkdir(parents=True, exist_ok=True)
            blank = ("_",)
            bare = [replace(sentence, entities=blank * sentence.length) for sentence in sentences]
            conllu.write(bare, folder / f"{lang}_made" / f"{split}.conllu")
    return folder


def save_xlmr(folder):
    """Write a random XLM-R of 2 layers x 16 over single characters."""
    save_encoder(folder, limit=64)
    size = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16, "num_hidden_layers": 2}
    config = XLMRobertaConfig(vocab_size=200, max_position_embeddings=66, pad_token_id=0, **size)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder
