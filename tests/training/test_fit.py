import os
import random
from dataclasses import replace

import pytest
import torch
from making import small_recipe
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn
from transformers import BertConfig, BertModel

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.encoders import freezing, vocabulary
from fewshot.encoders.load import load_encoder
from fewshot.encoders.readout import LayerMix
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.training import presets, sources
from fewshot.training.adapt import adapt, find_device, settings, train_source
from fewshot.training.batching import bucketed, prepare
from fewshot.training.fit import _Average, _clip, _rate, fit
from fewshot.training.model import DESCRIPTION, WEIGHTS, load_model, new, read_description

CPU = torch.device("cpu")
QUICK = small_recipe(regime="joint", updates=6, batch=4, average=3)


def weights(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def alike(loaded, trained):
    """Whether two models are equal up to the half precision of the disk."""
    return all(torch.allclose(loaded[name], trained[name], rtol=2**-10, atol=2**-24) for name in trained)


@pytest.fixture(scope="module")
def source_data(source_model, sentences):
    return prepare(source_model, sentences[:30])


@pytest.mark.parametrize(
    "recipe",
    [
        QUICK,
        replace(QUICK, regime="sequential"),
        replace(QUICK, method="lora"),
        small_recipe(method="lauscher2020", updates=3),
    ],
)
def test_a_run_is_a_pure_function(source_model, sentences, source_data, recipe):
    before, state = weights(source_model), torch.random.get_rng_state()
    random.seed(1)
    first = adapt(source_model, sentences[30:40], recipe, 0, CPU, source_data)
    torch.rand(7)
    random.random()
    again = adapt(source_model, sentences[30:40], recipe, 0, CPU, source_data)
    other = adapt(source_model, sentences[30:40], recipe, 1, CPU, source_data)
    assert same(weights(first), weights(again))
    assert not same(weights(first), weights(other))
    assert same(before, weights(source_model))
    torch.random.set_rng_state(state)
    adapt(source_model, sentences[30:40], recipe, 0, CPU, source_data)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_learning_target_sentences_helps_on_them(source_model, sentences):
    recipe = small_recipe(method="freeze-0", regime="sequential", updates=80, batch=8, head_lr=1e-2, encoder_lr=1e-3)
    adapted = adapt(source_model, sentences[30:40], recipe, 0, CPU)
    assert evaluate(adapted, sentences[30:40]).score > evaluate(source_model, sentences[30:40]).score + 10


def test_silver_labels_weigh_less_than_those_of_people(source_model, sentences, monkeypatch):
    recipe = small_recipe(method="freeze-0", regime="sequential", updates=80, batch=8, head_lr=1e-2, encoder_lr=1e-3)
    shots = sentences[30:40]
    wrong = [shot.annotated(upos=("X",) * len(shot.words)) for shot in shots]
    contradicted = lambda silver: adapt(source_model, shots, recipe, 0, CPU, silver=silver)  # noqa: E731
    assert evaluate(contradicted(wrong), shots).score > 65  # people are right
    monkeypatch.setattr(presets, "SILVER", 1.0)
    assert evaluate(contradicted(wrong), shots).score < 55


@pytest.mark.parametrize("regime", ["joint", "sequential"])
def test_the_loss_is_the_mean_of_the_losses_by_their_weights(source_model, sentences, source_data, regime):
    recipe = replace(QUICK, regime=regime, dropout=0.0, updates=(1,) * 3, average=1)
    shots, silver = sentences[30:34], sentences[34:38]
    source = source_data if regime == "joint" else None
    source = source and replace(source, pieces=source.pieces[:4], targets=source.targets[:4], corpora=(4,))
    model = source_model.copy()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0

    def loss(target, mixed, silver=None):
        seen = []
        fit(
            model,
            target,
            mixed,
            settings(model, recipe, 4, 4),
            0,
            CPU,
            lambda now: seen.append(float(now.loss)),
            None,
            silver,
        )
        return seen[0]

    parts = [(prepare(model, shots), 1.0), *([(source, 1.0)] if source else []), (prepare(model, silver), 0.3)]
    expected = sum(weight * loss(part, None) for part, weight in parts) / sum(weight for _, weight in parts)
    assert loss(parts[0][0], source, parts[-1]) == pytest.approx(expected, rel=1e-4)


def test_no_shots_give_the_source_model(source_model):
    assert same(weights(adapt(source_model, [], QUICK, 0, CPU)), weights(source_model))


def test_joint_regime_needs_source_sentences(source_model, sentences):
    with pytest.raises(FewshotError, match="joint regime needs source-language examples"):
        adapt(source_model, sentences[:3], QUICK, 0, CPU)


def test_source_sentences_change_a_joint_run_only(source_model, sentences, source_data):
    for regime, differs in (("joint", True), ("sequential", False)):
        recipe = replace(QUICK, regime=regime)
        runs = [
            adapt(source_model, sentences[30:40], recipe, 0, CPU, prepare(source_model, data))
            for data in (sentences[:10], sentences[10:20])
        ]
        assert same(*(weights(run) for run in runs)) != differs


@pytest.mark.parametrize(
    ("method", "moving"), [("full", {0, 1, 2}), ("freeze-0", {1, 2}), ("freeze-1", {2}), ("freeze-2", set())]
)
def test_frozen_parts_do_not_move(source_model, sentences, method, moving):
    adapted = adapt(source_model, sentences[:8], small_recipe(method=method, regime="sequential", updates=3), 0, CPU)
    old, new = ([model.module.embeddings, *freezing.layers(model.module)] for model in (source_model, adapted))
    assert {place for place in range(3) if not same(weights(old[place]), weights(new[place]))} == moving
    assert not same(weights(source_model.head), weights(adapted.head))


def test_training_the_pieces_that_occur_equals_training_all(source_model, sentences, source_data, monkeypatch):
    recipe = replace(QUICK, method="freeze-none", weight_decay=0.0)
    some = adapt(source_model, sentences[30:33], recipe, 0, CPU, source_data)
    none, nothing = torch.empty(0, dtype=torch.long), torch.empty(0, source_model.encoder.hidden)
    monkeypatch.setattr(vocabulary, "narrow", lambda module, ids: vocabulary.replace_rows(module, none, nothing))
    every = adapt(source_model, sentences[30:33], recipe, 0, CPU, source_data)
    assert same(weights(some), weights(every))
    assert every.trained - some.trained == {"embeddings.word_embeddings.weight"}
    assert not same(weights(some.module.embeddings), weights(source_model.module.embeddings))


def test_the_table_is_held_once_and_never_changed_in_place(source_model, sentences):
    table = vocabulary.table(source_model.module)
    before = table.clone()
    assert vocabulary.table(source_model.copy().module).data_ptr() == table.data_ptr()
    kept = small_recipe(method="freeze-0", regime="sequential", updates=2)
    frozen = adapt(source_model, sentences[30:31], kept, 0, CPU)
    assert vocabulary.table(frozen.module).data_ptr() == table.data_ptr()
    trained = adapt(source_model, sentences[30:31], replace(QUICK, method="freeze-none", regime="sequential"), 0, CPU)
    assert not torch.equal(vocabulary.table(trained.module), before)
    assert torch.equal(table, before)
    assert table.requires_grad


def test_a_loaded_model_leaves_the_encoder_that_it_is_given_alone(source_model, encoder, tmp_path):
    whole = source_model.copy()
    vocabulary.unshare(whole.module)
    with torch.no_grad():
        vocabulary.table(whole.module).add_(1)
    whole.trained |= {"embeddings.word_embeddings.weight"}
    whole.save(tmp_path)
    before = weights(encoder.module)
    loaded = load_model(tmp_path, encoder)
    assert not torch.equal(vocabulary.table(loaded.module), vocabulary.table(encoder.module))
    assert same(weights(encoder.module), before)


def test_pieces_that_do_not_occur_stay_as_they_are(source_model, sentences):
    shots = sentences[30:31]
    adapted = adapt(source_model, shots, replace(QUICK, method="freeze-none", regime="sequential"), 0, CPU)
    old, new = (model.module.get_input_embeddings().weight for model in (source_model, adapted))
    moved = set((old != new).any(dim=1).nonzero().flatten().tolist())
    windows = (window for each in source_model.encode(shots) for pieces in each for window in pieces.windows)
    assert moved
    assert moved <= set().union(*(window.ids for window in windows)) <= set(adapted.pieces.tolist())


def test_embeddings_that_moved_alone_are_on_disk(source_model, sentences, tmp_path):
    recipe = replace(QUICK, method="freeze-none", regime="sequential")
    first = adapt(source_model, sentences[30:31], recipe, 0, CPU)
    first.save(tmp_path / "first")
    loaded = load_model(tmp_path / "first")
    assert alike(weights(loaded), weights(first))
    still = [place for place in range(64) if place not in set(first.pieces.tolist())]
    tables = [model.module.get_input_embeddings().weight[still] for model in (loaded, source_model)]
    assert torch.equal(*tables)
    second = adapt(loaded, sentences[31:32], recipe, 0, CPU)
    second.save(tmp_path / "second")
    assert alike(weights(load_model(tmp_path / "second")), weights(second))
    assert set(first.pieces.tolist()) < set(second.pieces.tolist())
    kept = load_file(tmp_path / "second" / WEIGHTS)
    assert "encoder.embeddings.word_embeddings.weight" not in kept
    assert len(kept["embeddings.rows"]) == len(second.pieces)


@pytest.mark.parametrize(("bits", "wrong"), [(16, 2**-10), (8, 2**-6), (4, 2**-2)])
def test_changes_of_the_encoder_are_kept_in_few_bits(source_model, sentences, tmp_path, bits, wrong):
    model = adapt(source_model, sentences[:8], small_recipe(method="freeze-0", regime="sequential", updates=5), 0, CPU)
    base = load_encoder(model.encoder.name)
    model.save(tmp_path, base, bits)
    loaded, old = load_model(tmp_path, base), weights(load_encoder(model.encoder.name).module)
    assert same(weights(base.module), old)
    rounded = model.copy()
    rounded.round(base, bits)
    assert alike(weights(loaded.module), weights(rounded.module)) or bits == 16
    assert loaded.trained == model.trained
    for name, now in weights(model.module).items():
        change = (now - old[name]).abs().max()
        least = 2**-25  # half of the smallest step of half precision
        assert (weights(loaded.module)[name] - now).abs().max() <= wrong * change + 2**-10 * now.abs().max() + least
    model.save(tmp_path / "whole")
    small, whole = ((folder / WEIGHTS).stat().st_size for folder in (tmp_path, tmp_path / "whole"))
    assert small < whole or bits == 16


def test_lora_moves_only_what_it_adapts_and_saves_it(source_model, sentences, tmp_path):
    adapted = adapt(source_model, sentences[:8], small_recipe(method="lora", regime="sequential", updates=5), 0, CPU)
    old, new = weights(source_model.module), weights(adapted.module)
    moved = {name for name in old if not torch.equal(old[name], new[name])}
    assert moved
    assert all(name.endswith("weight") and "embeddings" not in name for name in moved)
    assert moved <= adapted.trained
    adapted.save(tmp_path)
    assert alike(weights(load_model(tmp_path)), weights(adapted))


@pytest.fixture(scope="module")
def feature_based(encoder, sentences):
    """A POS model that reads a mix of all layers of an encoder that stays as it is."""
    recipe = small_recipe(method="feature-based", updates=4, batch=4, average=2)
    return train_source(tasks.get("pos"), encoder, sentences[:30], recipe, 0, CPU)


def test_feature_based_training_moves_readout_and_head_alone(feature_based, encoder, tmp_path):
    untrained = new(feature_based.task, encoder, 0, 0.1, feature_based.readout.name)
    assert same(weights(feature_based.module), weights(encoder.module))
    for part in ("readout", "head"):
        before, after = (weights(getattr(model, part)) for model in (untrained, feature_based))
        assert not any(torch.equal(before[name], after[name]) for name in before)
    feature_based.save(tmp_path)
    assert {name.partition(".")[0] for name in load_file(tmp_path / WEIGHTS)} == {"readout", "head"}


def test_encoder_of_a_feature_based_model_has_no_dropout(feature_based, sentences, monkeypatch):
    modes = []
    forward = LayerMix.forward
    monkeypatch.setattr(LayerMix, "forward", lambda s, m, b: modes.append((s.training, m.training)) or forward(s, m, b))
    for method in ("feature-based", "full"):
        adapt(feature_based, sentences[:3], small_recipe(method=method, regime="sequential", updates=1), 0, CPU)
    assert list(dict.fromkeys(modes)) == [(True, False), (True, True)]


@pytest.mark.parametrize("method", ["feature-based", "full", "lora", "freeze-1"])
def test_readout_of_the_source_model_is_kept_when_it_is_adapted(feature_based, encoder, sentences, method, tmp_path):
    recipe = small_recipe(method=method, regime="sequential", updates=3)
    adapted = adapt(feature_based, sentences[:8], recipe, 0, CPU)
    assert adapted.readout.name == feature_based.readout.name
    assert not same(weights(feature_based.readout), weights(adapted.readout))
    assert same(weights(feature_based.module), weights(adapted.module)) == (method == "feature-based")
    adapted.save(tmp_path)
    assert alike(weights(load_model(tmp_path, encoder)), weights(adapted))


def test_other_source_models_cannot_be_continued_as_features(source_model, sentences):
    with pytest.raises(FewshotError, match="train one with fewshot source --method feature-based"):
        adapt(source_model, sentences[:3], small_recipe(method="feature-based", regime="sequential"), 0, CPU)


def test_source_models_are_found_by_their_method(source_model, feature_based, encoder, tmp_path):
    source_model.save(tmp_path / "plain")
    feature_based.save(tmp_path / "features")
    for name, method in (("plain", "full"), ("plain", "lora"), ("features", "feature-based")):
        found = sources.find(source_model.task, encoder, [tmp_path], method)
        assert found == tmp_path / name
    (tmp_path / "features" / DESCRIPTION).unlink()
    with pytest.raises(FewshotError, match=r"no feature-based source model .* --method feature-based --data"):
        sources.find(source_model.task, encoder, [tmp_path], "feature-based")


def test_source_model_that_was_trained_whole_comes_before_newer_ones(source_model, encoder, tmp_path):
    model = source_model.copy()
    for age, (name, method) in enumerate([("b", "lora"), ("a", "full"), ("c", "full"), ("d", "freeze-1")], start=-4):
        model.provenance = {"recipe": {"method": method}}
        model.save(tmp_path / name)
        os.utime(tmp_path / name / DESCRIPTION, (2e9 + age, 2e9 + age))
    for found in ("c", "a", "d", "b"):
        assert sources.find(model.task, encoder, [tmp_path], "lora") == tmp_path / found
        (tmp_path / found / DESCRIPTION).unlink()


def test_a_source_model_of_some_languages_is_of_these_and_no_others(source_model, encoder, tmp_path):
    model = source_model.copy()
    for name, langs in (("one", ["fi"]), ("both", ["fin", "en"]), ("newest", ["en", "fi", "tr"])):
        model.provenance = {"sources": [{"lang": lang, "data": "x", "data_fingerprint": "0"} for lang in langs]}
        model.save(tmp_path / name)
    for langs, name in ((["fi"], "one"), (["en", "fi"], "both"), (["fi", "en"], "both")):
        assert sources.find(model.task, encoder, [tmp_path], langs=langs) == tmp_path / name
    missing = r"no source model of fi, tr for .* --lang fi,tr --data FOLDER_OF_FI_SENTENCES --data FOLDER_OF_TR_"
    with pytest.raises(FewshotError, match=missing):
        sources.find(model.task, encoder, [tmp_path], langs=["fi", "tr"])


def test_languages_of_a_model_are_those_of_its_first_training(source_model, sentences):
    source = source_model.copy()
    assert sources.languages(source.provenance) == []
    source.provenance = {"lang": "fr"}
    adapted = adapt(source, sentences[:3], replace(QUICK, regime="sequential", updates=(1,) * 3), 0, CPU)
    adapted.provenance = {"lang": "ja", **adapted.provenance}
    assert sources.languages(adapted.provenance) == ["fr"]


@pytest.mark.parametrize(
    ("method", "encoder", "lr"), [("full", "base", 2e-5), ("freeze-3", "new", 2e-4), ("lora", "base", 3e-4)]
)
def test_source_recipes_follow_method_and_encoder(method, encoder, lr):
    recipe = presets.source(tasks.get("pos"), encoder, method)
    assert (recipe.method, recipe.encoder_lr) == (method, lr)


def test_encoders_are_told_apart_by_where_they_come_from_and_by_their_layers(encoder):
    assert (encoder.from_nothing, presets.kind(encoder)) == (True, "new")
    with torch.device("meta"):
        bodies = {
            kind: BertModel(BertConfig(vocab_size=100_000, hidden_size=size, num_attention_heads=12), False)
            for kind, size in (("base", 768), ("small", 384))
        }
    for kind, module in bodies.items():
        assert presets.kind(replace(encoder, module=module)) == kind


def test_saved_model_holds_only_what_was_trained(source_model, encoder, tmp_path):
    source_model.save(tmp_path / "model")
    names = load_file(tmp_path / "model" / "model.safetensors")
    assert not any("embeddings" in name for name in names)
    loaded = load_model(tmp_path / "model", encoder)
    assert alike(weights(loaded), weights(source_model))


def test_model_of_another_encoder_is_refused(source_model, encoder, tmp_path):
    source_model.save(tmp_path)
    with pytest.raises(FewshotError, match="trained on another version"):
        load_model(tmp_path, replace(encoder, fingerprint="0"))


def test_folder_without_a_model(tmp_path):
    with pytest.raises(FewshotError, match="no saved model here"):
        load_model(tmp_path)


@pytest.mark.parametrize("card", ["", "{}", "[]", '{"task": "pos"}'])
def test_model_with_a_damaged_description_is_named(tmp_path, card):
    (tmp_path / DESCRIPTION).write_text(card)
    with pytest.raises(FewshotError, match=r"model\.json: .*; train the model again, or give another folder$"):
        load_model(tmp_path)


@pytest.mark.parametrize("size", [None, 0, 100, 10_000])
def test_model_with_missing_or_cut_weights_is_named(source_model, encoder, tmp_path, size):
    source_model.save(tmp_path)
    weights = tmp_path / WEIGHTS
    if size is None:
        weights.unlink()
    else:
        weights.write_bytes(weights.read_bytes()[:size])
    with pytest.raises(FewshotError, match=r"model\.safetensors: missing or damaged .* train again"):
        load_model(tmp_path, encoder)


def test_full_disk_leaves_no_card_beside_cut_weights(source_model, tmp_path, monkeypatch):
    def full(*_, **__):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    source_model.save(tmp_path)
    monkeypatch.setattr("fewshot.encoders.packed.save_file", full)
    with pytest.raises(FewshotError, match=r"the model cannot be written: .*No space left"):
        source_model.save(tmp_path)
    assert read_description(tmp_path) is None


def test_damaged_model_in_the_cache_hides_no_other(source_model, encoder, tmp_path):
    source_model.save(tmp_path / "whole")
    for name, card in (("empty", ""), ("list", "[]"), ("other", "{}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / DESCRIPTION).write_text(card)
    assert sources.find(source_model.task, encoder, [tmp_path]) == tmp_path / "whole"


def test_card_of_an_adapted_model_is_its_own_and_keeps_the_source_s(source_model, sentences):
    adapted = adapt(source_model, sentences[:3], replace(QUICK, regime="sequential"), 7, CPU)
    assert (adapted.provenance["k"], adapted.provenance["seed"]) == (3, 7)
    assert adapted.provenance["shots"] == [s.id for s in sentences[:3]]
    assert adapted.provenance["recipe"]["updates"] == QUICK.updates[0]
    assert adapted.provenance["source"] == source_model.provenance


def test_examples_without_annotation_are_neither_learned_nor_scored(source_model, sentences):
    blank = [sentence.unannotated() for sentence in sentences[:3]]
    with pytest.raises(FewshotError, match="no pos annotation here"):
        adapt(source_model, blank, replace(QUICK, regime="sequential"), 0, CPU)
    with pytest.raises(FewshotError, match="no pos annotation here"):
        evaluate(source_model, blank)
    with pytest.raises(FewshotError, match="no example to score"):
        evaluate(source_model, [])


def test_average_is_the_mean_of_evenly_spaced_checkpoints():
    model = nn.Linear(1, 1, bias=False)
    average = _Average(model, updates=10, checkpoints=5)
    for update in range(1, 11):
        model.weight.data.fill_(float(update))
        average.add(update)
    average.store()
    assert model.weight.item() == pytest.approx((2 + 4 + 6 + 8 + 10) / 5)


def test_rate_warms_up_and_falls_to_nothing():
    rates = [_rate(step, 100, small_recipe()) for step in range(101)]
    assert rates[:10] == sorted(rates[:10])
    assert max(rates) == 1.0
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[100] == 0


@pytest.mark.parametrize("norm", [0.5, 0.989, 0.9999999, 1.0, 3.0, float("nan")])
def test_gradients_are_clipped_as_torch_clips_them(norm):
    ours, theirs = ([nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(2, 2))] for _ in range(2))
    for pair in zip(ours, theirs, strict=True):
        grad = torch.rand_like(pair[0])
        for one in pair:
            one.grad = grad.clone()
    whole = nn.utils.get_total_norm([one.grad for one in ours])
    for one in (*ours, *theirs):
        one.grad *= norm / whole
    _clip(ours, 1.0, torch.device("cpu"))
    nn.utils.clip_grad_norm_(theirs, 1.0)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=0, atol=0, equal_nan=True)


def test_progress_is_told_every_update(source_model, sentences):
    seen = []
    data = prepare(source_model, sentences[:4])
    resolved = settings(source_model, QUICK, 4, 4)
    fit(source_model, data, None, resolved, 0, CPU, lambda p: seen.append((p.done, p.total)))
    assert seen == [(update, 6) for update in range(1, 7)]


def test_batches_hold_every_row_once_and_similar_sizes():
    rng = random.Random(0)
    sizes = [rng.randint(1, 100) for _ in range(403)]
    batches = bucketed(rng.sample(range(403), 403), sizes, 16, rng)
    assert sorted(row for batch in batches for row in batch) == list(range(403))
    padded = sum(max(sizes[row] for row in batch) * len(batch) for batch in batches)
    assert padded < 1.15 * sum(sizes)


@pytest.mark.parametrize(
    ("k", "encoder", "swaps", "updates", "frozen"),
    [
        (10, "base", 0, 300, 4),
        (50, "base", 2, 500, 0),
        (400, "base", 0, 1000, None),
        (400, "new", 0, 400, 0),
        (10, "new", 2, 100, 0),
        (100, "new", 2, 400, 0),
    ],
)
def test_defaults_follow_k_encoder_and_swaps(k, encoder, swaps, updates, frozen):
    recipe = presets.adaptation(tasks.get("dep"), encoder, "freeze-0" if encoder == "new" else "full", swaps=swaps)
    resolved = recipe.resolve(k, k, depth=12)
    assert (resolved.updates, resolved.frozen) == (updates, frozen)


def test_one_value_given_holds_for_all_sizes_and_unknown_settings_are_named():
    recipe = small_recipe(encoder="base", updates=7, frozen=2)
    assert [(s.updates, s.frozen) for s in (recipe.resolve(k, k, 12) for k in (5, 50, 500))] == [(7, 2)] * 3
    assert small_recipe(method="lauscher2020", encoder_lr=1e-5).head_lr == 1e-5
    with pytest.raises(FewshotError, match="unknown setting of a training 'update': did you mean updates"):
        small_recipe(update=7)


def test_epochs_count_passes_over_the_shots():
    ner = presets.adaptation(tasks.get("ner"), "new")
    assert [ner.resolve(k, k, 12).updates for k in (10, 100)] == [30, 210]
    recipe = small_recipe(encoder="base", epochs=50, batch=128)
    assert [recipe.resolve(k, k, 12).updates for k in (100, 500)] == [50, 200]


@pytest.mark.parametrize(
    ("given", "task", "encoder", "decided"),
    [
        ({}, "pos", "new", ("joint", 5e-4, None, 100)),
        ({}, "ner+crf", "new", ("sequential", 3e-4, None, 30)),
        ({}, "dep+tags", "new", ("sequential", 1e-3, None, 100)),
        ({}, "nli", "new", ("joint", 5e-4, 0, 100)),
        ({}, "dep", "base", ("joint", 2e-5, 4, 300)),
        ({}, "ner", "base", ("joint", 2e-5, 4, 300)),
        ({"regime": "joint"}, "dep", "new", ("joint", 1e-3, None, 100)),
        ({"method": "freeze-1", "encoder_lr": 1e-4}, "ner", "new", ("sequential", 1e-4, 1, 30)),
        ({"updates": 50}, "ner", "new", ("sequential", 3e-4, None, 50)),
        ({"epochs": 2}, "ner", "new", ("sequential", 3e-4, None, 2)),
        ({"method": "lora"}, "ner", "new", ("sequential", 3e-4, 0, 150)),
        ({"method": "feature-based"}, "ner", "new", ("sequential", 5e-4, 12, 100)),
        ({"method": "lora"}, "dep", "new", ("sequential", 3e-4, 0, 150)),
        ({"method": "freeze-0"}, "pos", "new", ("joint", 5e-4, 0, 100)),
        ({"regime": "sequential"}, "pos", "base", ("sequential", 2e-5, 4, 300)),
        ({}, "pos", "small", ("sequential", 1e-4, 0, 100)),
        ({}, "dep+upos", "small", ("sequential", 3e-4, 0, 100)),
        ({}, "ner", "small", ("sequential", 2e-5, 0, 100)),
        ({}, "nli", "small", ("sequential", 1e-5, 0, 10)),
        ({"labels_known": False}, "nli", "small", ("sequential", 1e-4, 0, 100)),
        ({"labels_known": False}, "dep", "small", ("sequential", 3e-4, 0, 100)),
        ({"method": "lora"}, "nli", "small", ("sequential", 3e-4, 0, 150)),
    ],
)
def test_what_a_recipe_leaves_open_is_decided_by_task_and_encoder(given, task, encoder, decided):
    settled = presets.adaptation(tasks.get(task), encoder, **given).resolve(10, 10, depth=12)
    assert (settled.recipe.regime, settled.recipe.encoder_lr, settled.frozen, settled.updates) == decided


@pytest.mark.parametrize(
    ("task", "k", "encoder", "batch", "updates", "rate"),
    [
        ("pos", 100, "base", 128, 50, 5e-5),
        ("dep+upos", 200, "base", 128, 100, 5e-5),
        ("ner", 10, "base", 128, 10, 5e-5),
        ("ner", 10, "new", 128, 10, 3e-4),
        ("nli", 64, "base", 32, 6, 5e-5),
        ("qa", 24, "base", 12, 6, 5e-5),
    ],
)
def test_the_recipe_of_the_paper(task, k, encoder, batch, updates, rate):
    recipe = presets.adaptation(tasks.get(task), encoder, "lauscher2020")
    settled = recipe.resolve(k, k, depth=12)
    assert (settled.updates, settled.frozen, recipe.batch, recipe.regime) == (updates, None, batch, "sequential")
    assert (recipe.encoder_lr, recipe.head_lr, recipe.average, recipe.weight_decay) == (rate, rate, 1, 0)
    fewer = presets.adaptation(tasks.get(task), encoder, "lauscher2020", updates=3)
    assert fewer.resolve(k, k, depth=12).updates == 3


def test_the_recipe_of_the_paper_takes_other_epochs_and_no_other_regime():
    own = small_recipe(encoder="base", method="lauscher2020", epochs=2)
    assert own.resolve(200, 200, depth=12).updates == 4
    with pytest.raises(FewshotError, match="lauscher2020 is sequential"):
        small_recipe(method="lauscher2020", regime="joint")


@pytest.mark.parametrize(
    ("given", "task", "encoder", "swaps"),
    [
        ({}, "dep", "new", 2.0),
        ({"method": "freeze-0"}, "dep+tags", "new", 2.0),
        ({"swaps": 0}, "dep", "new", 0),
        ({"swaps": 1}, "dep", "base", 1),
        ({}, "dep", "base", 0),
        ({}, "pos", "new", 0),
        ({"method": "lora"}, "dep", "new", 0),
        ({"method": "lauscher2020"}, "dep", "new", 0),
    ],
)
def test_trees_of_a_new_encoder_are_recombined(given, task, encoder, swaps):
    assert presets.adaptation(tasks.get(task), encoder, **given).swaps == swaps


@pytest.mark.parametrize(
    ("given", "task", "balanced"),
    [
        ({}, "ner", True),
        ({"balanced": False}, "ner", False),
        ({"method": "freeze-0"}, "ner", True),
        ({"method": "lora"}, "ner", False),
        ({"method": "lauscher2020"}, "ner", False),
        ({}, "ner+crf", False),
        ({}, "pos", False),
    ],
)
def test_words_outside_of_names_are_balanced_against_those_inside(given, task, balanced):
    assert presets.adaptation(tasks.get(task), "new", **given).balanced == balanced


def test_sentences_without_a_name_teach_a_balanced_model_nothing(encoder, sentences):
    plain = replace(QUICK, regime="sequential", updates=(6,) * 3, head_lr=0.05, weight_decay=0.0)
    named = [one.annotated(entities=("B-PER", *["O"] * (one.length - 1))) for one in sentences[:8]]
    nameless = [one.annotated(entities=("O",) * one.length) for one in sentences[8:16]]
    source = train_source(tasks.get("ner"), encoder, named, replace(plain, balanced=False), 0, CPU)
    assert same(weights(adapt(source, nameless, replace(plain, balanced=True), 0, CPU)), weights(source))
    assert not same(weights(adapt(source, nameless, replace(plain, balanced=False), 0, CPU)), weights(source))


def test_target_and_source_are_balanced_each_by_its_own_labels(encoder, sentences, monkeypatch):
    plain = replace(QUICK, regime="joint", updates=(1,) * 3, balanced=True)
    named = [one.annotated(entities=("B-PER", *["O"] * (one.length - 1))) for one in sentences[:4]]
    nameless = [one.annotated(entities=("O",) * one.length) for one in sentences[8:12]]
    source = train_source(tasks.get("ner"), encoder, named, replace(plain, regime="sequential"), 0, CPU)
    seen, loss = [], type(source.head).loss
    monkeypatch.setattr(type(source.head), "loss", lambda head, *given: seen.append(head.weights) or loss(head, *given))
    adapt(source, nameless, plain, 0, CPU, prepare(source, named))
    words = sum(one.length for one in named)
    assert {one[0].item() for one in seen[:1]} == {0.0}
    assert seen[-1][0].item() * (words - 4) == pytest.approx(seen[-1][1].item() * 4) == pytest.approx(words / 2)


def test_balance_is_of_one_training_alone(encoder, sentences):
    plain = replace(QUICK, regime="sequential", updates=(3,) * 3)
    shots = [one.annotated(entities=("B-PER", *["O"] * (one.length - 1))) for one in sentences[:8]]
    source = train_source(tasks.get("ner"), encoder, shots, replace(plain, balanced=False), 0, CPU)
    once = adapt(source, shots, replace(plain, balanced=True), 0, CPU)
    assert once.head.weights is None
    assert not same(weights(once), weights(adapt(source, shots, replace(plain, balanced=False), 0, CPU)))


def test_what_has_no_background_is_not_balanced():
    with pytest.raises(FewshotError, match="task pos has no label to balance against others; leave balanced out"):
        small_recipe(balanced=True)


def test_recombined_trees_are_what_is_learned(encoder, sentences, monkeypatch):
    plain = replace(QUICK, regime="sequential", updates=(2,) * 3, swapped_updates=(2,) * 3, batch=4)
    source = train_source(tasks.get("dep"), encoder, sentences[:8], plain, 0, CPU)
    shots, made, asked = sentences[8:14], sentences[14:22], []
    monkeypatch.setattr(type(source.task), "recombined", lambda *given: asked.append(given[1:]) or made)
    swapping = adapt(source, shots, replace(plain, swaps=3.0), 5, CPU)
    assert asked == [(shots, 8, 3.0, 5)]
    assert same(weights(swapping), weights(adapt(source, made, replace(plain, swaps=0), 5, CPU)))


def test_tags_that_are_missing_from_a_made_tree_are_no_fault(encoder):
    def tree(name, upos):
        return Sentence(name, "", (f"{name}1", f"{name}2", f"{name}3"), upos, (2, 0, 2), ("nsubj", "root", "obj"))

    pair = [tree("a", ("_", "NOUN", "_")), tree("b", ("_", "_", "VERB"))]
    deeper = Sentence("c", "", ("c1", "c2", "c3"), ("NOUN", "_", "_"), (2, 3, 0), ("det", "obj", "root"))
    plain = replace(QUICK, regime="sequential", updates=(8,) * 3)
    for name in ("dep+tags", "dep+upos"):
        source = train_source(tasks.get(name), encoder, pair, plain, 0, CPU)
        adapt(source, [*pair, deeper], replace(plain, swaps=2.0), 0, CPU)


def test_tasks_without_parts_swap_none():
    with pytest.raises(FewshotError, match="task pos has no parts to swap; leave swaps out"):
        small_recipe(swaps=1.0)


def test_a_source_model_is_not_trained_as_few_shots_are():
    with pytest.raises(FewshotError, match="train the source model with full"):
        presets.source(tasks.get("pos"), 768, "lauscher2020")


def test_trees_of_a_small_encoder_need_no_source_sentences_and_the_card_says_so(encoder, sentences):
    source = train_source(tasks.get("dep"), encoder, sentences[:8], replace(QUICK, regime="sequential"), 0, CPU)
    card = adapt(source, sentences[8:11], small_recipe("dep", updates=6), 0, CPU).provenance
    assert card["recipe"]["regime"] == "sequential"


@pytest.mark.parametrize(
    "bad",
    [
        {"method": "magic"},
        {"method": "freeze-"},
        {"regime": "both"},
        {"updates": 0},
        {"updates": None},
        {"swaps": -1},
        {"method": "lauscher2020", "balanced": True},
    ],
)
def test_recipes_that_make_no_sense(bad):
    with pytest.raises(FewshotError):
        small_recipe(**bad)


@pytest.mark.parametrize("name", ["nonsense", "meta", "hpu", "vulkan"])
def test_device_that_is_not_here(name):
    with pytest.raises(FewshotError, match=f"device '{name}' cannot be used"):
        find_device(name)
