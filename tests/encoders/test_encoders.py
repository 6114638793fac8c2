import json
import os
import pickle
import shutil
import threading
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import torch
from huggingface_hub import close_session
from tokenizers import Tokenizer
from torch import nn
from transformers import XLMRobertaConfig, XLMRobertaModel

from fewshot.encoders import attention, freezing, lora
from fewshot.encoders.load import ONEDNN_CACHE, Encoder, fingerprint, load_encoder
from fewshot.encoders.precision import has_bf16
from fewshot.errors import FewshotError

SMALL = {"vocab_size": 40, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16}


@pytest.fixture(scope="module")
def xlmr():
    config = XLMRobertaConfig(**SMALL, num_hidden_layers=3, max_position_embeddings=34, pad_token_id=1)
    return XLMRobertaModel(config, add_pooling_layer=False)


def test_position_rows_of_xlm_r_hold_two_pieces_less_than_those_of_bert(xlmr, encoder):
    limit = Encoder("x", xlmr, None, "").limit
    assert (limit, encoder.limit) == (32, 64)
    xlmr(torch.full((1, limit), 5))
    with pytest.raises((IndexError, RuntimeError)):
        xlmr(torch.full((1, limit + 1), 5))


def test_a_tokenizer_that_cuts_and_fills_up_what_it_reads_does_so_no_more(encoder_folder, tmp_path):
    folder = shutil.copytree(encoder_folder, tmp_path / "encoder")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=4)
    tokenizer.save(str(folder / "tokenizer.json"))
    plain, loaded = (load_encoder(str(one)).tokenizer.backend_tokenizer for one in (encoder_folder, folder))
    texts = ["a", "a b c d e f g h"]
    assert [len(one) for one in loaded.encode_batch(texts)] == [len(one) for one in plain.encode_batch(texts)]


def test_calls_of_a_tokenizer_leave_its_fingerprint_as_it_is(encoder_folder):
    encoder = load_encoder(str(encoder_folder))
    before = encoder.tokenizer_fingerprint
    encoder.tokenizer(["a b"], padding="max_length", truncation=True, max_length=8)
    assert encoder.tokenizer_fingerprint == before
    encoder.tokenizer.add_tokens(["ab"])
    assert encoder.tokenizer_fingerprint != before


@pytest.mark.parametrize(("bottom", "moving"), [(None, 4), (0, 3), (2, 1), (3, 0), (9, 0)])
def test_freezing_keeps_embeddings_and_the_lowest_layers(xlmr, bottom, moving):
    freezing.freeze(xlmr, bottom)
    parts = [xlmr.embeddings, *xlmr.encoder.layer]
    trained = [all(p.requires_grad for p in part.parameters()) for part in parts]
    assert trained == [False] * (4 - moving) + [True] * moving
    freezing.freeze(xlmr, None)


def test_no_hub_is_asked_for_the_vocabulary_of_an_adapted_encoder(encoder_folder):
    module = load_encoder(str(encoder_folder)).module
    module.name_or_path = "someone/encoder"
    adapted = lora.add(module, rank=4, alpha=8, dropout=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(".lora_" in name for name in lora.take(adapted, "").tensors)


def test_merged_lora_computes_what_the_adapters_did(encoder_folder):
    torch.manual_seed(0)
    module = load_encoder(str(encoder_folder)).module
    names = list(module.state_dict())
    adapted = lora.add(module, rank=4, alpha=8, dropout=0.0).eval()
    trained = [name for name, parameter in adapted.named_parameters() if parameter.requires_grad]
    assert trained and all("lora_" in name for name in trained)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.normal_()
        ids = torch.tensor([[2, 7, 8, 3]])
        before = adapted(ids).last_hidden_state
        plain = lora.merge(adapted)
        torch.testing.assert_close(plain(ids).last_hidden_state, before, atol=1e-5, rtol=1e-4)
    assert list(plain.state_dict()) == names


def test_fingerprint_follows_the_weights(encoder_folder, encoder):
    assert load_encoder(str(encoder_folder)).fingerprint == encoder.fingerprint
    other = load_encoder(str(encoder_folder))
    with torch.no_grad():
        other.module.encoder.layer[0].output.dense.weight[0, 0] += 1
    assert fingerprint(other.module) != encoder.fingerprint


@pytest.mark.parametrize("name", ["./nothing", "/no/such/folder", "a/b/c"])
def test_folder_that_is_no_encoder(name):
    with pytest.raises(FewshotError, match="no encoder here"):
        load_encoder(name)


@pytest.mark.parametrize(("file", "size"), [("model.safetensors", 1000), ("config.json", 1)])
def test_damaged_encoder_is_named(encoder_folder, tmp_path, file, size):
    shutil.copytree(encoder_folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes()[:size])
    with pytest.raises(FewshotError, match="cannot be loaded as an encoder"):
        load_encoder(str(tmp_path))


def test_weights_that_are_missing_are_not_made_up(encoder_folder, tmp_path):
    shutil.copytree(encoder_folder, tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    with pytest.raises(FewshotError, match=r"lacks 16 of a BertModel, such as 'encoder\.layer\.2\."):
        load_encoder(str(tmp_path))


def test_a_tokenizer_with_more_pieces_than_the_encoder_has_vectors_of_is_refused(encoder_folder, tmp_path):
    shutil.copytree(encoder_folder, tmp_path, dirs_exist_ok=True)
    settings = json.loads((tmp_path / "tokenizer.json").read_text())
    settings["model"]["vocab"] |= {f"new{number}": number for number in range(5000, 10000)}
    (tmp_path / "tokenizer.json").write_text(json.dumps(settings))
    with pytest.raises(FewshotError, match=r"the tokenizer has 5,\d+ pieces, and the encoder has vectors of"):
        load_encoder(tmp_path)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("config.json", '{"model_type": "bert", "num_attention_heads": 0}'),
        ("config.json", '{"model_type": "bert", "hidden_size": "x"}'),
        ("config.json", '{"model_type": "bert", "pad_token_id": 1000000}'),
        ("tokenizer_config.json", "[]"),
        ("tokenizer.json", '{"added_tokens": [], "model": {"type": "WordPiece", "vocab": {}}}'),
    ],
)
def test_settings_that_no_encoder_has_are_named(encoder_folder, tmp_path, file, text):
    shutil.copytree(encoder_folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / file).write_text(text)
    with pytest.raises(FewshotError, match=r"cannot be loaded as an encoder: .") as caught:
        load_encoder(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_neither_code_nor_a_pickled_object_of_a_model_is_run(encoder_folder, tmp_path):
    for name in ("code", "pickle"):
        shutil.copytree(encoder_folder, tmp_path / name)
    ran = tmp_path / "ran"
    config = json.loads((tmp_path / "code" / "config.json").read_text())
    names = {"AutoConfig": "own.Config", "AutoModel": "own.Model"}
    (tmp_path / "code" / "config.json").write_text(json.dumps(config | {"model_type": "own", "auto_map": names}))
    (tmp_path / "code" / "own.py").write_text(f"open({str(ran)!r}, 'w')\nclass Config: pass\nclass Model: pass\n")

    class Touch:
        def __reduce__(self):
            return open, (str(ran), "w")

    (tmp_path / "pickle" / "model.safetensors").unlink()
    (tmp_path / "pickle" / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Touch()}, protocol=2))
    for name in ("code", "pickle"):
        with pytest.raises(FewshotError, match="cannot be loaded as an encoder"):
            load_encoder(str(tmp_path / name))
    assert not ran.exists()


def test_hub_id_without_a_network_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(FewshotError, match="model 'no-such-org/no-such-model' is neither a folder here"):
        load_encoder("no-such-org/no-such-model")


def test_a_hub_out_of_reach_is_asked_once(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _seconds: pytest.fail("asked again"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(FewshotError, match="model 'some-org/some-encoder' is neither a folder here"):
        load_encoder("some-org/some-encoder")


def test_a_proxy_that_refuses_is_named_in_one_line(monkeypatch, tmp_path):
    class Proxy(BaseHTTPRequestHandler):
        def do_CONNECT(self):
            self.send_error(407)

        def log_message(self, *_arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        close_session()  # the next one reads the environment
        with pytest.raises(FewshotError, match=r"the download from the hub failed \(407 [^\n]*\); check the name"):
            load_encoder("some-org/some-encoder")
        server.shutdown()
    close_session()


def test_an_encoder_in_the_cache_of_the_hub_is_loaded_without_a_network(monkeypatch, tmp_path, encoder_folder):
    def refuse(*_arguments, **_options):
        pytest.fail("asked the hub for a file")

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("transformers.utils.hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.file_download.get_hf_file_metadata", refuse)
    kept = tmp_path / "models--some-org--some-encoder"
    shutil.copytree(encoder_folder, kept / "snapshots" / "1a2b")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("1a2b")
    assert load_encoder("some-org/some-encoder").fingerprint == load_encoder(str(encoder_folder)).fingerprint


def test_compiled_operations_that_text_never_needs_again_are_few_unless_the_user_says_so(monkeypatch, encoder_folder):
    name, few = ONEDNN_CACHE
    monkeypatch.delenv(name, raising=False)
    for value in (few, "7"):
        load_encoder(str(encoder_folder))
        assert os.environ[name] == value
        monkeypatch.setenv(name, "7")


@pytest.mark.parametrize(
    ("device", "capability", "native"),
    [("cuda", (7, 5), False), ("cuda", (8, 0), True), ("cuda:1", (9, 0), True), ("mps", None, False)],
    ids=["T4", "A100", "H100", "mps"],
)
def test_bf16_is_for_cards_that_multiply_it(monkeypatch, device, capability, native):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert has_bf16(torch.device(device)) == native


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
