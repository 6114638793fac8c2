import pytest
import torch
from pretraining.making import pairs, small

from fewshot.pretraining import masking, tokenizer
from fewshot.pretraining.batches import encode
from fewshot.pretraining.texts import UNKNOWN


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
