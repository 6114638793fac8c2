import copy
import pickle

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel, XLMRobertaConfig, XLMRobertaModel

from fewshot.encoders import freezing, packed, vocabulary
from fewshot.encoders.load import fingerprint

SIZES = {"vocab_size": 40, "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 16}
DISTIL = DistilBertConfig(vocab_size=40, dim=32, n_heads=2, hidden_dim=32, n_layers=2)
ENCODERS = {
    "bert": lambda: BertModel(BertConfig(**SIZES), add_pooling_layer=False),
    "xlm-r": lambda: XLMRobertaModel(XLMRobertaConfig(**SIZES, pad_token_id=1), add_pooling_layer=False),
    "distilbert": lambda: DistilBertModel(DISTIL),
}
WITHOUT_POOLER = {"add_pooling_layer": False}


@pytest.fixture(params=ENCODERS)
def module(request):
    torch.manual_seed(0)
    return ENCODERS[request.param]().eval()


def test_pieces_that_occur_are_read_and_trained_as_before_and_others_stay(module):
    ids = torch.tensor([[7, 5, 30, 5]])
    narrowed, before = module(ids).last_hidden_state, module.get_input_embeddings().weight.clone()
    vocabulary.narrow(module, [5, 7, 30])
    assert module.get_input_embeddings().weight.shape == (4, 32)
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


@pytest.fixture(params=[4, 8])
def pair(module, request):
    """An encoder whose table is packed, and one of equal weights whose table is plain."""
    whole = module.get_input_embeddings()
    numbers, scales = packed.pack(whole.weight.detach(), request.param)
    module.set_input_embeddings(vocabulary.PackedEmbedding(numbers, scales, whole.padding_idx))
    plain = copy.deepcopy(module)
    vocabulary.unpack(plain)
    assert type(plain.get_input_embeddings()) is nn.Embedding
    assert plain.get_input_embeddings().padding_idx == whole.padding_idx
    return module, plain


def same(one, other):
    """Return whether two encoders have equal weights under the same names."""
    weights, others = one.state_dict(), other.state_dict()
    return list(weights) == list(others) and all(map(torch.equal, weights.values(), others.values()))


@pytest.mark.parametrize("shape", [(), (7,), (2, 3), (2, 3, 4), (3, 0)])
def test_a_lookup_unpacks_the_numbers_of_the_whole_table(pair, shape):
    table, plain = (module.get_input_embeddings() for module in pair)
    ids = torch.randint(0, 40, shape, generator=torch.Generator().manual_seed(0))
    assert torch.equal(table(ids), plain(ids)) and table(ids).dtype == torch.float32
    assert torch.equal(table.weight, plain.weight)
    on_device = table.to("meta")(ids.to("meta"))
    assert on_device.is_meta and on_device.shape == (*shape, 32)


def test_a_packed_table_has_the_names_and_the_fingerprint_of_the_whole_one(pair):
    assert same(*pair)
    assert fingerprint(pair[0]) == fingerprint(pair[1])
    assert len({frozenset(vocabulary.names(module)) for module in pair}) == 1
    assert vocabulary.names(pair[0]) <= pair[0].state_dict().keys()


def test_copies_share_a_packed_table_and_other_processes_get_it_packed(pair):
    module, plain = pair
    twin = vocabulary.copy_encoder(module)
    for part, other in zip(*(vocabulary.tensors(each.get_input_embeddings()) for each in (module, twin)), strict=True):
        assert part.data_ptr() == other.data_ptr()
    vocabulary.replace_rows(twin, torch.tensor([3]), torch.ones(1, 32))
    assert vocabulary.table(twin)[3].eq(1).all() and same(module, plain)
    sent = pickle.loads(pickle.dumps(module))
    assert type(sent.get_input_embeddings()) is vocabulary.PackedEmbedding and same(sent, plain)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_packed_table_is_trained_as_a_plain_one(pair, frozen):
    ids, tables = torch.tensor([[7, 5, 30, 5]]), [module.get_input_embeddings() for module in pair]
    trained = []
    for module in pair:
        vocabulary.narrow(module, [5, 7, 30])
        freezing.freeze(module, 0 if frozen else None)
        (module(ids).last_hidden_state ** 2).sum().backward()
        with torch.no_grad():
            for weight in module.parameters():
                weight -= 0 if weight.grad is None else weight.grad
        trained.append(vocabulary.widen(module))
    assert same(*pair)
    if frozen:
        assert trained == [None, None] and [module.get_input_embeddings() for module in pair] == tables
        assert not any(weight.requires_grad for module in pair for weight in module.get_input_embeddings().parameters())
    else:
        assert torch.equal(*trained)


def test_transformers_saves_the_whole_table(pair, tmp_path):
    module, plain = pair
    module.save_pretrained(tmp_path)
    loaded = type(module).from_pretrained(tmp_path, **({} if "Distil" in type(module).__name__ else WITHOUT_POOLER))
    assert same(loaded, plain)
