"""Every kind of encoder that transformers knows: it learns, is saved and predicts, or one line says why it cannot."""

import pytest
import torch
from encoders.kinds import unigram
from making import examples, small_recipe
from transformers import CONFIG_MAPPING, MODEL_MAPPING
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
)

from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.training.adapt import train_source
from fewshot.training.model import load_model

pytestmark = pytest.mark.system

CPU = torch.device("cpu")
OTHERS = {"bros", "canine", "lilt", "markuplm", "splinter", "xlnet"}
NOT_FAST = {"perceiver"}  # it reads bytes
OF_TEXT = OTHERS | {*MODEL_FOR_MASKED_LM_MAPPING_NAMES, *MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES}
PARTS = {"text_config", "encoder"}  # of models that see, and of those with a decoder
KINDS = sorted(kind for kind in OF_TEXT - NOT_FAST if PARTS.isdisjoint(CONFIG_MAPPING[kind].sub_configs))

SMALL = (
    dict.fromkeys(("hidden_size", "d_model", "dim", "emb_dim", "embedding_size", "entity_emb_size"), 32)
    | dict.fromkeys(("num_hidden_layers", "n_layers", "n_layer", "num_layers", "encoder_layers", "decoder_layers"), 2)
    | dict.fromkeys(("num_attention_heads", "num_heads", "n_heads", "n_head", "num_key_value_heads"), 2)
    | dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 2)
    | dict.fromkeys(("intermediate_size", "d_ff", "d_inner", "hidden_dim", "encoder_ffn_dim", "decoder_ffn_dim"), 64)
    | dict.fromkeys(("d_kv", "d_head", "head_dim"), 16)
    | {"max_position_embeddings": 66, "entity_vocab_size": 50, "pronunciation_vocab_size": 50, "shape_vocab_size": 50}
)
"""What makes an encoder small, where its settings have it."""

OWN = {
    "funnel": {"block_sizes": [1, 1]},
    "lilt": {"hidden_size": 48},
    "reformer": {"axial_pos_shape": (8, 8), "axial_pos_embds_dim": (16, 16), "attn_layers": ["local", "lsh"]}
    | {"attention_head_size": 16, "feed_forward_size": 64},
}
FIXED = {"funnel": {"num_hidden_layers"}, "reformer": {"num_hidden_layers"}, "xlnet": {"max_position_embeddings"}}
"""Settings that a kind has, and that cannot be changed."""

REFUSED = {
    **dict.fromkeys(("bart", "mbart", "mvp"), "model without its decoder; use an encoder"),
    "bros": "cannot be used, since it needs more than text: You have to specify bbox",
    "canine": "a CanineModel has no embeddings of word pieces",
    "reformer": "cannot be used, since it needs more than text: If training, make sure that config",
    "xmod": "cannot be used, since it needs more than text: Input language unknown",
}


def save(folder, kind):
    pieces = unigram()
    config = CONFIG_MAPPING[kind]
    usual = config()
    sizes = {"vocab_size": len(pieces), "pad_token_id": pieces.pad_token_id, **SMALL}
    known = {name: size for name, size in sizes.items() if hasattr(usual, name) and name not in FIXED.get(kind, ())}
    config = config(**known | OWN.get(kind, {}))
    model = MODEL_MAPPING[type(config)]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = (model[0] if isinstance(model, tuple) else model)(config)
    module.save_pretrained(folder)
    pieces.save_pretrained(folder)
    return str(folder)


def learn(folder, tmp_path):
    gold, recipe = examples("sentences", 8, seed=1), small_recipe(regime="sequential", updates=1, batch=4, average=1)
    encoder = load_encoder(folder)
    train_source(tasks.get("pos"), encoder, gold, recipe, 0, CPU).save(tmp_path / "model")
    return evaluate(load_model(tmp_path / "model", encoder), gold).score


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_learns_or_a_line_says_why_not(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.encoders.precision.has_bf16", lambda device: True)
    folder = save(tmp_path / kind, kind)
    if kind not in REFUSED:
        assert 0 <= learn(folder, tmp_path) <= 100
        return
    with pytest.raises(FewshotError) as refused:
        learn(folder, tmp_path)
    assert REFUSED[kind] in str(refused.value) and "\n" not in str(refused.value)
