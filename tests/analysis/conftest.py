"""Analyses that fine-tune, called with made-up treebanks and a tiny encoder."""

import shutil

import pytest
from analysis.making import write_treebanks
from typer.testing import CliRunner

from fewshot.cli import app


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
