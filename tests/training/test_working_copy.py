from dataclasses import replace

import pytest
import torch
from making import small_recipe
from torch import nn

from fewshot.encoders import freezing, vocabulary
from fewshot.encoders.pieces import Pieces, Window
from fewshot.training import working_copy
from fewshot.training.adapt import adapt
from fewshot.training.batching import padding_id, prepare
from fewshot.training.working_copy import WorkingCopy

CPU = torch.device("cpu")
RECIPE = small_recipe(method="freeze-1", regime="sequential", updates=6, batch=4)


def without_dropout(model):
    model = model.copy()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return model


@pytest.mark.parametrize("native", [False, True], ids=["fp32", "bf16"])
def test_known_outputs_of_the_frozen_part_change_nothing(source_model, sentences, monkeypatch, native):
    monkeypatch.setattr("fewshot.encoders.precision.has_bf16", lambda device: native)
    source, recipe = without_dropout(source_model), replace(RECIPE, dropout=0.0)
    known = adapt(source, sentences[30:38], recipe, 0, CPU).state_dict()
    monkeypatch.setattr(working_copy, "MAX_CACHED_BYTES", 0)
    again = adapt(source, sentences[30:38], recipe, 0, CPU).state_dict()
    assert all(torch.allclose(known[name], again[name], atol=1e-3) for name in known)
    assert any(not torch.equal(known[name], tensor) for name, tensor in source.state_dict().items())


def test_a_frozen_layer_runs_once_an_example(source_model, sentences):
    module, runs = source_model.copy().module, []
    freezing.freeze(module, 1)
    pieces = prepare(source_model, sentences[:5]).pieces
    working = WorkingCopy(module, CPU, pieces[0], padding_id(source_model))
    freezing.stack(working.module)[0].attention.register_forward_hook(lambda *of: runs.append(len(of[1][0])))
    working.split_lower(1, 0.1)
    found = working.run_lower(pieces)
    assert [len(one) for one in found] == [one.size for one in pieces]
    assert sum(runs) == 1 + 5  # the first one to try whether the encoder can do without it


def test_windows_are_padded_with_a_piece_that_the_training_has(source_model):
    module = source_model.copy().module
    module.get_input_embeddings().padding_idx = None
    vocabulary.narrow(module, [5, 6, 7])
    pieces = Pieces((Window((5, 6, 5), (0,) * 3, (0, 0, 0)), Window((6, 5), (0,) * 2, (1, 1))), 2)
    working = WorkingCopy(module, CPU, pieces, 7)
    working.split_lower(0, 0.1)
    assert [len(one) for one in working.run_lower([pieces])] == [5]


def test_steps_too_small_for_bf16_add_up(source_model, sentences, monkeypatch):
    monkeypatch.setattr("fewshot.encoders.precision.has_bf16", lambda device: True)
    module = source_model.copy().module
    working = WorkingCopy(module, CPU, prepare(source_model, sentences[:1]).pieces[0], 0)
    weight, twin = working.trained[-1]
    assert (weight.dtype, twin.dtype) == (torch.float32, torch.bfloat16)
    with torch.no_grad():
        weight.fill_(1.0)
    for _ in range(100):
        twin.grad = torch.full_like(twin, 1.0)
        working.pass_gradients()
        with torch.no_grad():
            weight -= 1e-3 * weight.grad
        weight.grad = None
        working.refresh_weights()
    assert twin.float().mean().item() == pytest.approx(0.9, abs=0.01)
