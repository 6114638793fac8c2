"""What ships in data/models: small enough for a laptop's first download, and what its card says."""

import copy
import json

import pytest
import torch

from fewshot import tasks
from fewshot.corpora.embedded import data_dir
from fewshot.encoders import vocabulary
from fewshot.encoders.load import EMBEDDED, Encoder, load_encoder
from fewshot.pretraining import config
from fewshot.shrinking.shrink import RECORD
from fewshot.training import sources as source

MODELS = data_dir() / "models"

SCRIPTS = "aбλאبहবਰતதతಕമกກခაამ한かカ漢ኣខ"
"""A character of each of many scripts, of those that the teacher knows."""


TEACHER_PIECES = 250_037
"""Pieces of the teacher's vocabulary."""


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder(EMBEDDED)


def test_everything_that_ships_is_under_95_megabytes() -> None:
    assert sum(file.stat().st_size for file in data_dir().rglob("*") if file.is_file()) < 95e6


def test_the_encoder_has_the_shape_that_its_record_names(encoder: Encoder) -> None:
    record = json.loads((MODELS / EMBEDDED / RECORD).read_text(encoding="utf-8"))
    pieces = record["shape"]["pieces"] or TEACHER_PIECES
    assert encoder.module.config.num_hidden_layers == record["shape"]["layers"]  # type: ignore[union-attr]
    assert len(encoder.tokenizer) == pieces  # type: ignore[arg-type]
    module = copy.deepcopy(encoder.module)
    vocabulary.unpack(module)
    assert sum(map(torch.Tensor.numel, module.parameters())) == record["result"]["weights"]
    assert record["teacher"] == "multilingual-e5-small"


def test_the_encoder_was_taught_to_its_end() -> None:
    result = json.loads((MODELS / EMBEDDED / RECORD).read_text(encoding="utf-8"))["result"]
    better = [lang for lang, after in result["after"].items() if after < result["before"][lang]]
    assert len(result["after"]) == 308
    assert len(better) >= 0.97 * 308


def test_no_script_is_lost(encoder: Encoder) -> None:
    pieces = encoder.tokenizer(list(SCRIPTS), add_special_tokens=False)["input_ids"]  # type: ignore[operator]
    unknown = encoder.tokenizer.unk_token_id  # type: ignore[attr-defined]
    assert not [letter for letter, ids in zip(SCRIPTS, pieces, strict=True) if unknown in ids]


def test_the_settings_of_pretraining_are_settings() -> None:
    assert config.read_settings(data_dir() / "pretrain.toml", config.PretrainConfig).vocabulary == 64_000


def test_the_card_is_filled_in() -> None:
    assert "@@" not in (MODELS / "README.md").read_text(encoding="utf-8")


def test_every_task_has_a_source_model(encoder: Encoder) -> None:
    folders = {name: source.find(tasks.get(name), encoder, [source.embedded_dir()]) for name in tasks.registry()}
    assert folders == {name: MODELS / "sources" / name for name in folders}
