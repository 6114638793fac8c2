"""What ships in data/models: small enough for a laptop's first download, and made by the settings beside it."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from fewshot import tasks
from fewshot.corpora.embedded import data_dir
from fewshot.encoders.load import EMBEDDED, load_encoder
from fewshot.pretraining import config
from fewshot.training import sources as source

MODELS = data_dir() / "models"


def test_all_weights_together_are_under_60_megabytes() -> None:
    assert sum(file.stat().st_size for file in MODELS.rglob("*") if file.is_file()) < 60e6


def test_the_encoder_was_made_by_the_settings_beside_it() -> None:
    made_by = json.loads((MODELS / "mini" / "pretrain.json").read_text())["settings"]
    assert made_by == asdict(config.read_settings(data_dir() / "pretrain.toml", config.PretrainConfig))


def test_the_card_is_filled_in() -> None:
    assert "@@" not in (MODELS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", tasks.registry())
def test_every_task_has_a_source_model(task: str) -> None:
    place = source.find(tasks.get(task), load_encoder(EMBEDDED), [source.embedded_in()])
    assert place == MODELS / "sources" / task
