"""``fewshot source``."""

import json
from itertools import count, product
from math import inf

from cli.calls import call
from making import made_up

from fewshot import checkpoint
from fewshot.corpora.formats import conllu
from fewshot.curves import journal
from fewshot.training import fit, presets


def quickly(monkeypatch):
    """Train source models in fewer than the usual updates."""
    monkeypatch.setattr(presets, "SOURCE", (*presets.SOURCE, (presets.ANY, presets.ANY, presets.ANY, {"least": 1})))


def test_source_is_trained_once(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "cache")
    quickly(monkeypatch)
    options = ["--data", place / "english.conllu", "--model", place / "encoder", "--epochs", "1"]
    first = call("source", *options)
    assert first.exit_code == 0, first.output
    again = call("source", *options)
    assert "kept already" in again.output
    (card,) = (tmp_path / "cache").glob("*/model.json")
    assert json.loads(card.read_text())["data"] == str(place / "english.conllu")
    card.write_text("[]")
    assert "kept: " in call("source", *options).output
    result = call(
        "run", "--lang", "xx", "--data", place / "xx", "--k", "2", "--updates", "2", "--seeds", "1", "--shot-sets", "1",
        "--model", place / "encoder", "--out", tmp_path / "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output


def several(tmp_path):
    """Three treebanks of different sizes, the first with a dev file."""
    for number, (name, size) in enumerate((("en", 30), ("id", 12), ("ta", 6))):
        (tmp_path / name).mkdir()
        conllu.write(made_up(size, seed=number, name=name), tmp_path / name / "train.conllu")
    conllu.write(made_up(8, seed=9), tmp_path / "en" / "dev.conllu")
    return [word for name in ("en", "id", "ta") for word in ("--data", tmp_path / name)]


def test_source_of_several_languages_says_what_it_was_trained_on(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "cache")
    quickly(monkeypatch)
    options = ["--lang", "en,id,ta", *several(tmp_path), "--model", place / "encoder", "--epochs", "1"]
    trained = call("source", *options)
    assert trained.exit_code == 0, trained.output
    assert f"30 en sentences of {tmp_path / 'en'}, 12 id sentences of {tmp_path / 'id'}, 6 ta" in trained.output
    (card,) = (tmp_path / "cache").glob("*/model.json")
    description = json.loads(card.read_text())
    found = [(one["lang"], one["data"], one["sentences"]) for one in description["sources"]]
    assert found == [(lang, str(tmp_path / lang), size) for lang, size in (("en", 30), ("id", 12), ("ta", 6))]
    assert not {"lang", "data", "data_fingerprint", "sentences"} & description.keys()
    assert description["dev"]["accuracy"] >= 0
    assert "kept already" in call("source", *options).output
    swapped = ["--lang", "id,en,ta", "--data", tmp_path / "id", "--data", tmp_path / "en", "--data", tmp_path / "ta"]
    assert "kept: " in call("source", *swapped, "--model", place / "encoder", "--epochs", "1").output


def test_runs_from_several_languages_name_them_and_mix_all_of_them_in(place, tmp_path, monkeypatch):
    quickly(monkeypatch)
    options = ["--lang", "en,id,ta", *several(tmp_path), "--model", place / "encoder", "--epochs", "1"]
    assert call("source", *options, "--out", tmp_path / "mixed").exit_code == 0
    run = ["run", "--lang", "xx", "--data", place / "xx", "--k", "2", "--updates", "2", "--seeds", "1"]
    run += ["--shot-sets", "1", "--regime", "joint", "--model", place / "encoder", "--source", tmp_path / "mixed"]
    result = call(*run, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "out" / "plan.json").read_text())["facts"]["Model"]
    name = f"{tmp_path / 'mixed'}, 30 en, 12 id, 6 ta sentences"
    assert facts["English, Indonesian and Tamil source model"] == name
    assert facts["source data mixed in"] == ", ".join(str(tmp_path / lang) for lang in ("en", "id", "ta"))
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert name in report and "English, Indonesian and Tamil source model" in report
    (tmp_path / "id" / "train.conllu").unlink()
    result = call(*run, "--out", tmp_path / "left")
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "left" / "plan.json").read_text())["facts"]["Model"]
    assert facts["source data mixed in"] == f"{tmp_path / 'en'}, {tmp_path / 'ta'}"
    pushed = call("push", tmp_path / "mixed", tmp_path / "pushed")
    assert pushed.exit_code == 0, pushed.output
    card = (tmp_path / "pushed" / "README.md").read_text(encoding="utf-8")
    assert "- en\n- id\n- ta\n" in card and "(30 en, 12 id, 6 ta sentences), 48 sentences" in card
    assert "trained on English, Indonesian and Tamil with fewshot" in card


def test_stopped_training_of_several_languages_goes_on_to_the_same_model(place, tmp_path, monkeypatch):
    quickly(monkeypatch)
    options = ["--lang", "en,id,ta", *several(tmp_path), "--model", place / "encoder", "--epochs", "8", "--out"]
    assert call("source", *options, tmp_path / "whole").exit_code == 0
    stopping(monkeypatch, 5)
    assert call("source", *options, tmp_path / "out").exit_code == 130
    assert call("source", *options, tmp_path / "out").exit_code == 0
    one, same = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "out"))
    assert one == same


def test_the_folder_of_another_model_is_left_as_it_is(place, tmp_path, monkeypatch):
    quickly(monkeypatch)
    options = ["--data", place / "english.conllu", "--model", place / "encoder", "--epochs", "1", "--out"]
    assert call("source", *options, tmp_path / "out").exit_code == 0
    before = (tmp_path / "out" / "model.safetensors").read_bytes()
    assert f"kept already: {tmp_path / 'out'}" in call("source", *options, tmp_path / "out").output.replace("\n", "")
    out = tmp_path / "out"
    for folder, more in ((out, ["--seed", "1"]), (out, ["--lang", "de"]), (place / "encoder", [])):
        refused = call("source", *options, folder, *more)
        assert refused.exit_code == 2
        assert "holds a model or an encoder; give another folder, or delete it" in refused.output
    for name, seed in (("train", 1), ("dev", 2)):
        (tmp_path / "treebank").mkdir(exist_ok=True)
        conllu.write(made_up(20, seed=seed), tmp_path / "treebank" / f"{name}.conllu")
    searching = ["--data", tmp_path / "treebank", "--model", place / "encoder", "--search", "--out", tmp_path / "out"]
    assert "holds a model or an encoder" in call("source", *searching).output
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == before


def test_a_slip_in_a_source_language_is_said(place, tmp_path):
    result = call("source", "--lang", "en,Finnish", "--data", tmp_path / "en", "--model", place / "encoder")
    assert "warning: Finnish is no language code that is known; Finnish is fi" in result.output


def test_each_source_language_needs_its_data(place, tmp_path):
    result = call("source", "--lang", "en,id", "--data", tmp_path / "en", "--model", place / "encoder")
    assert result.exit_code == 2
    assert "languages of --lang: 2, --data: 1; give --data once for each, in their order, or ud" in result.output


def test_feature_based_source_model_serves_feature_based_runs_alone(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "cache")
    quickly(monkeypatch)
    fixed = ["--model", place / "encoder"]
    data = ["--data", place / "english.conllu"]
    trained = call("source", *data, *fixed, "--epochs", "1", "--method", "feature-based")
    assert trained.exit_code == 0, trained.output
    options = ["--lang", "xx", "--data", place / "xx", "--k", "2", "--updates", "2", "--seeds", "1", *fixed]
    result = call("run", *options, "--method", "feature-based", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "out" / "plan.json").read_text())["facts"]
    assert facts["Plan"]["kept as in the source model"] == "encoder (k=2)"
    result = call("run", *options, "--out", tmp_path / "full")
    assert result.exit_code == 2
    assert "no source model for task pos" in result.output
    result = call("run", *options, "--method", "feature-based", "--source", place / "source", "--out", tmp_path / "no")
    assert result.exit_code == 2
    assert "this one was not" in result.output


def test_search_keeps_the_model_that_is_best_on_the_dev_file(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "cache")
    quickly(monkeypatch)
    treebank = tmp_path / "treebank"
    treebank.mkdir()
    for name, seed in (("train", 1), ("dev", 2)):
        conllu.write(made_up(20, seed=seed), treebank / f"{name}.conllu")
    (treebank / "test.conllu").write_text("This is no treebank, and nobody reads it.")
    options = ["--data", treebank, "--model", place / "encoder", "--search"]
    result = call("source", *options)
    assert result.exit_code == 0, result.output
    (card,) = (tmp_path / "cache").glob("*/model.json")
    trials = [json.loads(line) for line in (card.parent / "search.jsonl").read_text().splitlines()]
    tried = {(trial["encoder_lr"], trial["batch"], trial["epochs"]) for trial in trials}
    assert tried == set(product((2e-4, 3e-4, 5e-4), (16, 32), (3, 4)))
    assert json.loads(card.read_text())["dev"]["accuracy"] == max(trial["score"] for trial in trials)
    again = call("source", *options)
    assert again.output.splitlines()[-15:] == result.output.splitlines()[-15:]  # the table, and where the model is
    assert "warning: 20 sentences to train on and 20 to choose by are few for --search" in result.output
    assert "batch 16, 3 epochs: dev" in result.output
    assert "batch 16, 3 epochs: dev" not in again.output


def stopping(monkeypatch, at):
    """Write a checkpoint after every update, and have the user stop the update ``at``, once."""
    monkeypatch.setattr(checkpoint, "EVERY", 0)
    monkeypatch.setattr(checkpoint, "SHARE", inf)
    step, updates = fit._train_step, count(1)

    def train_step(*given):
        if next(updates) == at:
            raise KeyboardInterrupt
        return step(*given)

    monkeypatch.setattr(fit, "_train_step", train_step)


def test_stopped_source_training_goes_on_to_the_same_model(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "cache")
    quickly(monkeypatch)
    options = ["--data", place / "english.conllu", "--model", place / "encoder", "--method", "freeze-none"]
    options += ["--epochs", "8", "--out"]
    assert call("source", *options, tmp_path / "whole").exit_code == 0
    stopping(monkeypatch, 5)
    stopped = call("source", *options, tmp_path / "out")
    assert stopped.exit_code == 130
    assert "stopped; the same command goes on from the last checkpoint" in stopped.output
    assert {file.name for file in (tmp_path / "out").iterdir()} == {".lock", "checkpoint.safetensors"}
    other = call("source", *options, tmp_path / "out", "--seed", "1")
    assert other.exit_code == 2
    assert "of a training with other data or settings, which was stopped" in other.output
    with journal.holding(tmp_path / "out"):
        assert "another fewshot run is working here" in call("source", *options, tmp_path / "out").output
    resumed = call("source", *options, tmp_path / "out")
    assert resumed.exit_code == 0, resumed.output
    one, same = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "out"))
    assert one == same
    assert not (tmp_path / "out" / "checkpoint.safetensors").exists()


def test_stopped_search_goes_on_within_its_candidate(place, tmp_path, monkeypatch):
    quickly(monkeypatch)
    monkeypatch.setattr("fewshot.experiments.search.RATES", (2e-5, 5e-5))
    for name, seed in (("train", 1), ("dev", 2)):
        conllu.write(made_up(20, seed=seed), tmp_path / f"{name}.conllu")
    options = ["--data", tmp_path, "--model", place / "encoder", "--search", "--out"]
    whole = call("source", *options, tmp_path / "whole")
    assert whole.exit_code == 0, whole.output
    stopping(monkeypatch, 16)  # in the second candidate
    assert call("source", *options, tmp_path / "out").exit_code == 130
    assert (tmp_path / "out" / "checkpoint.safetensors").exists()
    updates, step = [], fit._train_step
    monkeypatch.setattr(fit, "_train_step", lambda *given: updates.append(1) or step(*given))
    resumed = call("source", *options, tmp_path / "out")
    assert resumed.exit_code == 0, resumed.output
    scores = [
        [json.loads(line)["score"] for line in (tmp_path / name / "search.jsonl").read_text().splitlines()]
        for name in ("whole", "out")
    ]
    assert scores[0] == scores[1]
    one, same = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "out"))
    assert one == same
    assert not (tmp_path / "out" / "checkpoint.safetensors").exists()
    batches = {16: 2, 32: 1}
    total = sum(2 * batches[batch] * epochs for batch in batches for epochs in (3, 4))
    assert len(updates) == total - 15


def test_search_of_a_method_without_a_rate_is_refused_before_it_reads(place):
    result = call("source", "--data", "nowhere", "--model", place / "encoder", "--search", "--method", "lora")
    assert result.exit_code == 2
    assert "leave it out with lora" in result.output


def test_search_that_makes_no_sense_is_refused(place, tmp_path):
    conllu.write(made_up(5, seed=1), tmp_path / "train.conllu")
    for data in (tmp_path, place / "english.conllu"):
        result = call("source", "--data", data, "--model", place / "encoder", "--search")
        assert result.exit_code == 2
        assert f"{data}: --search chooses by a dev file of the source language, and there is none" in result.output
    result = call("source", "--data", tmp_path, "--model", place / "encoder", "--search", "--epochs", "3")
    assert result.exit_code == 2
    assert "leave out --epochs" in result.output


def test_updates_stand_in_place_of_epochs(place, tmp_path):
    fixed = ["source", "--data", place / "english.conllu", "--model", place / "encoder", "--updates", "3"]
    result = call(*fixed, "--out", tmp_path / "source")
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "source" / "model.json").read_text())["recipe"]["updates"] == 3
    both = call(*fixed, "--epochs", "1")
    assert both.exit_code == 2
    assert "--epochs and --updates both say when training ends; give one of them" in both.output


def test_source_needs_an_epoch(place):
    result = call("source", "--data", place / "english.conllu", "--model", place / "encoder", "--epochs", "0")
    assert result.exit_code == 2
    assert "epochs is 0; it must be at least 1" in result.output


def test_source_refuses_a_method_of_the_adaptation_before_it_reads(place):
    result = call("source", "--data", "nowhere", "--model", place / "encoder", "--method", "lauscher2020")
    assert result.exit_code == 2
    assert "train the source model with full" in result.output


def test_source_checks_the_dev_file_before_it_trains(place, tmp_path):
    conllu.write(made_up(5, seed=1), tmp_path / "train.conllu")
    conllu.write([s.unannotated() for s in made_up(5, seed=2)], tmp_path / "dev.conllu")
    result = call("source", "--data", tmp_path, "--model", place / "encoder", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "dev.conllu:1: no pos annotation here" in result.output


def test_encoder_without_a_source_model_says_how_to_train_one(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "cache")
    monkeypatch.setattr("fewshot.training.sources.embedded_in", lambda: tmp_path / "embedded")
    result = call("run", "--lang", "xx", "--data", place / "xx", "--model", place / "encoder", "--out", tmp_path / "o")
    assert result.exit_code == 2
    assert "train one with: fewshot source --task pos --model" in result.output
