"""What the tests of pretraining share."""

import pytest
from pretraining.making import write_corpus


@pytest.fixture
def folder(tmp_path):
    """A corpus of two languages."""
    write_corpus(tmp_path / "corpus")
    return tmp_path / "corpus"
