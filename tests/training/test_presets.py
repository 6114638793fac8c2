from dataclasses import replace

import pytest
import torch
from making import small_recipe
from transformers import BertConfig, BertModel

from fewshot import tasks
from fewshot.errors import FewshotError
from fewshot.training import presets

SMALL_TREES = {"regime": "sequential", "encoder_lr": 3e-4, "frozen": 0, "updates": 100}
PAPER = {"regime": "sequential", "average": 1, "weight_decay": 0, "frozen": None}

DECIDED = [
    # task, encoder, k, what the user sets, what is decided
    ("dep", "base", 10, {}, {"regime": "joint", "encoder_lr": 2e-5, "frozen": 4, "updates": 300, "swaps": 0}),
    ("dep", "base", 50, {"swaps": 2}, {"frozen": 0, "updates": 500, "swaps": 2}),
    ("dep", "base", 400, {}, {"frozen": None, "updates": 1000}),
    ("dep", "new", 10, {}, {"regime": "sequential", "encoder_lr": 1e-3, "frozen": None, "updates": 100, "swaps": 2}),
    ("dep", "new", 400, {"method": "freeze-0", "swaps": 0}, {"frozen": 0, "updates": 400, "swaps": 0}),
    ("dep", "new", 10, {"method": "lora"}, {"encoder_lr": 3e-4, "frozen": 0, "updates": 150, "swaps": 0}),
    ("dep", "small", 10, {"labels_known": False}, SMALL_TREES),
    ("dep+upos", "small", 10, {}, SMALL_TREES),
    ("dep+tags", "new", 10, {}, {"regime": "sequential", "encoder_lr": 1e-3, "frozen": None, "updates": 100}),
    ("dep+tags", "new", 10, {"method": "freeze-0"}, {"swaps": 2}),
    ("pos", "new", 10, {}, {"regime": "joint", "encoder_lr": 5e-4, "frozen": None, "updates": 100, "balanced": False}),
    ("pos", "small", 10, {}, {"regime": "sequential", "encoder_lr": 3e-4, "frozen": 4, "updates": 30}),
    ("pos", "small", 50, {}, {"encoder_lr": 3e-4, "frozen": 0, "updates": 200}),
    ("pos", "small", 10, {"method": "freeze-none"}, {"encoder_lr": 3e-4, "frozen": None, "updates": 30}),
    ("ner", "new", 10, {}, {"regime": "sequential", "encoder_lr": 3e-4, "updates": 30, "balanced": True}),
    ("ner", "new", 100, {}, {"updates": 210}),
    ("ner", "new", 10, {"balanced": False, "updates": 50}, {"frozen": None, "updates": 50, "balanced": False}),
    ("ner", "new", 10, {"epochs": 2}, {"frozen": None, "updates": 2}),
    ("ner", "new", 10, {"method": "freeze-1", "encoder_lr": 1e-4}, {"encoder_lr": 1e-4, "frozen": 1, "updates": 30}),
    ("ner", "new", 10, {"method": "lora"}, {"encoder_lr": 3e-4, "frozen": 0, "updates": 150, "balanced": False}),
    ("ner", "new", 10, {"method": "feature-based"}, {"encoder_lr": 5e-4, "frozen": 12, "updates": 100}),
    ("ner", "base", 10, {}, {"regime": "joint", "encoder_lr": 2e-5, "frozen": 4, "updates": 300}),
    ("ner", "small", 10, {}, {"regime": "sequential", "encoder_lr": 5e-5, "frozen": 0, "updates": 30}),
    ("ner", "small", 100, {}, {"encoder_lr": 5e-5, "updates": 200}),
    ("ner+crf", "new", 10, {}, {"regime": "sequential", "encoder_lr": 3e-4, "updates": 30, "balanced": False}),
    ("nli", "new", 10, {}, {"regime": "joint", "encoder_lr": 5e-4, "frozen": 0, "updates": 100}),
    ("nli", "small", 10, {}, {"regime": "sequential", "encoder_lr": 1e-5, "frozen": 0, "updates": 10}),
    ("nli", "small", 10, {"labels_known": False}, {"encoder_lr": 1e-4, "updates": 100}),
    ("pos", "base", 500, {"updates": 7, "frozen": 2}, {"updates": 7, "frozen": 2}),
    ("pos", "base", 100, {"epochs": 50, "batch": 128}, {"updates": 50}),
    ("pos", "base", 500, {"epochs": 50, "batch": 128}, {"updates": 200}),
    # the recipe of Lauscher et al. 2020
    ("pos", "base", 100, {"method": "lauscher2020"}, PAPER | {"batch": 128, "updates": 50, "encoder_lr": 5e-5}),
    ("dep+upos", "base", 200, {"method": "lauscher2020"}, PAPER | {"batch": 128, "updates": 100, "head_lr": 5e-5}),
    ("dep", "new", 10, {"method": "lauscher2020"}, {"swaps": 0}),
    ("ner", "base", 10, {"method": "lauscher2020"}, PAPER | {"batch": 128, "updates": 10, "encoder_lr": 5e-5}),
    ("ner", "new", 10, {"method": "lauscher2020"}, PAPER | {"encoder_lr": 3e-4, "head_lr": 3e-4, "balanced": False}),
    ("nli", "base", 64, {"method": "lauscher2020"}, PAPER | {"batch": 32, "updates": 6}),
    ("qa", "base", 24, {"method": "lauscher2020", "updates": 3}, {"updates": 3}),
    ("pos", "base", 200, {"method": "lauscher2020", "epochs": 2}, {"updates": 4}),
    ("pos", "new", 10, {"method": "lauscher2020", "encoder_lr": 1e-5}, {"encoder_lr": 1e-5, "head_lr": 1e-5}),
]


def test_recipes_follow_task_encoder_method_and_number_of_shots():
    wrong = []
    for task, encoder, k, given, decided in DECIDED:
        settled = presets.adaptation(tasks.get(task), encoder, **given).resolve(k, k, depth=12)
        found = {"updates": settled.updates, "frozen": settled.frozen}
        found = {name: found[name] if name in found else getattr(settled.recipe, name) for name in decided}
        if found != decided:
            wrong.append((task, encoder, k, given, found))
    assert not wrong


@pytest.mark.parametrize(
    ("method", "encoder", "lr", "frozen"),
    [
        ("full", "base", 2e-5, None),
        ("full", "small", 2e-4, 6),
        ("freeze-none", "small", 2e-4, None),
        ("freeze-3", "new", 2e-4, 3),
        ("lora", "base", 3e-4, None),
    ],
)
def test_source_recipes_follow_method_and_encoder(method, encoder, lr, frozen):
    recipe = presets.source(tasks.get("pos"), encoder, method)
    assert (recipe.method, recipe.encoder_lr, recipe.resolve(9000, 9000, depth=12).frozen) == (method, lr, frozen)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"method": "freeze-"}, "unknown method 'freeze-'"),
        ({"method": "freeze-" + "9" * 5_000}, "unknown method 'freeze-999"),
        ({"regime": "both"}, "unknown regime 'both'"),
        ({"pooling": "sum"}, "unknown pooling 'sum'; choose mean or first or last or max"),
        ({"method": "feature-based", "pooling": "max"}, "reads a mix of layers; leave pooling out"),
        ({"updates": 0}, "updates is 0; it must be at least 1"),
        ({"updates": 1.5}, "updates is 1.5; it must be a whole number"),
        ({"encoder_lr": "1e-4"}, "encoder_lr is '1e-4'; it must be a number"),
        ({"head_lr": float("nan")}, "head_lr is nan; it must be at least 0"),
        ({"dropout": 2}, "dropout is 2; it must be between 0 and 1"),
        ({"updates": None}, "updates is None; leave it out"),
        ({"update": 7}, "unknown setting of a training 'update': did you mean updates"),
        ({"task": "topic", "pooling": "max"}, "topic has one vector for a whole text"),
        ({"swaps": -1}, "swaps is -1; it must be between 0 and 100|no parts to swap"),
        ({"kept": 2}, "kept is 2; it must be between 0 and 1"),
        ({"swaps": 1.0}, "task pos has no parts to swap; leave swaps out"),
        ({"balanced": True}, "task pos has no label to balance against others; leave balanced out"),
        ({"method": "lauscher2020", "balanced": True}, "lauscher2020 balances nothing"),
        ({"method": "lauscher2020", "regime": "joint"}, "lauscher2020 is sequential"),
    ],
)
def test_settings_that_make_no_sense_are_refused(bad, message):
    with pytest.raises(FewshotError, match=message):
        small_recipe(**bad)


def test_the_recipe_of_the_paper_trains_no_source_model():
    with pytest.raises(FewshotError, match="train the source model with full"):
        presets.source(tasks.get("pos"), 768, "lauscher2020")


def test_encoders_are_told_apart_by_their_origin_and_the_size_of_their_layers(encoder):
    assert (encoder.from_nothing, presets.encoder_size(encoder)) == (True, "new")
    for kind, size in (("base", 768), ("small", 384)):
        with torch.device("meta"):
            module = BertModel(BertConfig(vocab_size=100_000, hidden_size=size, num_attention_heads=12), False)
        assert presets.encoder_size(replace(encoder, module=module)) == kind
