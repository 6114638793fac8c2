"""A small corpus, and an experiment on it."""

import pytest
import torch
from experiments.planned import PLAN
from making import made_up

from fewshot.corpora.formats import conllu
from fewshot.corpora.load import load
from fewshot.experiments.experiment import load_experiment


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebank")
    conllu.write(made_up(30, seed=5, name="pool"), folder / "pool.conllu")
    conllu.write(made_up(15, seed=6, name="test"), folder / "test.conllu")
    return load("xx", folder)


@pytest.fixture(scope="module")
def setup(corpus, source_model, encoder_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    source_model.save(folder)
    english = folder / "english.conllu"
    conllu.write(made_up(20, seed=7), english)
    return load_experiment(PLAN, corpus, str(encoder_folder), torch.device("cpu"), source=folder, source_data=english)
