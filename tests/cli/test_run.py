import contextlib
import json
import re
import shutil

import pytest
from cli.calls import call, run


def test_a_run_prints_a_table_writes_a_report_and_ends_with_advice_and_again_adds_nothing(place, done):
    result, out = done
    assert result.exit_code == 0, result.output
    assert {"report.html", "curve.html", "results.jsonl", "plan.json", "model"} <= {path.name for path in out.iterdir()}
    assert "random" in result.output and "$" in result.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "plotly" in page.lower()
    assert json.loads((out / "plan.json").read_text(encoding="utf-8"))["facts"]["Plan"]["k"] == "4"
    last = result.output.strip().splitlines()[-1]
    points = r"-?\d+\.\d points \(80%: -?\d+\.\d to -?\d+\.\d\)"
    assert re.match(rf"The next \d+ sentences bring {points} for \$\d+\.\d\d: (go on|stop)", last)
    assert last in page
    before = (out / "results.jsonl").read_bytes()
    assert run(place, out).exit_code == 0
    assert (out / "results.jsonl").read_bytes() == before


def test_a_dry_run_says_how_long_it_takes_and_what_it_costs_and_keeps_what_it_timed(place, tmp_path):
    out = tmp_path / "out"
    result = run(place, out, "--dry-run", None, ends=0)
    assert "timing a training of out" in result.output
    (trainings,) = re.findall(r"\d+ of (\d+) trainings to do", result.output)
    assert {path.name for path in out.iterdir()}.isdisjoint({"report.html", "model"})
    again = run(place, out, "--dry-run", None)
    assert "timing" not in again.output
    assert f"{int(trainings) - 1} of {trainings} trainings to do" in again.output
    nothing = run(place, tmp_path / "zero", "--dry-run", None, "--k", "0")
    assert nothing.exit_code == 0 and "timing" not in nothing.output
    assert "0 of 0 trainings to do" in nothing.output


def test_rounds_are_said_wherever_the_shots_are(place, tmp_path):
    out = tmp_path / "out"
    settings = ("--sampler", "entropy,random", "--k", "3,6", "--shot-sets", "1")
    result = run(place, out, *settings, "--rounds", None, ends=0)
    said = "In rounds: entropy 3+3; the model of seed 0 trained on the shots of all rounds so far chose"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert said in result.output and said in page
    assert "<caption>entropy 3+3</caption>" in page and "entropy 3+3, shot set 0" in page
    one_draw = "One shot set of entropy 3+3, random: the intervals include the noise of the test set"
    assert one_draw in result.output and one_draw in page
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert [one["rounds"] for one in lines] == [[], [3], [], [3, 3], []]
    assert call("push", out / "model", tmp_path / "pushed").exit_code == 0
    card = (tmp_path / "pushed" / "README.md").read_text(encoding="utf-8")
    assert "drawn by entropy in rounds of 3, 3, draw 0" in card and "| entropy 3+3 | 6 |" in card
    assert "In rounds: " not in run(place, tmp_path / "passive", "--k", "0", "--rounds", None).output


def test_only_the_embedded_encoder_is_called_a_toy(place, tmp_path):
    shutil.copytree(place / "encoder", tmp_path / "minimax")
    with contextlib.chdir(tmp_path):
        result = run(place, tmp_path / "out", "--model", "minimax", "--k", "0")
    assert result.exit_code == 0, result.output
    assert "for real work" not in result.output


def test_source_model_is_of_the_language_that_its_card_says(place, tmp_path, source_model):
    model = source_model.copy()
    for lang, title in (("fra", "French source model"), ("xx", "xx source model")):
        model.provenance = {"lang": lang}
        model.save(tmp_path / lang)
        result = run(place, tmp_path / f"out-{lang}", "--k", "0", "--source", tmp_path / lang)
        assert f"{title} {tmp_path / lang}" in result.output
        assert "English" not in result.output
        assert title in (tmp_path / f"out-{lang}" / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("tiny_mini")
@pytest.mark.parametrize(
    ("task", "advice"), [("pos", "ud (downloaded once), or a folder or file"), ("ner", "a folder or file")]
)
def test_treebanks_are_advised_for_what_they_hold(tmp_path, task, advice):
    result = call("run", "--lang", "xx", "--task", task)
    assert f"for other languages give --data {advice}." in result.output
    result = call("run", "--lang", "ja", "--task", task, "--k", "0", "--out", tmp_path)
    assert f"for real work: --model xlm-roberta-base --data {advice}\n" in result.output
    assert f"# DATA: {advice}\n" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_pool_that_is_written_otherwise_than_its_test_set_is_named(place, done, tmp_path):
    folder = shutil.copytree(place / "xx", tmp_path / "data")
    lines = [line.split("\t") for line in (folder / "pool.conllu").read_text().splitlines()]
    upper = ["\t".join([*line[:1], *(one.upper() for one in line[1:2]), *line[2:]]) for line in lines]
    (folder / "pool.conllu").write_text("\n".join(upper) + "\n")
    said = run(place, tmp_path / "out", "--data", folder, "--k", "0").output
    assert "85% of the pool consists of characters that the test set rarely has" in said
    assert "rarely has" not in done[0].output


@pytest.mark.parametrize(
    ("job", "arguments", "said"),
    [
        ("experiments.run.execute", ["run", "--lang", "ja"], "finished work is kept; repeat the command to resume"),
        ("tasks.get", ["source", "--data", "x"], "stopped; repeat the command to resume from the last checkpoint"),
        ("corpora.ud.treebanks.find", ["data", "get", "ja"], "stopped; downloaded data is kept"),
        ("corpora.ud.cache.check", ["data", "check"], "stopped; nothing was changed"),
    ],
)
@pytest.mark.usefixtures("tiny_mini")
def test_stopped_commands_say_what_is_true(monkeypatch, tmp_path, job, arguments, said):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(f"fewshot.{job}", interrupt)
    result = call(*arguments, ends=130)
    assert said in result.output


def test_auto_takes_the_source_model_of_the_language_ranked_first_and_says_why(place, tmp_path, source_model):
    for lang in ("ja", "sv"):
        model = source_model.copy()
        model.provenance = {"lang": lang}
        model.save(tmp_path / "models" / lang)
    auto = ["run", "--lang", "da", "--data", place / "xx", "--k", "0", "--model", place / "encoder", "--source", "auto"]
    result = call(*auto, "--source-models", tmp_path / "models", "--out", tmp_path / "out", ends=0)
    assert f"source model {tmp_path / 'models' / 'sv'}: sv is first for da: it is" in result.output
    facts = json.loads((tmp_path / "out" / "plan.json").read_text())["facts"]["Model"]
    assert facts["Swedish source model"] == str(tmp_path / "models" / "sv")
    none = call(*auto, "--out", tmp_path / "none")
    assert none.exit_code == 2 and "trained on other languages than da, is in" in none.output
    command = f"fewshot source --task pos --model {place / 'encoder'} --lang LANG --data FOLDER"
    assert f"train one with {command}, or give a source model instead of auto" in none.output
    assert len(none.output.splitlines()) == 1
    nowhere = call(*auto, "--source-models", tmp_path / "nowhere")
    assert f"{tmp_path / 'nowhere'}: no such folder of source models" in nowhere.output
    named = [*auto[:-1], place / "source", "--source-models", tmp_path / "models"]
    assert "--source-models is for --source auto only" in call(*named).output
