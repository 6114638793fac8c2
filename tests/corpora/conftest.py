"""Files that tests of corpora read."""

import pytest

from fewshot.corpora.formats import conllu


@pytest.fixture
def upload(tmp_path):
    """Write a text or bytes as a file of a name; return its path."""

    def write(data, name="x.conllu"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


@pytest.fixture
def parse(upload):
    """Return the sentences of a text in CoNLL-U."""
    return lambda text, **options: conllu.read(upload(text), **options)
