"""What the tests of pretraining share."""

import pytest
from pretraining.making import pairs, write_lines


@pytest.fixture
def folder(tmp_path):
    """A corpus of two languages that are translations of each other, word by word."""
    rows = list(pairs(400))
    for lang in ("en", "fi"):
        write_lines(tmp_path / "corpus" / "mono" / f"{lang}.txt.xz", [row[lang] for row in rows[:200]])
    lines = ["en\tfi", *(f"{row['en']}\t{row['fi']}" for row in rows)]
    write_lines(tmp_path / "corpus" / "parallel" / "made.tsv.xz", lines)
    return tmp_path / "corpus"
