"""What a worker keeps in memory from job to job: the encoder that was asked for last."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fewshot.encoders.load import Encoder, load_encoder
from fewshot.training.model import HERE, Model, load_model, read_description


def encoder(name: str) -> Encoder:
    """Return an encoder, loaded anew only where another one was asked for meanwhile, or its folder has changed.

    Args:
        name: see `load_encoder`.

    Raises:
        FewshotError: see `load_encoder`.
    """
    files = sorted(Path(name).iterdir()) if Path(name).is_dir() else []
    return _loaded(name, tuple((file.name, file.stat().st_mtime_ns) for file in files))


def load(folder: Path) -> Model:
    """Return a saved model on the encoder that it names.

    Raises:
        FewshotError: see `load_model`.
    """
    named = (read_description(folder) or {}).get("encoder", HERE)
    return load_model(folder, None if named == HERE else encoder(named))


@lru_cache(maxsize=1)
def _loaded(name: str, files: tuple[tuple[str, int], ...]) -> Encoder:
    return load_encoder(name)
