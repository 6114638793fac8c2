"""A small corpus of two languages, source models, and a scale at which an analysis takes seconds."""

from dataclasses import replace

from cli.calls import call
from pretraining.making import pairs, write_lines

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import fingerprint
from fewshot.encoders.load import load_encoder
from fewshot.training import sources
from fewshot.training.model import build_model

SETTINGS = {"sentences": 100, "vocabulary": 80, "layers": 1, "hidden": 8, "heads": 2, "length": 16}
SETTINGS |= {"updates": 3, "batch": 4, "probe_sentences": 20, "probe_updates": 2}


def analyze(name, ends=None, **options):
    """Call ``fewshot analyze NAME``; an option that is None is left out, one that is True has no value."""
    given = {f"--{key.replace('_', '-')}": value for key, value in options.items() if value is not None}
    return call("analyze", name, *(w for pair in given.items() for w in pair if w is not True), ends=ends)


def write_corpus(folder):
    """Write a corpus folder whose sentences are all different ones."""
    for number, lang in enumerate(("en", "fi")):
        lines = [f"{row[lang]}, n{place}." for place, row in enumerate(pairs(300, seed=number))]
        write_lines(folder / "mono" / f"{lang}.txt.xz", lines)
    return folder


def changed(sentence, number):
    """Reverse the letters of some words; of which ones depends on the number, and for 0 there are none."""
    words = tuple(word[::-1] if number and place % 5 < number else word for place, word in enumerate(sentence.words))
    return replace(sentence, words=words, text=" ".join(words))


def save_source(encoder_folder, data_folder, task="pos"):
    """Save an untrained source model that claims to have learned from the English training file."""
    model = build_model(tasks.get(task), load_encoder(str(encoder_folder)), 0, 0.1)
    gold = conllu.read(data_folder / "en_made" / "train.conllu")
    model.provenance = {"lang": "en", "data": str(data_folder / "en_made"), "data_fingerprint": fingerprint(gold)}
    model.save(sources.user_dir() / f"{task}-{encoder_folder.name}")
