"""What many tests share."""

from pathlib import Path

import pytest
import torch
from making import made_up, save_encoder

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """No test sees what this user keeps, or leaves anything there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def shared():
    """The corpora that may lie beside the project."""
    if not (SHARED / "ud").is_dir():
        pytest.skip("needs the corpora that lie beside the project")
    return SHARED


@pytest.fixture(scope="session")
def sentences():
    return made_up(60, seed=1)


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory):
    """A random BERT of 2 layers x 32 over single characters, saved by transformers."""
    return save_encoder(tmp_path_factory.mktemp("encoder"), limit=64)


@pytest.fixture(scope="session")
def encoder(encoder_folder):
    from fewshot.encoders.load import load

    return load(str(encoder_folder))


@pytest.fixture(scope="session")
def source_model(encoder, sentences):
    """A POS model trained for a moment on half of the lexicon's sentences."""
    from fewshot import tasks
    from fewshot.training.adapt import train_source
    from fewshot.training.recipe import Recipe

    recipe = Recipe(regime="sequential", updates=15, batch=8, head_lr=1e-3, average=1)
    return train_source(tasks.get("pos"), encoder, sentences[:30], recipe, 0, torch.device("cpu"))
