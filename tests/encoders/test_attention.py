import torch
from torch import nn

from fewshot.encoders import attention

CPU = torch.device("cpu")


def test_short_inputs_on_a_cpu_are_computed_plainly_and_to_the_same_result(encoder, monkeypatch):
    module, ids, ways = encoder.module, torch.tensor([[2, 7, 8, 9, 3]]), []
    fused = module(input_ids=ids).last_hidden_state
    attention.choose(module, CPU, pieces=5)
    assert module.config._attn_implementation == "eager"
    assert module(input_ids=ids).last_hidden_state.allclose(fused, atol=1e-5)
    setting = type(module).set_attn_implementation
    monkeypatch.setattr(
        type(module), "set_attn_implementation", lambda self, way: (ways.append(way), setting(self, way))
    )
    for pieces in (5, 7, 500, 600, 5):  # the way that is taken already is not set again
        attention.choose(module, CPU, pieces)
    attention.fuse(module)
    attention.choose(module, torch.device("cuda"), pieces=5)
    assert ways == ["sdpa", "eager", "sdpa"]
    assert module.config._attn_implementation == "sdpa"
    attention.choose(nn.Linear(2, 2), CPU, pieces=5)  # modules of other kinds are left alone
