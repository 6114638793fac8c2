"""A project of trees, or of tags and trees, of a file with two sentences."""

import pytest
from corrections import FILE
from desk import new_project

from fewshot.corpora.formats import conllu


@pytest.fixture
def sentences(tmp_path):
    path = tmp_path / "file.conllu"
    path.write_text(FILE, encoding="utf-8")
    return conllu.read(path)


@pytest.fixture
def project(store, sentences):
    return new_project(store, sentences, "dep")


@pytest.fixture
def item(desk):
    return desk.draw((0, "dep", "ana"))[0]


@pytest.fixture
def both(new_desk, tmp_path, sentences):
    """A project of tags and trees, and an item of each."""
    desk = new_desk(sentences, "pos", "dep")
    return desk, *desk.draw((0, "pos", "ana"), (0, "dep", "ana"))
