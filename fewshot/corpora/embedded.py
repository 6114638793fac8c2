"""Paths of the data inside the package: the sample, the rates, the embedded encoder and source models."""

from __future__ import annotations

from pathlib import Path

from fewshot.errors import UnknownNameError


def data_dir() -> Path:
    """Return the folder of embedded data: inside an installed package, or ``data/`` of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "data"
    return installed if installed.is_dir() else package.parent / "data"


def sample_languages(kind: str = "sentences") -> list[str]:
    """Return the language codes of the sample for a kind of example, sorted."""
    return sorted(folder.name for folder in (data_dir() / "sample" / kind).iterdir() if folder.is_dir())


def sample_dir(lang: str, kind: str = "sentences", instead: str = "a folder or file") -> Path:
    """Return the folder of one sample language, which holds a pool file and a test file.

    Args:
        instead: for the message: the alternatives that the user can give as ``--data``.

    Raises:
        UnknownNameError: when the sample has no such language.
    """
    if lang not in sample_languages(kind):
        hint = f"The embedded sample is small; for other languages give --data {instead}."
        raise UnknownNameError("language of the embedded sample", lang, sample_languages(kind), hint)
    return data_dir() / "sample" / kind / lang
