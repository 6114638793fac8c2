"""The command line, through its runner: what it prints, what it writes, and how it refuses bad input."""

import contextlib
import json
import os
import re
import shutil
from dataclasses import replace
from itertools import product

import pytest
from making import made_up, save_encoder
from typer.testing import CliRunner

from fewshot.cli import app
from fewshot.corpora import conllu
from fewshot.training.recipe import Recipe

RUNNER = CliRunner()
ENVIRONMENT = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}


@pytest.fixture(scope="module")
def place(tmp_path_factory, source_model):
    """A treebank, an English file, an encoder and its source model."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "xx").mkdir()
    conllu.write(made_up(30, seed=5, name="pool"), folder / "xx" / "pool.conllu")
    conllu.write(made_up(15, seed=6, name="test"), folder / "xx" / "test.conllu")
    conllu.write(made_up(20, seed=7), folder / "english.conllu")
    save_encoder(folder / "encoder", limit=64)
    source_model.save(folder / "source")
    return folder


def call(*arguments):
    return RUNNER.invoke(app, [str(argument) for argument in arguments], env=ENVIRONMENT)


def run(place, out, *more):
    fixed = ["--model", place / "encoder", "--source", place / "source"]
    usual = {"--lang": "xx", "--data": place / "xx", "--k": "4", "--updates": "3", "--seeds": "1", "--shot-sets": "2"}
    for name, value in zip(more[::2], more[1::2], strict=True):
        usual[name] = value
    options = [part for pair in usual.items() for part in pair if part]
    return call("run", *fixed, *options, "--out", out)


@pytest.fixture(scope="module")
def done(place, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "one"
    return run(place, out), out


def test_run_prints_a_table_and_writes_a_report(done):
    result, out = done
    assert result.exit_code == 0, result.output
    assert {"report.html", "curve.html", "results.jsonl", "plan.json", "model"} <= {path.name for path in out.iterdir()}
    assert "random" in result.output
    assert "$" in result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "plotly" in page.lower()
    plan = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    assert plan["plan"]["ks"] == [4]


def test_same_command_again_adds_nothing(place, done):
    _, out = done
    before = (out / "results.jsonl").read_bytes()
    assert run(place, out).exit_code == 0
    assert (out / "results.jsonl").read_bytes() == before


def test_another_plan_in_the_same_folder_is_refused(place, done):
    _, out = done
    result = run(place, out, "--regime", "sequential")
    assert result.exit_code == 2
    assert "holds runs of another recipe" in result.output


def test_source_data_that_would_not_be_mixed_in_are_refused(place, tmp_path):
    result = run(place, tmp_path, "--regime", "sequential", "--source-data", place / "english.conllu")
    assert result.exit_code == 2
    assert "english.conllu: source data is mixed in under --regime joint alone" in " ".join(result.output.split())


def test_compare_two_runs(place, done, tmp_path):
    _, out = done
    other = tmp_path / "other"
    assert run(place, other, "--regime", "sequential").exit_code == 0
    result = call("compare", out, other, "--out", tmp_path / "both")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "both" / "report.html").read_text(encoding="utf-8")
    assert "sequential random" in page
    assert "sequential random" in page


def test_compare_writes_tables_figures_and_the_price_of_a_target(done, tmp_path):
    table, figure = tmp_path / "t.csv", tmp_path / "f.html"
    result = call("compare", done[1], "--out", tmp_path, "--target", "99", "--table", table, "--figure", figure)
    assert result.exit_code == 0, result.output
    assert "best score for the money: zero-shot (" in result.output
    assert re.search(r"99 (takes about|is out of reach)", result.output)
    assert table.read_text().startswith("curve,k,score,")
    assert "What it amounts to" in (tmp_path / "report.html").read_text(encoding="utf-8")
    refused = call("compare", done[1], "--out", tmp_path, "--table", tmp_path / "t.xls")
    assert refused.exit_code == 2
    assert "give a name that ends in .csv, .md, .tex" in refused.output


def test_run_ends_with_advice_on_the_next_batch(done):
    result, out = done
    last = result.output.strip().splitlines()[-1]
    assert re.match(
        r"The next \d+ sentences bring -?\d+\.\d \[-?\d+\.\d, -?\d+\.\d\] points for \$\d+\.\d\d: (go on|stop)", last
    )
    assert last in (out / "report.html").read_text(encoding="utf-8")


def test_second_command_adds_to_the_report_of_the_first(place, tmp_path):
    out = tmp_path / "out"
    assert run(place, out, "--sampler", "random,longest", "--k", "3,6").exit_code == 0
    assert run(place, out, "--k", "4", "--shot-sets", "1").exit_code == 0
    plan = json.loads((out / "plan.json").read_text())
    assert (plan["plan"]["ks"], plan["plan"]["samplers"], plan["plan"]["shot_sets"]) == (
        [3, 4, 6],
        ["random", "longest"],
        2,
    )
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "k = 3, 4, 6" in page
    assert "<caption>longest</caption>" in page


def test_rounds_are_said_wherever_the_shots_are(place, tmp_path):
    out = tmp_path / "out"
    settings = ("--sampler", "entropy,random", "--k", "3,6", "--shot-sets", "1")
    result = run(place, out, *settings, "--rounds", None)
    assert result.exit_code == 0, result.output
    said = "In rounds: entropy 3+3; the model trained on the first shots chose the second ones"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert said in result.output and said in page
    assert "<caption>entropy 3+3</caption>" in page and "entropy 3+3, shot set 0" in page
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert [one["rounds"] for one in lines] == [[], [3], [], [3, 3], []]
    assert call("push", out / "model", tmp_path / "pushed").exit_code == 0
    card = (tmp_path / "pushed" / "README.md").read_text(encoding="utf-8")
    assert "drawn by entropy in rounds of 3, 3, draw 0" in card and "| entropy 3+3 | 6 |" in card
    assert "In rounds: " not in run(place, tmp_path / "passive", "--shot-sets", "1", "--rounds", None).output


def test_one_shot_set_is_said(place, done, tmp_path):
    result = run(place, tmp_path / "out", "--shot-sets", "1")
    said = "One shot set of random: the intervals hold the noise of the test set"
    assert said in result.output
    assert said in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert said not in done[0].output


@pytest.mark.parametrize("name", ["[red]x", "b[/b]"])
def test_brackets_in_names_are_printed_as_they_are(place, tmp_path, name):
    result = run(place, tmp_path / name)
    assert result.exit_code == 0, result.output
    assert f"Out   {tmp_path / name}" in result.output
    assert f"{tmp_path / name}/report.html" in result.output
    compared = call("compare", tmp_path / name, "--out", tmp_path / f"{name}y")
    assert str(tmp_path / f"{name}y" / "report.html") in compared.output
    missing = call("data", "check", tmp_path / f"{name}.conllu")
    assert f"error: {tmp_path / name}.conllu: no such file" in missing.output


def test_runs_of_one_name_are_told_apart_by_their_folders(place, done, tmp_path):
    _, out = done
    for name in ("x", "y"):
        shutil.copytree(out, tmp_path / name / "run")
    result = call("compare", tmp_path / "x" / "run", tmp_path / "y" / "run", "--out", tmp_path / "both")
    assert f"{tmp_path}/x/run random" in result.output
    assert f"{tmp_path}/y/run random" in result.output


def test_comparing_one_run_has_a_title(done, tmp_path):
    assert call("compare", done[1], "--out", tmp_path).exit_code == 0
    assert "<title>POS tagging: xx</title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("plan", ["[]", "{}", "", '{"facts": []}'])
def test_compare_without_a_plan(done, tmp_path, plan):
    (tmp_path / "results.jsonl").write_bytes((done[1] / "results.jsonl").read_bytes())
    (tmp_path / "plan.json").write_text(plan)
    result = call("compare", tmp_path)
    assert result.exit_code == 2
    assert "no run here (results.jsonl and plan.json)" in result.output


def test_only_the_embedded_encoder_is_called_a_toy(place, tmp_path):
    shutil.copytree(place / "encoder", tmp_path / "minimax")
    with contextlib.chdir(tmp_path):
        result = run(place, tmp_path / "out", "--model", "minimax", "--k", "0")
    assert result.exit_code == 0, result.output
    assert "for real work" not in result.output


def test_source_model_is_of_the_language_that_its_card_says(place, tmp_path, source_model):
    model = source_model.copy()
    for lang, title in (("fr", "French source model"), ("fra", "French source model"), ("xx", "xx source model")):
        model.card = {"lang": lang}
        model.save(tmp_path / lang)
        result = run(place, tmp_path / f"out-{lang}", "--k", "0", "--source", tmp_path / lang)
        assert f"{title} {tmp_path / lang}" in result.output
        assert "English" not in result.output
        assert title in (tmp_path / f"out-{lang}" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("task", "advice"), [("pos", "ud (downloaded once), or a folder or file"), ("ner", "a folder or file")]
)
def test_treebanks_are_advised_for_what_they_hold(tmp_path, task, advice):
    result = call("run", "--lang", "xx", "--task", task)
    assert f"for other languages give --data {advice}." in result.output
    result = call("run", "--lang", "ja", "--task", task, "--k", "0", "--out", tmp_path)
    assert f"for real work: --model xlm-roberta-base --data {advice}\n" in result.output
    assert f"# DATA: {advice}\n" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_zero_shot_alone(place, tmp_path):
    result = run(place, tmp_path / "zero", "--k", "0")
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "zero" / "results.jsonl").read_text().splitlines()) == 1


BAD = "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\n\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "pso"], "unknown task 'pso': did you mean pos"),
        (["--sampler", "random,longst"], "unknown sampler 'longst': did you mean longest"),
        (["--sampler", ","], "no sampler is named"),
        (["--k", "-5"], "no number of examples"),
        (["--k", "300"], "pool has 30 examples of 3-12 tokens, 300 asked"),
        (["--data", "/no/such"], "/no/such: no such file or folder"),
        (["--data", "sample"], "unknown language of the embedded sample 'xx'"),
        (["--model", "/no/such"], "/no/such: no encoder here"),
        (["--method", "magic"], "unknown method 'magic'"),
        (["--regime", "both"], "unknown regime 'both'"),
        (["--device", "tpu9"], "device 'tpu9' cannot be used"),
        (["--device", "meta"], "device 'meta' cannot be used"),
        (["--rates", "/no/rates.toml"], "/no/rates.toml: cannot be read"),
        (["--seeds", "0"], "seeds is 0"),
        (["--task", "parse"], "unknown task 'parse'"),
    ],
)
def test_bad_options_get_one_line_and_exit_code_two(place, tmp_path, options, message):
    result = run(place, tmp_path / "out", *options)
    assert result.exit_code == 2, result.output
    assert message in result.output
    assert "Traceback" not in result.output
    assert len([line for line in result.output.splitlines() if line.startswith("error:")]) == 1
    assert not (tmp_path / "out" / "results.jsonl").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BAD, "test.conllu:1: 9 tab-separated columns"),
        ("", "test.conllu: the file is empty"),
        (b"1\t\xe9\n", "test.conllu:1: byte 0xe9 is not UTF-8"),
        (BAD.replace("\t_\n", "\t_\t_\n").replace("NOUN", "NN"), "UPOS 'NN' of 'a' is none of"),
        (BAD.replace("\t_\n", "\t_\t_\n").replace("NOUN", "_"), "no pos annotation here"),
    ],
)
def test_bad_files_are_named_with_their_line(place, tmp_path, content, message):
    (tmp_path / "pool.conllu").write_bytes((place / "xx" / "pool.conllu").read_bytes())
    (tmp_path / "test.conllu").write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run(place, tmp_path / "out", "--data", tmp_path)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_output_folder(place, tmp_path):
    tmp_path.chmod(0o500)
    result = run(place, tmp_path / "out")
    assert result.exit_code == 2
    assert "cannot be written" in result.output


def test_output_folder_that_is_a_file(place, tmp_path):
    (tmp_path / "out").write_text("x")
    result = run(place, tmp_path / "out")
    assert result.exit_code == 2
    assert "cannot be written" in result.output
    assert (tmp_path / "out").read_text() == "x"


def test_damaged_results_are_named_and_kept(place, done, tmp_path):
    _, out = done
    for name in ("results.jsonl", "plan.json"):
        (tmp_path / name).write_bytes((out / name).read_bytes())
    text = "nonsense\n" + (tmp_path / "results.jsonl").read_text()
    (tmp_path / "results.jsonl").write_text(text)
    result = run(place, tmp_path)
    assert result.exit_code == 2
    assert "results.jsonl:1: no result of fewshot" in result.output
    assert (tmp_path / "results.jsonl").read_text() == text


def test_full_disk_keeps_what_is_there(place, done, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    _, out = done
    lines = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_bytes(lines[0])
    (tmp_path / "plan.json").write_bytes((out / "plan.json").read_bytes())
    monkeypatch.setattr("fewshot.curves.journal.os.fsync", full)
    monkeypatch.setattr("fewshot.experiments.card.write_text", lambda *_: None)
    result = run(place, tmp_path)
    assert result.exit_code == 2
    assert "No space left on device" in result.output
    assert (tmp_path / "results.jsonl").read_bytes() == lines[0]


def test_interrupted_run_says_how_to_go_on(place, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fewshot.commands.run.execute", interrupt)
    result = run(place, tmp_path / "out")
    assert result.exit_code == 130
    assert "the same command goes on from here" in result.output


@pytest.mark.parametrize(
    ("job", "arguments", "said"),
    [
        ("source.source", ["source", "--data", "x"], "stopped; no model is kept, and the same command begins again"),
        ("data.get", ["data", "get", "ja"], "stopped; what has arrived is kept"),
        ("data.check", ["data", "check"], "stopped; nothing was changed"),
    ],
)
def test_stopped_commands_say_what_is_true(monkeypatch, job, arguments, said):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"fewshot.commands.{job}", interrupt)
    result = call(*arguments)
    assert result.exit_code == 130
    assert said in result.output
    assert "goes on from here" not in result.output


def test_compare_needs_runs(tmp_path):
    result = call("compare", tmp_path)
    assert result.exit_code == 2
    assert "no run here" in result.output


def test_source_is_trained_once(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.source.kept_in", lambda: tmp_path / "cache")
    monkeypatch.setattr(Recipe, "source", lambda *args: Recipe(regime="sequential", head_lr=1e-3))
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


def test_feature_based_source_model_serves_feature_based_runs_alone(place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.source.kept_in", lambda: tmp_path / "cache")
    usual = Recipe.source
    monkeypatch.setattr(Recipe, "source", lambda *made_for: replace(usual(*made_for), least=1))  # so that it is quick
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
    monkeypatch.setattr("fewshot.training.source.kept_in", lambda: tmp_path / "cache")
    usual = Recipe.source
    monkeypatch.setattr(Recipe, "source", lambda *made_for: replace(usual(*made_for), least=1))  # so that it is quick
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


def test_search_that_makes_no_sense_is_refused(place, tmp_path):
    conllu.write(made_up(5, seed=1), tmp_path / "train.conllu")
    for data in (tmp_path, place / "english.conllu"):
        result = call("source", "--data", data, "--model", place / "encoder", "--search")
        assert result.exit_code == 2
        assert f"{data}: --search chooses by a dev file of the source language, and there is none" in result.output
    result = call("source", "--data", tmp_path, "--model", place / "encoder", "--search", "--epochs", "3")
    assert result.exit_code == 2
    assert "leave out --epochs" in result.output


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
    monkeypatch.setattr("fewshot.training.source.kept_in", lambda: tmp_path / "cache")
    monkeypatch.setattr("fewshot.training.source.embedded_in", lambda: tmp_path / "embedded")
    result = call("run", "--lang", "xx", "--data", place / "xx", "--model", place / "encoder", "--out", tmp_path / "o")
    assert result.exit_code == 2
    assert "train one with: fewshot source --task pos --model" in result.output


def test_data_list_names_the_usual_treebank():
    result = call("data", "list", "ja")
    assert result.exit_code == 0, result.output
    assert "UD_Japanese-GSD" in result.output
    assert "UD_Swedish" not in result.output


def test_data_check_finds_the_line(place, tmp_path):
    assert call("data", "check", place / "xx", "--task", "pos").exit_code == 0
    (tmp_path / "bad.conllu").write_text(BAD)
    result = call("data", "check", tmp_path / "bad.conllu")
    assert result.exit_code == 2
    assert "bad.conllu:1: " in result.output
    (tmp_path / "bad.conllu").rename(tmp_path / "pool.CONLLU")
    assert "pool.CONLLU:1: " in call("data", "check", tmp_path).output


@pytest.mark.parametrize(
    ("name", "content", "task", "message"),
    [
        ("x.conllu", BAD.replace("\t_\n", "\t_\t_\n").replace("NOUN", "_"), "dep+upos", "1: no word has a UPOS tag"),
        ("x.tsv", "id\ttext\n1\ta\n1\tb\n", "topic", "3: id '1' is that of line 2 too"),
        ("x.tsv", "text\ttext\na\tb\n", None, "1: column 'text' is named twice"),
        ("x.tsv", "#FORMAT=WebAnno TSV 3.3\n", None, " no layer of named entities"),
        ("x.json", "[]", None, " Label Studio's files do not say which task they are of; give it (--task)"),
        ("x.json", "[]", "pos", " no task in this file"),
        ("x.ndjson", '{"text": "a"}', "pos", "1: no pos annotation here"),
    ],
)
def test_data_check_finds_what_a_run_would_refuse(tmp_path, name, content, task, message):
    (tmp_path / name).write_text(content)
    result = call("data", "check", tmp_path / name, *(["--task", task] if task else []))
    assert result.exit_code == 2
    assert f"error: {tmp_path / name}:{message}" in result.output


def test_data_check_of_the_cache_knows_its_tasks():
    assert "unknown task 'foo'" in call("data", "check", "--task", "foo").output
    assert call("data", "check", "--task", "pos").exit_code == 0


def test_help_names_every_command():
    result = call("--help")
    assert all(name in result.output for name in ("run", "compare", "source", "pretrain", "data"))
