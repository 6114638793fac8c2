import torch
from torch import nn

from fewshot.encoders import attention

CPU = torch.device("cpu")


def test_short_inputs_on_a_cpu_are_computed_plainly_and_to_the_same_result(encoder):
    module, ids = encoder.module, torch.tensor([[2, 7, 8, 9, 3]])
    fused = module(input_ids=ids).last_hidden_state
    attention.suit(module, CPU, pieces=5)
    assert module.config._attn_implementation == "eager"
    assert module(input_ids=ids).last_hidden_state.allclose(fused, atol=1e-5)
    attention.suit(module, CPU, pieces=500)
    assert module.config._attn_implementation == "sdpa"
    attention.suit(module, CPU, pieces=5)
    attention.fuse(module)
    assert module.config._attn_implementation == "sdpa"
    attention.suit(module, torch.device("cuda"), pieces=5)
    assert module.config._attn_implementation == "sdpa"


def test_modules_of_other_kinds_are_left_alone():
    attention.suit(nn.Linear(2, 2), CPU, pieces=5)


def test_a_way_that_is_taken_already_is_not_set_again(encoder, monkeypatch):
    module, ways = encoder.module, []
    attention.suit(module, CPU, pieces=5)
    setting = type(module).set_attn_implementation
    monkeypatch.setattr(
        type(module), "set_attn_implementation", lambda self, way: (ways.append(way), setting(self, way))
    )
    for pieces in (5, 7, 500, 600, 5):
        attention.suit(module, CPU, pieces)
    attention.fuse(module)
    assert ways == ["sdpa", "eager", "sdpa"]
