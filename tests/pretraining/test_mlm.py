import math

import pytest
import torch
from pretraining.making import pairs, small
from transformers import BertConfig, BertModel

from fewshot.checkpoint import Checkpointer
from fewshot.pretraining import heldout, masking, mlm, texts, tokenizer
from fewshot.pretraining.batches import encode
from fewshot.pretraining.texts import UNKNOWN

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def pieces():
    return tokenizer.train([text for row in pairs(400) for text in row.values()], 80)


def encoder(pieces):
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    return BertModel(BertConfig(vocab_size=len(pieces), **shape), add_pooling_layer=False)


def hidden(pieces, inputs, device=CPU):
    (batch,) = encode(pieces, inputs, small(batch=len(inputs)))
    torch.manual_seed(0)
    return masking.mask_batch(batch, torch.ones(len(pieces)), pieces, device)


def test_sentences_that_follow_each_other_train_the_head_for_them(pieces, tmp_path):
    following, begun = texts._following(["old house", "water sings"] * 20, seed=0), encoder(pieces)
    settings = small(updates=4, nsp=True, pair_share=0.0)
    where = {"device": CPU, "checkpointer": Checkpointer(tmp_path, ""), "report": str, "warn": str}
    model, _ = mlm.train(begun, pieces, ["old"], [], following, config=settings, **where)
    torch.manual_seed(settings.seed)
    untrained = mlm.MaskedLM(begun, nsp=True)
    assert (model.follows.weight - untrained.follows.weight).abs().max() > settings.lr / 10


@torch.no_grad()
def test_loss_of_next_sentences_is_added_where_there_are_pairs(pieces):
    model = mlm.MaskedLM(encoder(pieces), nsp=True).eval()
    plain = mlm.MaskedLM(model.encoder).eval()
    plain.load_state_dict(model.state_dict(), strict=False)
    translations = hidden(pieces, [("old tree", "vanha puu", texts.UNKNOWN)])
    assert torch.equal(model(translations), plain(translations))
    mixed = hidden(pieces, [("old", "tree", 1), ("old", "house", 0), ("old", "water", texts.UNKNOWN)])
    states = model.encoder(mixed.ids, mixed.attention, mixed.types).last_hidden_state
    logs = model.follows(states[:, 0]).log_softmax(-1)
    expected = -sum(float(logs[row, label]) for row, label in enumerate(mixed.follows) if label >= 0) / 2
    assert (model(mixed) - plain(mixed)).item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("second", ["sings", None])
def test_a_step_needs_no_number_from_the_device(pieces, second):
    meta = torch.device("meta")  # holds shapes only: whoever asks it for a value fails
    model = mlm.MaskedLM(encoder(pieces), nsp=True).to(meta).train()
    inputs = hidden(pieces, [("old tree", second, 1), ("water", second, 0)] * 20, meta)
    assert len(inputs.gold) and inputs.attention is not None
    model(inputs).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def test_operations_of_a_piece(pieces):
    model = mlm.MaskedLM(encoder(pieces))
    layers = 4 * (16 * 16 + 16) + 2 * 16 * 32 + 32 + 16 + 4 * 16
    transform, embeddings = 16 * 16 + 16 + 2 * 16, len(pieces) * 16
    assert model.flops(train_embeddings=True) == pytest.approx(6 * (layers + 0.15 * (transform + embeddings)))
    frozen = 6 * (layers + 0.15 * transform) + 4 * 0.15 * embeddings
    assert model.flops(train_embeddings=False) == pytest.approx(frozen)


def test_held_out_score_of_a_model_that_knows_nothing(pieces):
    model = mlm.MaskedLM(encoder(pieces)).eval()
    torch.nn.init.zeros_(model.output.transform[2].weight)
    held = {"fi": [row["fi"] for row in pairs(50)], "en": [row["en"] for row in pairs(9)], "sv": []}
    scores = heldout.score(model, pieces, held, small(), CPU)
    assert list(scores) == ["en", "fi", "mean"]
    assert scores["fi"].sentences == 50
    assert all(score.perplexity == pytest.approx(len(pieces), rel=1e-4) for score in scores.values())


def test_held_out_scores_repeat_and_weigh_languages_alike(pieces):
    model = mlm.MaskedLM(encoder(pieces)).eval()
    with torch.no_grad():
        model.output.bias[pieces.convert_tokens_to_ids(["house", "tree", "water", "old"])] += 2
    held = {lang: [row[lang] for row in pairs(count)] for lang, count in (("en", 60), ("fi", 20))}
    torch.manual_seed(1)
    before = torch.get_rng_state()
    scores = heldout.score(model, pieces, held, small(), CPU)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert heldout.score(model, pieces, held, small(), CPU) == scores
    english, finnish = scores["en"].cross_entropy, scores["fi"].cross_entropy
    assert english < finnish - 0.5
    assert scores["mean"].cross_entropy == pytest.approx((english + finnish) / 2)
    assert scores["mean"].sentences == 80
    assert math.log(scores["en"].perplexity) == pytest.approx(english)


def test_masking_shares():
    ids = torch.randint(5, 1000, (400, 100), generator=torch.Generator().manual_seed(0))
    maskable = torch.ones_like(ids, dtype=torch.bool)
    maskable[:, 0] = False
    torch.manual_seed(1)
    hidden, chosen = masking.mask(ids, maskable, torch.ones(1000), 4, torch.arange(5, 1000))
    assert not chosen[:, 0].any()
    assert torch.equal(hidden[~chosen], ids[~chosen])
    assert chosen[:, 1:].float().mean() == pytest.approx(0.15, abs=0.01)
    assert (hidden[chosen] == 4).float().mean() == pytest.approx(0.8, abs=0.02)
    assert (hidden[chosen] == ids[chosen]).float().mean() == pytest.approx(0.1, abs=0.02)
    assert hidden.min() >= 4


def test_rare_pieces_are_masked_more_often_and_as_many_in_all():
    ids = torch.tensor([[5] * 90 + [6] * 10] * 300)
    weights = masking.rarity(torch.tensor([0, 0, 0, 0, 0, 900, 100]), 0.5)
    torch.manual_seed(0)
    _, chosen = masking.mask(ids, torch.ones_like(ids, dtype=torch.bool), weights, 4, torch.arange(5, 7))
    frequent, rare = chosen[ids == 5].float().mean(), chosen[ids == 6].float().mean()
    assert rare / frequent == pytest.approx(3, rel=0.15)
    assert chosen.float().mean() == pytest.approx(0.15, abs=0.01)


def test_hidden_batch_is_the_masked_one():
    pieces = tokenizer.train([row["en"] for row in pairs(200)], 60)
    inputs = [("old tree sings", None, UNKNOWN), ("house", None, UNKNOWN)] * 10
    (batch,) = encode(pieces, inputs, small(batch=20))
    weights = torch.ones(len(pieces))
    torch.manual_seed(0)
    ids, chosen = masking.mask(batch.ids, batch.maskable, weights, pieces.mask_token_id, torch.arange(5, len(pieces)))
    torch.manual_seed(0)
    hidden = masking.mask_batch(batch, weights, pieces, torch.device("cpu"))
    assert chosen.any()
    assert torch.equal(hidden.ids, ids)
    assert torch.equal(hidden.gold, batch.ids[chosen])
    assert torch.equal(batch.ids.flatten()[hidden.places], hidden.gold)
    assert torch.equal(hidden.attention[:, 0, 0].long(), batch.attention)
    (batch,) = encode(pieces, [("old tree sings", None, UNKNOWN)], small())
    assert masking.mask_batch(batch, weights, pieces, torch.device("cpu")).attention is None
