"""What a worker keeps in memory from job to job: the encoder that was asked for last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fewshot.encoders.load import Encoder, load_encoder
from fewshot.training.model import THIS_FOLDER, Model, load_model, read_description

_held: dict[Any, Encoder] = {}
"""The encoder, by its name and the files of its folder."""


def encoder(name: str) -> Encoder:
    """Return an encoder, loaded anew only where another one was asked for meanwhile, or its folder has changed.

    Args:
        name: see `load_encoder`.

    Raises:
        FewshotError: see `load_encoder`.
    """
    files = sorted(Path(name).iterdir()) if Path(name).is_dir() else []
    key = name, tuple((file.name, file.stat().st_mtime_ns) for file in files)
    if key not in _held:
        _held.clear()  # before, so that there are never two
        _held[key] = load_encoder(name)
    return _held[key]


def load(folder: Path) -> Model:
    """Return a saved model on the encoder that it names.

    Raises:
        FewshotError: see `load_model`.
    """
    named = (read_description(folder) or {}).get("encoder", THIS_FOLDER)
    return load_model(folder, None if named == THIS_FOLDER else encoder(named))
