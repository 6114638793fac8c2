"""``model.json``: the description of a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NotRequired, TypedDict

from fewshot import records
from fewshot.errors import FewshotError

DESCRIPTION, WEIGHTS = "model.json", "model.safetensors"

THIS_FOLDER, HEAD_FILE = ".", "head.safetensors"
"""Encoder name and weights file of a model that `fewshot.hub` exported together with its whole encoder."""


class MergedAdapter(TypedDict):
    """Fields of ``model.json`` that describe a merged adapter, see `Adapter`."""

    rank: int
    alpha: int
    base: str


class TrainedOn(TypedDict):
    """Fields of ``model.json`` that describe one of several training corpora."""

    lang: str
    data: str
    data_fingerprint: str


class Provenance(TypedDict):
    """Fields of ``model.json`` that describe a training and are read again."""

    sources: NotRequired[list[TrainedOn]]
    lang: NotRequired[str | None]
    data: NotRequired[str]
    data_fingerprint: NotRequired[str]
    recipe: NotRequired[dict[str, Any]]
    dev: NotRequired[dict[str, float]]
    key: NotRequired[str]
    run: NotRequired[str]
    search: NotRequired[str]
    shots: NotRequired[list[str]]
    source: NotRequired[Provenance]


class Description(Provenance):
    """All fields of ``model.json`` that are read."""

    task: str
    labels: list[str]
    encoder: str
    encoder_fingerprint: str
    readout: NotRequired[str]
    vowel_signs: NotRequired[str]
    known_lemmas: NotRequired[dict[str, Any]]
    adapter: NotRequired[MergedAdapter | None]


def read_description(folder: Path) -> dict[str, Any] | None:
    """Return ``model.json`` of a saved model, None when it is missing or damaged."""
    try:
        return load_description(folder)
    except FewshotError:
        return None


def load_description(folder: Path) -> dict[str, Any] | None:
    """Return a saved model's ``model.json``, None when missing; raise a FewshotError when damaged."""
    description: dict[str, Any] | None = records.load(
        folder / DESCRIPTION, Description, "train the model again, or give another folder"
    )
    return description


def weights_file(folder: Path, description: dict[str, Any]) -> Path:
    """Return the file with the weights of a saved model."""
    return folder / (HEAD_FILE if description.get("encoder") == THIS_FOLDER else WEIGHTS)
