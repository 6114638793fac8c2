import copy
import random
from dataclasses import replace

import pytest
import torch
from making import examples_of, small_recipe
from torch import nn

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.encoders import folder, freezing, vocabulary
from fewshot.encoders.load import load_encoder
from fewshot.encoders.readout import LayerMix
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate, source_share
from fewshot.training.adapt import adapt, resolve_device, settings, train_source
from fewshot.training.batching import prepare
from fewshot.training.fit import fit
from fewshot.training.model import build_model, load_model

CPU = torch.device("cpu")
QUICK = small_recipe(regime="joint", updates=6, batch=4, average=3)
EMBEDDINGS = "embeddings.word_embeddings.weight"


def weights(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def alike(loaded, trained):
    """Return whether two models are equal up to the half precision of the disk."""
    return all(torch.allclose(loaded[name], trained[name], rtol=2**-10, atol=2**-24) for name in trained)


@pytest.fixture(scope="module")
def source_data(source_model, sentences):
    return prepare(source_model, sentences[:30])


def test_a_share_of_the_source_model_is_kept_in_every_trained_weight_the_better_it_is_on_the_shots(
    source_model, sentences
):
    shots, recipe = sentences[30:40], replace(QUICK, regime="sequential", kept=(0.5, 0.0, 0.0))
    share = source_share(source_model, shots, recipe)
    assert share == pytest.approx(0.5 * (evaluate(source_model, shots).score / 100) ** 3)
    assert share > 0
    assert source_share(source_model, shots * 2, recipe) == source_share(source_model, [], recipe) == 0
    before, adapted = weights(source_model), weights(adapt(source_model, shots, recipe, 0, CPU))
    mean = adapt(source_model, shots, recipe, 0, CPU, kept=share)
    assert all(
        torch.allclose(kept, adapted[name].lerp(before[name], share), atol=1e-6)
        for name, kept in weights(mean).items()
        if kept.is_floating_point() and not name.endswith(EMBEDDINGS)
    )
    assert mean.provenance["recipe"]["kept"] == round(share, 3)


@pytest.mark.parametrize("recipe", [QUICK, replace(QUICK, method="lora", regime="sequential")], ids=["joint", "lora"])
def test_a_training_depends_on_its_inputs_and_seed_alone(source_model, sentences, source_data, recipe):
    before = weights(source_model)
    random.seed(1)
    first = adapt(source_model, sentences[30:40], recipe, 0, CPU, source_data)
    torch.rand(7)
    random.random()
    state = torch.random.get_rng_state()
    again = adapt(source_model, sentences[30:40], recipe, 0, CPU, source_data)
    assert torch.equal(torch.random.get_rng_state(), state)
    other = adapt(source_model, sentences[30:40], recipe, 1, CPU, source_data)
    assert same(weights(first), weights(again))
    assert not same(weights(first), weights(other))
    assert same(before, weights(source_model))


@pytest.mark.parametrize("regime", ["joint", "sequential"])
def test_the_loss_is_the_mean_of_the_losses_by_their_weights(source_model, sentences, source_data, regime):
    recipe = replace(QUICK, regime=regime, dropout=0.0, updates=(1,) * 3, average=1)
    shots, silver = sentences[30:34], sentences[34:38]
    source = replace(source_data, pieces=source_data.pieces[:4], targets=source_data.targets[:4], corpora=(4,))
    model = source_model.copy()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0

    def loss(part):
        seen = []
        fit(model, part, None, settings(model, recipe, 4, 4), 0, CPU, lambda now: seen.append(float(now.loss)))
        return seen[0]

    seen = []
    adapt(model, shots, recipe, 0, CPU, source, lambda now: seen.append(float(now.loss)), silver)
    parts = [(prepare(model, shots), 1.0), (prepare(model, silver), 0.3)] + [(source, 1.0)] * (regime == "joint")
    expected = sum(weight * loss(part) for part, weight in parts) / sum(weight for _, weight in parts)
    assert seen == [pytest.approx(expected, rel=1e-4)]


@pytest.mark.parametrize("regime", ["joint", "sequential"])
def test_source_sentences_change_a_joint_training_only_and_every_update_is_reported(source_model, sentences, regime):
    recipe, seen = replace(QUICK, regime=regime, updates=(2,) * 3), []
    one, other = (
        weights(adapt(source_model, sentences[30:40], recipe, 0, CPU, prepare(source_model, data), seen.append))
        for data in (sentences[:10], sentences[10:20])
    )
    assert same(one, other) == (regime == "sequential")
    assert [(now.done, now.total) for now in seen] == [(1, 2), (2, 2)] * 2
    assert same(weights(adapt(source_model, [], recipe, 0, CPU)), weights(source_model))


def test_trainings_that_cannot_be_done_are_refused(source_model, sentences):
    sequential, blank = replace(QUICK, regime="sequential"), [one.unannotated() for one in sentences[:3]]
    features = small_recipe(method="feature-based", regime="sequential")
    for shots, recipe, message in (
        (sentences[:3], QUICK, "joint regime needs source-language examples"),
        (blank, sequential, "no pos annotation here"),
        (sentences[:3], features, "train one with fewshot source --method feature-based"),
    ):
        with pytest.raises(FewshotError, match=message):
            adapt(source_model, shots, recipe, 0, CPU)
    for examples, message in ((blank, "no pos annotation here"), ([], "no example to score")):
        with pytest.raises(FewshotError, match=message):
            evaluate(source_model, examples)


MOVING = {"full": {0, 1, 2}, "freeze-0": {1, 2}, "freeze-1": {2}, "freeze-2": set(), "lora": {1, 2}}


@pytest.mark.parametrize(("method", "moving"), [*MOVING.items(), ("feature-based", set())])
def test_each_method_moves_its_parts_and_saves_them(trained, encoder, method, moving, tmp_path):
    source = trained.source("pos", "feature-based" if method == "feature-based" else "freeze-0")
    adapted = trained.adapted("pos", method)
    old, new_ = ([model.module.embeddings, *freezing.layers(model.module)] for model in (source, adapted))
    assert {place for place in range(3) if not same(weights(old[place]), weights(new_[place]))} == moving
    assert not same(weights(source.head), weights(adapted.head))
    assert same(weights(source.readout), weights(adapted.readout)) == (method != "feature-based")
    before = weights(source.module)
    moved = {name for name, now in weights(adapted.module).items() if not torch.equal(before[name], now)}
    assert moved - {EMBEDDINGS} <= adapted.trained
    assert method != "lora" or all(name.endswith("weight") for name in moved)
    adapted.save(tmp_path)
    assert same(weights(load_model(tmp_path, encoder)), weights(adapted))


def test_training_the_pieces_that_occur_equals_training_all(source_model, sentences, source_data, monkeypatch):
    recipe = replace(QUICK, method="freeze-none", weight_decay=0.0)
    some = adapt(source_model, sentences[30:33], recipe, 0, CPU, source_data)
    none, nothing = torch.empty(0, dtype=torch.long), torch.empty(0, source_model.encoder.hidden)
    monkeypatch.setattr(vocabulary, "narrow", lambda module, ids: vocabulary.replace_rows(module, none, nothing))
    every = adapt(source_model, sentences[30:33], recipe, 0, CPU, source_data)
    assert same(weights(some), weights(every))
    assert every.trained - some.trained == {EMBEDDINGS}
    assert not same(weights(some.module.embeddings), weights(source_model.module.embeddings))


@pytest.mark.parametrize("method", ["freeze-none", "freeze-0", "lora"])
@pytest.mark.parametrize("in_bf16", [False, True])
def test_a_packed_table_is_trained_and_saved_as_a_plain_one(encoder, sentences, tmp_path, monkeypatch, method, in_bf16):
    monkeypatch.setattr("fewshot.encoders.precision.has_bf16", lambda device: in_bf16)
    folder.save(replace(encoder, module=copy.deepcopy(encoder.module)), tmp_path / "packed", 8, 4)
    packed, plain = (load_encoder(str(tmp_path / "packed")) for _ in range(2))
    vocabulary.unpack(plain.module)
    recipe = small_recipe(method=method, regime="sequential", updates=3, batch=4)
    adapted = [train_source(tasks.get("pos"), each, sentences[:8], recipe, 0, CPU) for each in (packed, plain)]
    assert same(*map(weights, adapted))
    assert type(packed.module.get_input_embeddings()) is vocabulary.PackedEmbedding
    assert adapted[0].trained == adapted[1].trained and torch.equal(adapted[0].pieces, adapted[1].pieces)
    is_packed = type(adapted[0].module.get_input_embeddings()) is vocabulary.PackedEmbedding
    assert is_packed == (method != "freeze-none")
    adapted[0].save(tmp_path / "model")
    assert alike(weights(load_model(tmp_path / "model", packed)), weights(adapted[1]))


def test_the_table_is_held_once_never_changed_in_place_and_trained_where_its_pieces_occur(source_model, sentences):
    table, shots = vocabulary.table(source_model.module), sentences[30:31]
    before = table.clone()
    kept = small_recipe(method="freeze-0", regime="sequential", updates=2)
    for held in (source_model.copy(), adapt(source_model, shots, kept, 0, CPU)):
        assert vocabulary.table(held.module).data_ptr() == table.data_ptr()
    adapted = adapt(source_model, shots, replace(QUICK, method="freeze-none", regime="sequential"), 0, CPU)
    assert torch.equal(table, before) and table.requires_grad
    moved = set((vocabulary.table(adapted.module) != before).any(dim=1).nonzero().flatten().tolist())
    windows = (window for each in source_model.encode(shots) for pieces in each for window in pieces.windows)
    assert set() < moved <= set().union(*(window.ids for window in windows)) <= set(adapted.pieces.tolist())


def test_feature_based_training_moves_every_weight_of_readout_and_head_and_has_no_dropout_in_the_encoder(
    trained, encoder, sentences, monkeypatch
):
    model = trained.source("pos", "feature-based")
    untrained = build_model(model.task, encoder, 0, 0.1, model.readout.name)
    assert same(weights(model.module), weights(encoder.module))
    for part in ("readout", "head"):
        before, after = (weights(getattr(one, part)) for one in (untrained, model))
        assert not any(torch.equal(before[name], after[name]) for name in before)
    modes, forward = [], LayerMix.forward
    monkeypatch.setattr(LayerMix, "forward", lambda s, m, b: modes.append((s.training, m.training)) or forward(s, m, b))
    for method in ("feature-based", "full"):
        adapted = adapt(model, sentences[:3], small_recipe(method=method, regime="sequential", updates=1), 0, CPU)
        assert adapted.readout.name == model.readout.name
        assert not same(weights(adapted.readout), weights(model.readout))
    assert list(dict.fromkeys(modes)) == [(True, False), (True, True)]


def tagged(sentences, first="O"):
    """Return the sentences with one entity at most, which is their first word."""
    return [one.annotated(entities=(first, *["O"] * (one.length - 1))) for one in sentences]


def test_sentences_without_a_name_teach_a_balanced_model_nothing(trained, sentences):
    source = trained.source("ner")
    plain = replace(QUICK, regime="sequential", updates=(3,) * 3, head_lr=0.05, weight_decay=0.0)
    balanced = adapt(source, tagged(sentences[8:16]), replace(plain, balanced=True), 0, CPU)
    assert same(weights(balanced), weights(source))
    assert balanced.head.weights is None  # the balance is of one training alone
    assert not same(weights(adapt(source, tagged(sentences[8:16]), plain, 0, CPU)), weights(source))


def test_target_and_source_are_balanced_each_by_its_own_labels(trained, sentences, monkeypatch):
    source, given = trained.source("ner"), tagged(sentences[:4], "B-LOC")
    seen, loss = [], type(source.head).loss
    monkeypatch.setattr(type(source.head), "loss", lambda head, *given: seen.append(head.weights) or loss(head, *given))
    recipe = replace(QUICK, regime="joint", updates=(1,) * 3, balanced=True)
    adapt(source, tagged(sentences[8:12]), recipe, 0, CPU, prepare(source, given))
    words, place = sum(one.length for one in given), source.task.labels.index("B-LOC")
    assert seen[0][0].item() == 0.0
    assert seen[-1][0].item() * (words - 4) == pytest.approx(seen[-1][place].item() * 4) == pytest.approx(words / 2)


def test_recombined_trees_are_what_is_learned(trained, sentences, monkeypatch):
    plain = replace(QUICK, regime="sequential", updates=(2,) * 3, swapped_updates=(2,) * 3, batch=4)
    source, shots, made, asked = trained.source("dep"), sentences[8:14], sentences[14:22], []
    monkeypatch.setattr(type(source.task), "recombine", lambda *given: asked.append(given[1:]) or made)
    swapping = adapt(source, shots, replace(plain, swaps=3.0), 5, CPU)
    assert asked == [(shots, 8, 3.0, 5)]
    assert same(weights(swapping), weights(adapt(source, made, replace(plain, swaps=0), 5, CPU)))


def test_tags_that_are_missing_from_a_recombined_tree_are_no_fault(trained):
    def tree(name, upos):
        return Sentence(name, "", (f"{name}1", f"{name}2", f"{name}3"), upos, (2, 0, 2), ("nsubj", "root", "obj"))

    pair = [tree("a", ("_", "NOUN", "_")), tree("b", ("_", "_", "VERB"))]
    deeper = Sentence("c", "", ("c1", "c2", "c3"), ("NOUN", "_", "_"), (2, 3, 0), ("det", "obj", "root"))
    recipe = replace(QUICK, regime="sequential", updates=(8,) * 3, swaps=2.0)
    adapt(trained.source("dep+upos"), [*pair, deeper], recipe, 0, CPU)


def test_examples_of_one_label_train_no_model(encoder):
    topic = tasks.get("topic")
    sports = [one for one in examples_of(topic, 20, seed=1) if one.label == "sports"]
    with pytest.raises(FewshotError, match="every example has the label 'sports'; add examples"):
        train_source(topic.fitted(sports), encoder, sports, QUICK, 0, CPU)


@pytest.mark.parametrize("name", ["nonsense", "meta", "hpu", "vulkan"])
def test_a_device_that_the_machine_lacks_is_refused(name):
    with pytest.raises(FewshotError, match=f"device '{name}' cannot be used"):
        resolve_device(name)
