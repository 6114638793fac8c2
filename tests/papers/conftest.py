"""What tests of analyses share."""

import json
import shutil

import pytest
from making import made_up, write, write_treebanks
from papers.making import analyze, changed, save_source
from pretraining.making import write_corpus

LANGS = ("en", "fi", "de", "ja", "sv")


@pytest.fixture
def data(tmp_path):
    """Treebanks of five languages: each ``LANG_made`` has other words, and test sentences of the same ids."""
    for number, lang in enumerate(LANGS):
        train = made_up(20, seed=10 + number, name=f"{lang}-train")
        test = [changed(sentence, number) for sentence in made_up(12, seed=7)]
        for split, sentences in (("train", train), ("test", test)):
            write(tmp_path / "data" / f"{lang}_made", sentences, split)
    return tmp_path / "data"


@pytest.fixture
def measured(data, tmp_path, encoder_folder):
    """Calls one of the analyses whose measurements are lines of ``cells.jsonl``, on as little data as it needs."""
    save_source(encoder_folder, data)
    write_corpus(tmp_path / "corpus")
    trained = {"data": data, "task": "pos", "updates": 1}
    tuned = {**trained, "langs": "fi", "sentences": 10, "test_sentences": 6, "seeds": 1}
    options = {
        "alignment": {"data": data, "task": "pos", "langs": "fi,ja", "seeds": 1},
        "language-id": {"corpus": tmp_path / "corpus", "sentences": 20, "seeds": 1},
        "overlap": {"data": data, "task": "pos", "langs": "fi,ja"},
        "layers": tuned,
        "random-init": tuned,
        "resources": {**trained, "langs": "fi,ja", "k": "4", "seeds": 1},
        "sources": {**trained, "source": "en,de,ja", "langs": "fi"},
    }
    usual = {"model": encoder_folder, "device": "cpu", "out": tmp_path / "out"}
    return lambda name, **changes: analyze(name, **{**usual, **options[name], **changes})


@pytest.fixture
def fine_tune(tmp_path, encoder_folder):
    """Calls ``fewshot analyze`` with ``en_made``, ``fi_made``, and ``en_zother`` as another domain."""
    data = write_treebanks(tmp_path / "data")
    (data / "en_zother").mkdir()
    shutil.copy(data / "fi_made" / "test.conllu", data / "en_zother")
    usual = {"data": data, "task": "pos", "langs": "fi", "model": encoder_folder, "device": "cpu"}
    usual |= {"sentences": 20, "test_sentences": 10, "updates": 2, "seeds": 2, "out": tmp_path / "out"}
    return lambda name, **options: analyze(name, **{**usual, **options})


@pytest.fixture
def recut(encoder_folder, tmp_path):
    """The same weights, whose tokenizer makes letters small first."""
    folder = tmp_path / "recut"
    shutil.copytree(encoder_folder, folder)
    settings = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    settings["normalizer"] = {"type": "Lowercase"}
    (folder / "tokenizer.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
