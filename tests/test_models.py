"""What ships in data/models: small enough for a laptop's first download, and what its card says."""

import json

import pytest

from fewshot import tasks
from fewshot.corpora.embedded import data_dir
from fewshot.encoders import vocabulary
from fewshot.encoders.load import EMBEDDED, load_encoder
from fewshot.pretraining import config
from fewshot.shrinking.shrink import RECORD
from fewshot.training import sources as source

MODELS = data_dir() / "models"

SCRIPTS = "aбλאبहবਰતதతಕമกກခაამ한かカ漢ኣខ"
"""A character of each of many scripts, of those that the teacher knows."""


TEACHER_PIECES = 250_037
"""Pieces of the teacher's vocabulary."""


def test_everything_that_ships_is_under_95_megabytes() -> None:
    assert sum(file.stat().st_size for file in data_dir().rglob("*") if file.is_file()) < 95e6


def test_the_encoder_has_the_shape_that_its_record_names() -> None:
    record = json.loads((MODELS / EMBEDDED / RECORD).read_text(encoding="utf-8"))
    encoder = load_encoder(EMBEDDED)
    vocabulary.unpack(encoder.module)
    assert (encoder.module.config.num_hidden_layers, len(encoder.tokenizer)) == (  # type: ignore[union-attr, arg-type]
        record["shape"]["layers"],
        record["shape"]["pieces"] or TEACHER_PIECES,
    )
    assert sum(weight.numel() for weight in encoder.module.parameters()) == record["result"]["weights"]
    assert record["teacher"] == "multilingual-e5-small"


def test_the_encoder_was_taught_to_its_end() -> None:
    result = json.loads((MODELS / EMBEDDED / RECORD).read_text(encoding="utf-8"))["result"]
    better = [lang for lang, after in result["after"].items() if after < result["before"][lang]]
    assert len(result["after"]) == 308
    assert len(better) >= 0.97 * 308


def test_no_script_is_lost() -> None:
    tokenizer = load_encoder(EMBEDDED).tokenizer
    unknown = [
        letter
        for letter in SCRIPTS
        if tokenizer.unk_token_id in tokenizer(letter, add_special_tokens=False)["input_ids"]  # type: ignore[attr-defined, operator]
    ]
    assert not unknown


def test_the_settings_of_pretraining_are_settings() -> None:
    assert config.read_settings(data_dir() / "pretrain.toml", config.PretrainConfig).vocabulary == 64_000


def test_the_card_is_filled_in() -> None:
    assert "@@" not in (MODELS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", tasks.registry())
def test_every_task_has_a_source_model(task: str) -> None:
    place = source.find(tasks.get(task), load_encoder(EMBEDDED), [source.embedded_dir()])
    assert place == MODELS / "sources" / task
