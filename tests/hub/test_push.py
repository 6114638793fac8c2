import json
import re
import shutil
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import peft
import pytest
import torch
import transformers
from cli.calls import call
from encoders import kinds
from huggingface_hub import ModelCard
from making import examples, made_up, save_encoder, small_recipe
from transformers import AutoModel, ModernBertConfig, ModernBertModel

from fewshot import tasks
from fewshot.corpora.embedded import data_dir
from fewshot.corpora.formats import conllu
from fewshot.encoders import folder, vocabulary
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.vectors import collate
from fewshot.hub import card, export
from fewshot.training.adapt import adapt, train_source
from fewshot.training.model import build_model, load_model

CPU = torch.device("cpu")
NAMES = [*tasks.registry(), "ner+crf", "dep+upos"]
FOREIGN = {"dep", "dep+upos", "ner+crf"}
"""Tasks with a head that transformers has not."""


@pytest.fixture(autouse=True)
def single_precision(monkeypatch):
    """Hold this package to single precision, also where the processor has bf16."""
    monkeypatch.setattr("fewshot.encoders.readout.autocast", lambda device, model: nullcontext())


@pytest.fixture(scope="module", params=["bert", "xlm-r"])
def architecture(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("architecture")
    save = {
        "bert": partial(save_encoder, limit=128),
        "xlm-r": partial(kinds.save, kind="XLMRoberta", tokenizer=kinds.unigram, type_vocab_size=1),
    }
    return load_encoder(str(save[request.param](folder)))


def made(name, encoder, readout="last layer"):
    """A model of a task, with random weights, and an example that it can read."""
    task = tasks.get(name)
    given = examples(task.example.kind, 4, seed=3)
    task = task.fitted(given)
    return build_model(task, encoder, 0, 0.1, readout).eval(), given[0]


@torch.no_grad()
def scores(model, example):
    """Scores of the first input of an example, ``[units, scores]``."""
    (first, *_), (read, *_) = model.encode([example])[0], model.task.inputs(example)
    return model(collate([first], 0))[0], read


def pushed(model, folder):
    folder.mkdir()
    plain = export.write(model, folder)
    (folder / card.README).write_text(card.text(model, folder / "nowhere" / "model", folder.name, plain))
    return plain


def as_its_card_says(folder, read, monkeypatch):
    """What the card's code for loading computes of an input."""
    monkeypatch.chdir(folder.parent)
    (code,) = re.findall(r"```python\n(import torch\n.*?)```", (folder / card.README).read_text(), re.DOTALL)
    segments = iter(read.segments)
    code = re.sub(r'^(\w+) = "words of.*$', lambda found: f"{found[1]} = {list(next(segments))!r}", code, flags=re.M)
    names = {}
    exec(code, names)
    assert next(segments, None) is None
    return names


def last_hidden(encoder, module):
    batch = collate(saved_pieces(encoder), 0)
    with torch.no_grad():
        return module(input_ids=batch.ids, attention_mask=batch.attention).last_hidden_state


def saved_pieces(encoder):
    model, _ = made("pos", encoder)
    return [pieces for one in model.encode(made_up(3, seed=4)) for pieces in one]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in FOREIGN])
def test_plain_transformers_gives_the_same_scores(architecture, name, tmp_path, monkeypatch):
    model, example = made(name, architecture)
    plain = pushed(model, tmp_path / "out")
    ours, read = scores(model, example)
    found = as_its_card_says(tmp_path / "out", read, monkeypatch)
    theirs = found["scores"] if "scores" in found else torch.stack([found["starts"], found["ends"]], -1)
    torch.testing.assert_close(theirs, ours, atol=1e-4, rtol=0)
    assert_loads_again(model, tmp_path / "out", example)
    whole = getattr(transformers, plain.auto).from_pretrained(tmp_path / "out")
    if model.task.labels:
        assert whole.config.id2label == dict(enumerate(model.task.labels))
        assert whole.config.label2id == {label: n for n, label in enumerate(model.task.labels)}


def test_a_packed_table_is_exported_whole(tmp_path):
    folder.save(load_encoder(str(save_encoder(tmp_path / "plain", limit=128))), tmp_path / "packed", embedding_bits=4)
    model, example = made("pos", load_encoder(str(tmp_path / "packed")))
    pushed(model, tmp_path / "out")
    loaded = AutoModel.from_pretrained(tmp_path / "out")
    assert torch.equal(vocabulary.table(loaded), vocabulary.table(model.module))
    assert type(model.module.get_input_embeddings()) is vocabulary.PackedEmbedding, "it stays as it is"
    assert_loads_again(model, tmp_path / "out", example)


@pytest.mark.parametrize(
    ("name", "readout"), [*((name, "last layer") for name in sorted(FOREIGN)), ("pos", "layer mix")]
)
def test_heads_that_transformers_has_not_leave_the_encoder(architecture, name, readout, tmp_path):
    model, example = made(name, architecture, readout)
    assert pushed(model, tmp_path / "out") is None
    plain = AutoModel.from_pretrained(tmp_path / "out")
    torch.testing.assert_close(last_hidden(architecture, plain), last_hidden(architecture, model.module))
    assert "only fewshot loads them" in (tmp_path / "out" / card.README).read_text()
    assert_loads_again(model, tmp_path / "out", example)


@torch.no_grad()
def assert_loads_again(model, folder, example):
    """The pushed folder is a model of this package too."""
    again = load_model(folder)
    batch = collate(model.encode([example])[0], 0)
    before, after = (one.head.decode(one(batch), batch.mask) for one in (model, again))
    assert before == after
    assert again.encoder.name == str(folder)


def test_architecture_with_more_above_its_encoder_keeps_its_encoder(encoder):
    config = ModernBertConfig(
        vocab_size=200, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3,
    )  # fmt: skip
    module = ModernBertModel(config).eval()
    model, _ = made("pos", Encoder("modern", module, encoder.tokenizer, ""))
    assert export.plain(model) is None


LORA = small_recipe(method="lora", regime="sequential", updates=4, encoder_lr=0.1)
AS_SUMS = {"atol": 1e-3, "rtol": 1e-3}
"""An adapter is added to weights, or its output to theirs: single precision differs by up to 2e-4 here."""


@pytest.fixture(scope="module")
def lora(architecture):
    """A POS model with all weights trained, and what LoRA made of it."""
    whole = small_recipe(method="full", regime="sequential", updates=2, average=1)
    source = train_source(tasks.get("pos"), architecture, made_up(20, seed=1), whole, 0, CPU)
    return source, adapt(source, made_up(8, seed=2), LORA, 0, CPU)


def test_lora_is_merged_and_its_adapter_fits_on_the_pushed_source_model(lora, tmp_path):
    source, adapted = lora
    pushed(source, tmp_path / "base")
    pushed(adapted, tmp_path / "out")
    encoder = source.encoder
    ours, before = last_hidden(encoder, adapted.module), last_hidden(encoder, source.module)
    assert (ours - before).abs().max() > 0.01
    torch.testing.assert_close(last_hidden(encoder, AutoModel.from_pretrained(tmp_path / "out")), ours)
    base = AutoModel.from_pretrained(tmp_path / "base")
    put_on = peft.PeftModel.from_pretrained(base, tmp_path / "out" / "adapter")
    torch.testing.assert_close(last_hidden(encoder, put_on), ours, **AS_SUMS)
    assert "`fewshot push SOURCE_MODEL BASE`" in (tmp_path / "out" / card.README).read_text()


def test_adapter_of_a_source_model_fits_on_its_pretrained_encoder(architecture, tmp_path):
    model = train_source(tasks.get("pos"), architecture, made_up(20, seed=1), LORA, 0, CPU)
    pushed(model, tmp_path / "out")
    put_on = peft.PeftModel.from_pretrained(AutoModel.from_pretrained(architecture.name), tmp_path / "out" / "adapter")
    ours = last_hidden(architecture, model.module)
    torch.testing.assert_close(last_hidden(architecture, put_on), ours, **AS_SUMS)
    assert f'from_pretrained("{architecture.name}")' in (tmp_path / "out" / card.README).read_text()


def test_adapter_is_kept_on_disk_and_lost_when_training_goes_on_without(lora, tmp_path):
    source, adapted = lora
    adapted.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    kept, first = again.adapter, adapted.adapter
    assert (kept.rank, kept.alpha, kept.base) == (first.rank, first.alpha, "")
    assert all(torch.allclose(kept.tensors[name], first.tensors[name], rtol=2e-3, atol=1e-6) for name in first.tensors)
    assert again.copy().adapter is again.adapter
    further = adapt(again, made_up(4, seed=2), replace(LORA, method="full"), 0, CPU)
    assert further.adapter is None
    assert source.adapter is None
    pushed(further, tmp_path / "out")
    assert not (tmp_path / "out" / "adapter").exists()


@pytest.fixture(scope="module")
def run(source_model, tmp_path_factory):
    """A run of the command line over made-up sentences of Japanese, so called."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "ja").mkdir()
    conllu.write(made_up(30, seed=5, name="pool"), folder / "ja" / "pool.conllu")
    conllu.write(made_up(15, seed=6, name="test"), folder / "ja" / "test.conllu")
    source_model.save(folder / "source")
    options = {
        "--lang": "ja", "--data": folder / "ja", "--k": "4", "--updates": "2", "--seeds": "1", "--shot-sets": "1",
        "--method": "lora", "--regime": "sequential", "--model": source_model.encoder.name,
        "--source": folder / "source", "--out": folder / "run",
    }  # fmt: skip
    done = call("run", *[part for pair in options.items() for part in pair])
    assert done.exit_code == 0, done.output
    return folder / "run"


def test_command_writes_a_folder_that_predicts_and_a_card_with_the_scores(run, tmp_path):
    out = tmp_path / "ja-pos"
    done = call("push", run / "model", out)
    assert done.exit_code == 0, done.output
    assert "AutoModelForTokenClassification" in done.output
    results = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    own = next(one for one in results if one["run"] == json.loads((run / "model" / "model.json").read_text())["run"])
    read = ModelCard.load(out / "README.md")
    (score,) = read.data.eval_results
    assert (score.metric_type, score.metric_value) == ("accuracy", round(own["score"], 2))
    assert (read.data.language, read.data.pipeline_tag) == ("ja", "token-classification")
    interval = f"[{own['low']:.1f}, {own['high']:.1f}]"
    score = f"**{own['score']:.1f}**, 95% interval {interval}"
    for text in (score, "from 4 sentences", "| random | 4 |", "for Japanese"):
        assert text in read.text
    assert f"${own['dollars']:.2f}" in read.text
    (tmp_path / "new.txt").write_text("kala juoksee.\n")
    labelled = [tmp_path / "ours.conllu", tmp_path / "pushed.conllu"]
    for model, file in zip((run / "model", out), labelled, strict=True):
        assert call("predict", model, tmp_path / "new.txt", "--out", file).exit_code == 0
    assert labelled[0].read_bytes() == labelled[1].read_bytes()
    assert (out / "adapter" / "adapter_config.json").is_file()


def test_draws_of_the_same_sentences_count_as_one_on_the_card(run, tmp_path):
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    lines = [json.loads(line) for line in (copied / "results.jsonl").read_text().splitlines()]
    again = [one | {"run": f"{one['run']}b", "shot_set": 1} for one in lines if one["k"]]
    (copied / "results.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in [*lines, *again]))
    rows = []
    for place in (run, copied):
        out = tmp_path / f"pushed {place.parent.name}"
        assert call("push", place / "model", out).exit_code == 0
        rows.append(
            [line for line in (out / "README.md").read_text().splitlines() if line.startswith("| random | 4 |")]
        )
    assert rows[0] == rows[1] and len(rows[0]) == 1


def test_card_of_a_model_that_a_language_model_taught_says_so(source_model, tmp_path):
    recipe = small_recipe(regime="sequential", updates=1, batch=4)
    shots = made_up(10, seed=1)
    pushed(adapt(source_model, shots[:4], recipe, 0, CPU, silver=shots[4:]), tmp_path / "pushed")
    text = (tmp_path / "pushed" / "README.md").read_text(encoding="utf-8")
    assert "and on 6 more that a language model labelled and nobody has checked" in " ".join(text.split())
    assert "- **Silver labels**: 6 sentences, at a weight of 0.3 where the shots weigh 1." in text
    assert "{'labels'" not in text


def test_cards_of_models_without_a_run_or_shots_claim_neither(source_model, tmp_path):
    pushed(source_model, tmp_path / "source")
    read = ModelCard.load(tmp_path / "source" / "README.md")
    assert read.data.eval_results is None and "no score is known" in read.text
    pushed(adapt(source_model, [], small_recipe(), 0, CPU), tmp_path / "out")
    assert "has seen no labels of the target language" in (tmp_path / "out" / card.README).read_text()


def test_card_of_an_embedded_source_model_has_its_development_score(tmp_path):
    assert call("push", data_dir() / "models" / "sources" / "pos", tmp_path / "out").exit_code == 0
    (score,) = ModelCard.load(tmp_path / "out" / "README.md").data.eval_results
    assert score.metric_value == 96.57


@pytest.mark.parametrize(
    ("model", "out", "reason"),
    [
        ("nowhere", "new", "nowhere: no saved model here"),
        ("model", "full", "full: exists already and is not empty"),
        ("model", "full/file", "full/file: exists already and is not empty"),
        ("model", "full/file/below", "full/file/below: cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(source_model, tmp_path, model, out, reason):
    source_model.save(tmp_path / "model")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    result = call("push", tmp_path / model, tmp_path / out)
    assert (result.exit_code, len(result.output.strip().splitlines())) == (2, 1)
    assert reason in result.output
    assert (tmp_path / "full" / "file").read_text() == "mine"
    assert not (tmp_path / "new").exists()


def test_full_disk_leaves_nothing(source_model, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    source_model.save(tmp_path / "model")
    monkeypatch.setattr("fewshot.hub.export.save_file", full)
    result = call("push", tmp_path / "model", tmp_path / "out")
    assert result.exit_code == 2
    assert "out: cannot be written: No space left on device" in result.output
    assert not (tmp_path / "out").exists()
