"""What the commands are given."""

import pytest
from cli.calls import run
from making import made_up, save_encoder

from fewshot.corpora.formats import conllu


@pytest.fixture(scope="session")
def place(tmp_path_factory, source_model):
    """A treebank, an English file, an encoder and its source model."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "xx").mkdir()
    conllu.write(made_up(30, seed=5, name="pool"), folder / "xx" / "pool.conllu")
    conllu.write(made_up(15, seed=6, name="test"), folder / "xx" / "test.conllu")
    conllu.write(made_up(20, seed=7), folder / "english.conllu")
    save_encoder(folder / "encoder", limit=64)
    source_model.save(folder / "source")
    return folder


@pytest.fixture(scope="module")
def done(place, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "one"
    return run(place, out), out
