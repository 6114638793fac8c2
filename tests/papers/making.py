"""A small corpus of two languages, treebanks of both, and a scale at which an analysis takes seconds."""

from dataclasses import replace

import torch
from making import made_up, save_encoder
from pretraining.making import pairs, write_lines
from transformers import XLMRobertaConfig, XLMRobertaModel

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import fingerprint
from fewshot.encoders.load import load_encoder
from fewshot.training import sources
from fewshot.training.model import new

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


def write_corpus(folder):
    """Write a corpus folder whose sentences are all different ones."""
    for number, lang in enumerate(("en", "fi")):
        lines = [f"{row[lang]}, n{place}." for place, row in enumerate(pairs(300, seed=number))]
        write_lines(folder / "mono" / f"{lang}.txt.xz", lines)
    return folder


def write(folder, sentences, split="test"):
    folder.mkdir(parents=True, exist_ok=True)
    conllu.write(sentences, folder / f"{split}.conllu")


def changed(sentence, number):
    """Reverse the letters of some words; of which ones depends on the number, and for 0 there are none."""
    words = tuple(word[::-1] if number and place % 5 < number else word for place, word in enumerate(sentence.words))
    return replace(sentence, words=words, text=" ".join(words))


def save_source(encoder_folder, data_folder, task="pos"):
    """Save an untrained source model that claims to have learned from the English training file."""
    model = new(tasks.get(task), load_encoder(str(encoder_folder)), 0, 0.1)
    gold = conllu.read(data_folder / "en_made" / "train.conllu")
    model.provenance = {"lang": "en", "data": str(data_folder / "en_made"), "data_fingerprint": fingerprint(gold)}
    model.save(sources.kept_in() / f"{task}-{encoder_folder.name}")


def write_treebanks(folder):
    """Write ``en_made`` and ``fi_made``, both with a training and a test file."""
    for number, lang in enumerate(("en", "fi")):
        for split, count in (("train", 30), ("test", 15)):
            sentences = made_up(count, seed=10 * number + count, name=f"{lang}-{split}")
            bare = [replace(sentence, entities=("_",) * sentence.length) for sentence in sentences]
            write(folder / f"{lang}_made", bare, split)
    return folder


def save_xlmr(folder):
    """Write an XLM-R of 4 layers x 16 over single characters, with random weights and biases as if pretrained."""
    save_encoder(folder, limit=64)
    size = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16, "num_hidden_layers": 4}
    config = XLMRobertaConfig(vocab_size=200, max_position_embeddings=66, pad_token_id=0, **size)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = XLMRobertaModel(config, add_pooling_layer=False)
        for layer in module.encoder.layer:
            torch.nn.init.normal_(layer.output.dense.bias)
    module.save_pretrained(folder)
    return folder
