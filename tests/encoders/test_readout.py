import pytest
import torch

from fewshot.encoders import freezing
from fewshot.encoders.load import load_encoder
from fewshot.encoders.pieces import Input, View, encode
from fewshot.encoders.readout import LastLayer, LayerMix
from fewshot.encoders.vectors import POOLINGS, all_layers, collate, pool_pieces, unit_vectors

WORDS, SEQUENCE = View("words"), View("sequence")
TEXTS = ["iso kala nukkuu .", "talo", "vanha metsa laulaa puu vesi !"]


@pytest.fixture
def encoder(encoder_folder):
    """An encoder that a test may freeze."""
    return load_encoder(str(encoder_folder))


def batch(encoder, view, texts=TEXTS):
    return collate([encode(encoder.tokenizer, Input((text.split(),)), view, encoder.limit) for text in texts], 0)


def random(kind, encoder, view):
    torch.manual_seed(0)
    readout = kind(encoder, view)
    for parameter in readout.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return readout


def test_mix_weighs_the_embeddings_and_every_layer_and_begins_as_their_mean(encoder):
    readout, inputs = random(LayerMix, encoder, WORDS), batch(encoder, WORDS)
    layers, exponents = all_layers(encoder.module, inputs), readout.weights.exp()
    assert len(layers) == len(freezing.layers(encoder.module)) + 1
    by_hand = sum(exponents[n] * layer for n, layer in enumerate(layers)) * readout.scale / exponents.sum()
    torch.testing.assert_close(readout.mix(layers), by_hand)
    torch.testing.assert_close(LayerMix(encoder, WORDS).mix(layers), sum(layers) / len(layers))
    torch.testing.assert_close(pool_pieces(layers[-1], inputs), unit_vectors(encoder.module, inputs))


@pytest.mark.parametrize("kind", [LastLayer, LayerMix])
@pytest.mark.parametrize("view", [WORDS, SEQUENCE], ids=["words", "sequence"])
def test_vectors_have_the_size_and_depend_on_no_neighbour_in_the_batch(encoder, kind, view):
    readout = random(kind, encoder, view).eval()
    together = readout(encoder.module, batch(encoder, view))
    assert together.shape == (*batch(encoder, view).mask.shape, readout.size)
    for row, text in enumerate(TEXTS):
        (alone,) = readout(encoder.module, batch(encoder, view, [text]))
        torch.testing.assert_close(together[row, : len(alone)], alone, atol=2e-2, rtol=2e-2)  # bf16 on some machines


def test_the_vector_of_a_word_is_pooled_from_its_pieces(encoder):
    inputs = batch(encoder, WORDS)
    hidden = torch.randn(*inputs.ids.shape, 3)
    flat, (examples, units) = hidden.view(-1, 3), inputs.counts.shape
    of_units = [flat[inputs.slots == unit] for unit in range(examples * units)]
    assert max(map(len, of_units)) > 1 and min(map(len, of_units)) == 0
    by_hand = {
        "mean": lambda pieces: pieces.mean(0),
        "first": lambda pieces: pieces[0],
        "last": lambda pieces: pieces[-1],
        "max": lambda pieces: pieces.max(0).values,
    }
    assert by_hand.keys() == set(POOLINGS)
    for pooling, expected in by_hand.items():
        vectors = torch.stack([expected(pieces) if len(pieces) else torch.zeros(3) for pieces in of_units])
        torch.testing.assert_close(pool_pieces(hidden, inputs, pooling).view(-1, 3), vectors)


def test_lstm_tells_the_order_of_words_and_the_whole_input(encoder):
    readout = random(LayerMix, encoder, SEQUENCE).eval()
    one, other = (readout(encoder.module, batch(encoder, SEQUENCE, [text])) for text in ("talo iso", "talo vesi"))
    assert not torch.allclose(one, other, atol=1e-2)
    layers = all_layers(encoder.module, batch(encoder, SEQUENCE, ["talo iso"]))
    read, _ = readout.lstm(readout.mix(layers))
    torch.testing.assert_close(one[0, 0], read[0].max(0).values, atol=2e-2, rtol=2e-2)


@pytest.mark.parametrize("view", [WORDS, SEQUENCE], ids=["words", "sequence"])
def test_every_weight_of_the_mix_learns(encoder, view):
    readout = random(LayerMix, encoder, view)
    readout(encoder.module, batch(encoder, view)).square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in readout.parameters())


@pytest.mark.parametrize("bottom", [0, 1, 2])
def test_what_is_frozen_below_costs_no_backward_pass(encoder, bottom):
    freezing.freeze(encoder.module, bottom)
    layers = all_layers(encoder.module.train(), batch(encoder, WORDS))
    assert [layer.requires_grad for layer in layers] == [place > bottom for place in range(3)]
