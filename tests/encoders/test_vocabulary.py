import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel, XLMRobertaConfig, XLMRobertaModel

from fewshot.encoders import freezing, vocabulary

SIZES = {"vocab_size": 40, "num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16}
DISTIL = DistilBertConfig(vocab_size=40, dim=16, n_heads=2, hidden_dim=16, n_layers=2)
ENCODERS = {
    "bert": lambda: BertModel(BertConfig(**SIZES), add_pooling_layer=False),
    "xlm-r": lambda: XLMRobertaModel(XLMRobertaConfig(**SIZES, pad_token_id=1), add_pooling_layer=False),
    "distilbert": lambda: DistilBertModel(DISTIL),
}


@pytest.fixture(params=ENCODERS)
def module(request):
    torch.manual_seed(0)
    return ENCODERS[request.param]().eval()


def test_pieces_that_occur_are_read_and_trained_as_before_and_others_stay(module):
    ids = torch.tensor([[7, 5, 30, 5]])
    narrowed, before = module(ids).last_hidden_state, module.get_input_embeddings().weight.clone()
    vocabulary.narrow(module, [5, 7, 30])
    assert module.get_input_embeddings().weight.shape == (4, 16)
    assert torch.equal(module(ids).last_hidden_state, narrowed)
    (module(ids).last_hidden_state ** 2).sum().backward()
    with torch.no_grad():
        module.get_input_embeddings().weight -= module.get_input_embeddings().weight.grad
    trained = module(ids).last_hidden_state
    vocabulary.widen(module)
    assert torch.equal(module(ids).last_hidden_state, trained)
    moved = (vocabulary.table(module) != before).any(dim=1)
    assert moved.nonzero().flatten().tolist() == [5, 7, 30]


def test_padding_is_never_trained_and_modules_that_are_no_encoders_are_left_alone():
    table = nn.Embedding(9, 4, padding_idx=2)
    some = vocabulary.PartialEmbedding(table, [2, 3])
    some(torch.tensor([2, 3, 2])).sum().backward()
    assert some.weight.grad.tolist() == [[0.0] * 4, [1.0] * 4]
    module = nn.Linear(2, 2)
    vocabulary.narrow(module, [1])
    vocabulary.widen(module)


def test_frozen_embeddings_are_read_in_rows_and_stay(module):
    freezing.freeze(module, 0)
    table, ids = module.get_input_embeddings(), torch.tensor([[7, 5]])
    before = module(ids).last_hidden_state
    vocabulary.narrow(module, [5, 7])
    assert torch.equal(module(ids).last_hidden_state, before)
    assert vocabulary.widen(module) is None and module.get_input_embeddings() is table
