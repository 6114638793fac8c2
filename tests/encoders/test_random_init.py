import pytest
import torch
from transformers import XLMRobertaConfig, XLMRobertaModel

from fewshot.encoders.load import Encoder, fingerprint
from fewshot.encoders.random_init import reinitialise, untrained_layers
from fewshot.errors import FewshotError

RANGE = 0.5


@pytest.fixture
def xlmr():
    """An XLM-R of 3 layers with an unusual start, all of whose weights were then moved."""
    sizes = {"vocab_size": 40, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}
    config = XLMRobertaConfig(**sizes, num_hidden_layers=3, max_position_embeddings=34, initializer_range=RANGE)
    module = XLMRobertaModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(3)
    return Encoder("xlmr", module, None, fingerprint(module))


def changed(one, other):
    """Names of the parts of two encoders that differ: ``embeddings`` or the number of a layer."""
    pairs = zip(one.module.named_parameters(), other.module.named_parameters(), strict=True)
    names = [name.split(".") for (name, a), (_, b) in pairs if not torch.equal(a, b)]
    return {int(name[2]) + 1 if name[0] == "encoder" else name[0] for name in names}


@pytest.mark.parametrize("layers", [(), (3,), (1, 2)])
def test_only_these_layers_change_and_the_given_encoder_is_left_alone(xlmr, layers):
    before = {name: tensor.clone() for name, tensor in xlmr.module.state_dict().items()}
    other = reinitialise(xlmr, layers, seed=0)
    assert changed(xlmr, other) == set(layers)
    assert (other.fingerprint == xlmr.fingerprint) == (not layers)
    assert all(torch.equal(tensor, before[name]) for name, tensor in xlmr.module.state_dict().items())
    assert untrained_layers(other) == list(layers)
    with torch.no_grad():
        other.module.embeddings.word_embeddings.weight.zero_()
    assert xlmr.module.embeddings.word_embeddings.weight.abs().sum() > 0


def test_weights_are_those_of_the_architectures_own_start(xlmr):
    layer = reinitialise(xlmr, [2], seed=0).module.encoder.layer[1]
    for name, tensor in layer.state_dict().items():
        if tensor.dim() > 1:
            assert tensor.mean().abs() < 0.1 and tensor.std().item() == pytest.approx(RANGE, rel=0.1)
        else:
            assert torch.all(tensor == (1.0 if name.endswith("LayerNorm.weight") else 0.0))


def test_weights_follow_the_seed_alone(xlmr):
    state = torch.random.get_rng_state()
    one = reinitialise(xlmr, [2], seed=1)
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.rand(3)
    assert changed(one, reinitialise(xlmr, [2], seed=1)) == set()
    assert changed(one, reinitialise(xlmr, [2], seed=2)) == {2}
    assert changed(one, reinitialise(xlmr, [1, 2], seed=1)) == {1}  # the second layer is the same one


@pytest.mark.parametrize("layer", [0, 4, -1])
def test_a_layer_that_is_not_there_is_named(xlmr, layer):
    with pytest.raises(FewshotError, match=rf"layer {layer} of xlmr: its layers are 1 to 3"):
        reinitialise(xlmr, [layer], seed=0)
