"""Encoders whose layers share their weights, and those that come with a decoder: the whole way with each."""

import pickle
from copy import deepcopy

import pytest
import torch
from encoders.kinds import KINDS, save, startless, unigram
from making import examples, small_recipe
from transformers import BartConfig, BartModel

from fewshot import tasks
from fewshot.encoders import freezing
from fewshot.encoders.load import ATTENTION_DROPOUT, load_encoder
from fewshot.encoders.vectors import Batch, all_layers
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.shrinking.shrink import Shape, cut
from fewshot.training.adapt import adapt, train_source
from fewshot.training.model import load_model

CPU = torch.device("cpu")
METHODS = [
    *(("DistilBert", "full"), ("DistilBert", "lora"), ("Albert", "freeze-1"), ("Albert", "freeze-none")),
    *(("Albert", "feature-based"), ("T5", "freeze-0"), ("T5", "lora"), ("MT5", "full"), ("MT5", "freeze-1")),
]


@pytest.fixture(scope="module", params=[kind for kind in KINDS if kind not in ("Bert", "XLMRoberta")])
def encoder(request, tmp_path_factory):
    tokenizer = startless if "T5" in request.param else unigram
    return load_encoder(str(save(tmp_path_factory.mktemp(request.param), request.param, tokenizer)))


def recipe(method, **changes):
    return small_recipe(method=method, regime="sequential", updates=4, batch=4, average=2, **changes)


def shares(encoder):
    return "Albert" in type(encoder.module).__name__


@pytest.mark.parametrize(("encoder", "method"), METHODS, indirect=["encoder"])
def test_every_method_trains_saves_and_predicts(encoder, method, tmp_path):
    gold = examples("sentences", 12, seed=1)
    if method == "freeze-1" and shares(encoder):
        with pytest.raises(FewshotError, match="the layers of an AlbertModel share their weights"):
            train_source(tasks.get("pos"), encoder, gold, recipe(method), 0, CPU)
        with pytest.raises(FewshotError, match="share their weights"):
            cut(encoder, Shape(layers=2))
        return
    source = train_source(tasks.get("pos"), encoder, gold[:8], recipe(method), 0, CPU)
    adapted = adapt(source, gold[8:], recipe(method), 0, CPU)
    adapted.save(tmp_path)
    loaded = load_model(tmp_path, encoder)
    assert 0 <= evaluate(loaded, gold).score <= 100
    one, same = adapted.state_dict(), loaded.state_dict()
    assert all(torch.allclose(one[name], same[name], rtol=2**-10, atol=2**-24) for name in one)
    ids = torch.tensor([encoder.tokenizer(gold[8].text)["input_ids"]])
    with torch.no_grad():
        theirs, ours = (model.module(input_ids=ids).last_hidden_state for model in (adapted, loaded))
    assert torch.allclose(ours, theirs, rtol=0.02, atol=0.02)
    moved = {
        name for name, before in encoder.module.state_dict().items() if not torch.equal(before, one[f"module.{name}"])
    }
    assert bool(moved) == (method != "feature-based")


@pytest.mark.parametrize(
    ("encoder", "task"), [("DistilBert", "qa"), ("Albert", "dep"), ("T5", "nli"), ("MT5", "qa")], indirect=["encoder"]
)
def test_every_input_is_read(encoder, task):
    asked = tasks.get(task)
    gold = examples(asked.example.kind, 8, seed=1)
    model = train_source(asked.fitted(gold), encoder, gold, recipe("freeze-none"), 0, CPU)
    assert 0 <= evaluate(model, gold).score <= 100


@pytest.mark.parametrize("encoder", ["DistilBert", "Albert"], indirect=True)
def test_weights_of_attention_are_not_dropped(encoder):
    config = encoder.module.config
    assert [getattr(config, name) for name in ATTENTION_DROPOUT if hasattr(config, name)] == [0.0]
    for name, part in encoder.module.named_modules():
        if name.endswith(("self.dropout", "attention.dropout", "attention_dropout")):
            assert part.p == 0, name


def test_all_layers_are_those_of_transformers_without_a_decoder_and_can_be_asked_for_elsewhere(encoder):
    assert not any("decoder" in name for name in encoder.module.state_dict())
    pieces = torch.tensor([encoder.tokenizer("old house")["input_ids"]])
    nothing = torch.zeros_like(pieces)
    batch = Batch(pieces, nothing, torch.ones_like(pieces), nothing.flatten(), nothing, nothing)
    states = deepcopy(encoder.module)(pieces, output_hidden_states=True)
    assert states.last_hidden_state.shape == (*pieces.shape, encoder.hidden)
    ours = all_layers(encoder.module, batch)
    elsewhere = all_layers(pickle.loads(pickle.dumps(encoder.module)), batch)
    assert len(states.hidden_states) == len(ours) == freezing.depth(encoder.module) + 1
    for one, *others in zip(states.hidden_states, ours, elsewhere, strict=True):
        assert all(torch.equal(one, other) for other in others)


def test_other_encoder_decoders_are_refused(tmp_path):
    shape = {"vocab_size": 50, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1}
    shape |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
    BartModel(BartConfig(**shape)).save_pretrained(tmp_path)
    unigram().save_pretrained(tmp_path)
    with pytest.raises(FewshotError, match="cannot load the encoder of a bart model without its decoder"):
        load_encoder(str(tmp_path))
