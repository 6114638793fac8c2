"""What tests of analyses share."""

import json
import shutil

import pytest
import torch
from papers.making import write_treebanks
from transformers import XLMRobertaConfig, XLMRobertaModel
from typer.testing import CliRunner

from fewshot.cli import app
from fewshot.encoders.load import load_encoder


@pytest.fixture
def analyze():
    """Runs ``fewshot analyze NAME`` with options; one that is None is left out, a list is repeated."""

    def call(name, **options):
        pairs = [
            (key, one) for key, value in options.items() for one in (value if isinstance(value, list) else [value])
        ]
        words = [str(word) for key, value in pairs if value is not None for word in (f"--{key}", value)]
        return CliRunner().invoke(app, ["analyze", name, *words])

    return call


@pytest.fixture(scope="session")
def xlmr_folder(encoder_folder, tmp_path_factory):
    """XLM-R's architecture with 3 layers x 16 and random weights, over single characters."""
    folder = tmp_path_factory.mktemp("xlmr")
    shutil.copytree(encoder_folder, folder, dirs_exist_ok=True)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        shape = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 16}
        size = load_encoder(str(encoder_folder)).module.config.vocab_size
        config = XLMRobertaConfig(**shape, vocab_size=size, max_position_embeddings=34, pad_token_id=0)
        XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture
def fine_tune(tmp_path, encoder_folder):
    """Calls ``fewshot analyze`` with ``en_made``, ``fi_made``, and ``en_zother`` as another domain."""
    data = write_treebanks(tmp_path / "data")
    (data / "en_zother").mkdir()
    shutil.copy(data / "fi_made" / "test.conllu", data / "en_zother")
    usual = {"data": data, "task": "pos", "langs": "fi", "model": encoder_folder, "device": "cpu"}
    usual |= {"sentences": 20, "test-sentences": 10, "updates": 2, "seeds": 2, "out": tmp_path / "out"}

    def analyze(name, **options):
        values = {key.replace("_", "-"): value for key, value in options.items()}
        words = [
            str(w) for option, value in (usual | values).items() if value is not None for w in (f"--{option}", value)
        ]
        return CliRunner().invoke(app, ["analyze", name, *words])

    return analyze


@pytest.fixture
def recut(encoder_folder, tmp_path):
    """The same weights, whose tokenizer makes letters small first."""
    folder = tmp_path / "recut"
    shutil.copytree(encoder_folder, folder)
    settings = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    settings["normalizer"] = {"type": "Lowercase"}
    (folder / "tokenizer.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
