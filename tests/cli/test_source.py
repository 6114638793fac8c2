import json
from itertools import count, product
from math import inf
from types import SimpleNamespace

import pytest
from cli.calls import FEW_UPDATES, call
from making import made_up

from fewshot import checkpoint
from fewshot.corpora.formats import conllu
from fewshot.curves import journal
from fewshot.training import loop, presets


@pytest.fixture(autouse=True)
def few_updates(monkeypatch):
    monkeypatch.setattr(presets, "SOURCE", FEW_UPDATES)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def mixed(place, tmp_path_factory):
    """A source model of three treebanks of different sizes, the first with a dev file."""
    folder = tmp_path_factory.mktemp("several")
    for number, (name, size) in enumerate((("en", 30), ("id", 12), ("ta", 6))):
        (folder / name).mkdir()
        conllu.write(made_up(size, seed=number, name=name), folder / name / "train.conllu")
    conllu.write(made_up(8, seed=9), folder / "en" / "dev.conllu")
    options = ["--lang", "en,id,ta", *(word for name in ("en", "id", "ta") for word in ("--data", folder / name))]
    options += ["--model", place / "encoder", "--epochs", "4", "--method", "freeze-none"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presets, "SOURCE", FEW_UPDATES)
        result = call("source", *options, "--out", folder / "mixed")
    assert result.exit_code == 0, result.output
    return SimpleNamespace(folder=folder, out=folder / "mixed", options=options, output=result.output)


def write_treebank(folder, **files):
    folder.mkdir(exist_ok=True)
    for seed, (name, size) in enumerate(files.items(), start=1):
        conllu.write(made_up(size, seed=seed), folder / f"{name}.conllu")
    return folder


def test_a_source_model_is_trained_once_and_found_by_a_run(place, cache, tmp_path, monkeypatch):
    run = ["run", "--lang", "xx", "--data", place / "xx", "--model", place / "encoder", "--k", "0", "--out", tmp_path]
    with monkeypatch.context() as without_embedded:
        without_embedded.setattr("fewshot.training.sources.embedded_dir", lambda: tmp_path / "embedded")
        refused = call(*run)
    assert refused.exit_code == 2
    assert "train one with: fewshot source --task pos --model" in refused.output
    options = ["--data", place / "english.conllu", "--model", place / "encoder", "--updates", "3"]
    call("source", *options, ends=0)
    assert "kept already" in call("source", *options).output
    (file,) = cache.glob("*/model.json")
    card = json.loads(file.read_text())
    assert (card["data"], card["recipe"]["updates"]) == (str(place / "english.conllu"), 3)
    file.write_text("[]")
    assert "kept: " in call("source", *options).output
    call(*run, ends=0)


def test_a_source_model_of_several_languages_records_what_it_was_trained_on(mixed, tmp_path):
    folder = mixed.folder
    assert f"30 en sentences of {folder / 'en'}, 12 id sentences of {folder / 'id'}, 6 ta" in mixed.output
    description = json.loads((mixed.out / "model.json").read_text())
    found = [(one["lang"], one["data"], one["sentences"]) for one in description["sources"]]
    assert found == [(lang, str(folder / lang), size) for lang, size in (("en", 30), ("id", 12), ("ta", 6))]
    assert not {"lang", "data", "data_fingerprint", "sentences"} & description.keys()
    assert description["dev"]["accuracy"] >= 0
    assert call("push", mixed.out, tmp_path / "pushed").exit_code == 0
    card = (tmp_path / "pushed" / "README.md").read_text(encoding="utf-8")
    assert "- en\n- id\n- ta\n" in card and "(30 en, 12 id, 6 ta sentences), 48 sentences" in card
    assert "trained on English, Indonesian and Tamil with fewshot" in card


def test_a_run_from_several_languages_names_them_and_mixes_in_those_that_are_on_disk(place, mixed, tmp_path):
    run = ["run", "--lang", "xx", "--data", place / "xx", "--k", "0", "--regime", "joint"]
    run += ["--model", place / "encoder", "--source", mixed.out]
    name, file = f"{mixed.out}, 30 en, 12 id, 6 ta sentences", mixed.folder / "id" / "train.conllu"
    for out, langs in (("all", ("en", "id", "ta")), ("left", ("en", "ta"))):
        if out == "left":
            file.rename(tmp_path / "moved")
        try:
            result = call(*run, "--out", tmp_path / out)
        finally:
            if out == "left":
                (tmp_path / "moved").rename(file)
        assert result.exit_code == 0, result.output
        facts = json.loads((tmp_path / out / "plan.json").read_text())["facts"]["Model"]
        assert facts["English, Indonesian and Tamil source model"] == name
        assert facts["source data mixed in"] == ", ".join(str(mixed.folder / lang) for lang in langs)
    report = (tmp_path / "all" / "report.html").read_text(encoding="utf-8")
    assert name in report and "English, Indonesian and Tamil source model" in report


def test_the_folder_of_another_model_is_left_as_it_is(place, mixed, tmp_path):
    before = (mixed.out / "model.safetensors").read_bytes()
    again = call("source", *mixed.options, "--out", mixed.out)
    assert f"kept already: {mixed.out}" in again.output.replace("\n", "")
    swapped = ["--lang", "id,en,ta", *(w for lang in ("id", "en", "ta") for w in ("--data", mixed.folder / lang))]
    searching = ["--data", write_treebank(tmp_path, train=20, dev=20), "--model", place / "encoder", "--search"]
    for folder, options in (
        (mixed.out, [*mixed.options, "--seed", "1"]),
        (mixed.out, [*mixed.options[8:], *swapped]),
        (place / "encoder", mixed.options),
        (mixed.out, searching),
    ):
        refused = call("source", *options, "--out", folder, ends=2)
        assert "holds another model or encoder; give another --out, or delete the folder" in refused.output
    assert (mixed.out / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("how", "kept"), [(["--method", "feature-based"], "encoder"), (["--pooling", "first"], "nothing")]
)
def test_a_source_model_that_reads_the_encoder_otherwise_serves_runs_of_its_kind_alone(
    how, kept, place, cache, tmp_path
):
    fixed = ["--model", place / "encoder"]
    call("source", "--data", place / "english.conllu", *fixed, "--epochs", "1", *how, ends=0)
    options = ["--lang", "xx", "--data", place / "xx", "--k", "2", "--updates", "1", "--seeds", "1", *fixed]
    options += ["--shot-sets", "1"]
    call("run", *options, *how, "--out", tmp_path / "out", ends=0)
    facts = json.loads((tmp_path / "out" / "plan.json").read_text())["facts"]
    assert facts["Plan"]["kept as in the source model"] == f"{kept} (k=2)"
    described = json.loads((tmp_path / "out" / "model" / "model.json").read_text())
    assert described["readout"] == ("last layer, first" if "first" in how else "layer mix")
    for more, message in (
        ([], "no source model for task pos"),
        ([*how, "--source", place / "source"], "this one was not"),
    ):
        result = call("run", *options, *more, "--out", tmp_path / "no")
        assert result.exit_code == 2 and message in result.output


def stopping(monkeypatch, at):
    """Write a checkpoint after every update, and have the user stop the update ``at``, once."""
    monkeypatch.setattr(checkpoint, "MIN_INTERVAL", 0)
    monkeypatch.setattr(checkpoint, "MAX_TIME_SHARE", inf)
    update, updates = loop.Training._update, count(1)

    def updated(*given):
        if next(updates) == at:
            raise KeyboardInterrupt
        return update(*given)

    monkeypatch.setattr(loop.Training, "_update", updated)


def test_a_stopped_training_goes_on_to_the_same_model(mixed, tmp_path, monkeypatch):
    out = tmp_path / "out"
    stopping(monkeypatch, 5)
    stopped = call("source", *mixed.options, "--out", out, ends=130)
    assert "stopped; repeat the command to resume from the last checkpoint" in stopped.output
    assert {file.name for file in out.iterdir()} == {".lock", "checkpoint.safetensors"}
    other = call("source", *mixed.options, "--out", out, "--seed", "1", ends=2)
    assert "belongs to a stopped training with other data or settings" in other.output
    with journal.lock_folder(out):
        assert "another fewshot process uses this folder" in call("source", *mixed.options, "--out", out).output
    call("source", *mixed.options, "--out", out, ends=0)
    assert (mixed.out / "model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()
    assert not (out / "checkpoint.safetensors").exists()


def test_a_search_keeps_the_model_that_is_best_on_the_dev_file_also_when_it_was_stopped(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.experiments.search.ENCODER_LRS", (2e-5,))
    treebank = write_treebank(tmp_path / "treebank", train=20, dev=20)
    (treebank / "test.conllu").write_text("This is no treebank, and nobody reads it.")
    options = ["--data", treebank, "--model", place / "encoder", "--search", "--out"]
    whole = call("source", *options, tmp_path / "whole", ends=0)
    trials = [json.loads(line) for line in (tmp_path / "whole" / "search.jsonl").read_text().splitlines()]
    tried = {(trial["encoder_lr"], trial["batch"], trial["epochs"]) for trial in trials}
    assert len(tried) == len(trials) == 4 and {one[1:] for one in tried} == set(product((16, 32), (3, 4)))
    card = json.loads((tmp_path / "whole" / "model.json").read_text())
    assert card["dev"]["accuracy"] == max(trial["score"] for trial in trials)
    again = call("source", *options, tmp_path / "whole")
    assert again.output.splitlines()[-7:] == whole.output.splitlines()[-7:]  # the table, and where the model is
    assert "warning: --search has 20 sentences to train on and 20 to choose by" in whole.output
    assert "batch 16, 3 epochs: dev" in whole.output
    assert "batch 16, 3 epochs: dev" not in again.output

    stopping(monkeypatch, 8)  # in the second candidate
    assert call("source", *options, tmp_path / "out").exit_code == 130
    assert (tmp_path / "out" / "checkpoint.safetensors").exists()
    updates, update = [], loop.Training._update
    monkeypatch.setattr(loop.Training, "_update", lambda *given: updates.append(1) or update(*given))
    call("source", *options, tmp_path / "out", ends=0)
    resumed = [json.loads(line)["score"] for line in (tmp_path / "out" / "search.jsonl").read_text().splitlines()]
    assert resumed == [trial["score"] for trial in trials]
    one, same = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "out"))
    assert one == same
    assert not (tmp_path / "out" / "checkpoint.safetensors").exists()
    batches = {16: 2, 32: 1}
    total = sum(batches[batch] * epochs for batch in batches for epochs in (3, 4))
    assert len(updates) == total - 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "nowhere", "--search", "--method", "lora"], "leave it out with lora"),
        (["--data", "{train}", "--search"], "{train}: no development file, which --search needs"),
        (["--data", "{english}", "--search"], "{english}: no development file, which --search needs"),
        (["--data", "{train}", "--search", "--epochs", "3"], "leave out --epochs"),
        (["--data", "{english}", "--updates", "3", "--epochs", "1"], "--epochs and --updates both set the end"),
        (["--data", "{blank}"], "dev.conllu:1: no pos annotation here"),
        (
            ["--data", "{train}", "--lang", "en,id"],
            "languages of --lang: 2, --data: 1; give --data once per language, in",
        ),
        (["--data", "{train}", "--lang", "en,Finnish"], "warning: Finnish is not a known language code; Finnish"),
    ],
)
def test_options_that_make_no_sense_are_refused(place, tmp_path, options, message):
    places = {"train": write_treebank(tmp_path / "train", train=5), "english": place / "english.conllu"}
    places["blank"] = write_treebank(tmp_path / "blank", train=5)
    conllu.write([one.unannotated() for one in made_up(5, seed=2)], places["blank"] / "dev.conllu")
    options = [option.format(**places) for option in options]
    result = call("source", *options, "--model", place / "encoder", "--out", tmp_path / "out", ends=2)
    assert message.format(**places) in result.output
