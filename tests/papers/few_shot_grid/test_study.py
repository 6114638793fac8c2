import csv
import json
from dataclasses import replace
from html import unescape

import pytest
from cli import calls as commands
from making import examples, result, write

from fewshot import tasks
from fewshot.corpora.formats import squad
from fewshot.costs import prices as rates
from fewshot.curves.points import distinct, estimate
from fewshot.curves.results import read_results
from fewshot.encoders.load import load_encoder
from fewshot.experiments import trainer
from fewshot.papers.few_shot_grid import page as report
from fewshot.papers.few_shot_grid import study
from fewshot.papers.few_shot_grid.findings import collect_findings
from fewshot.training import sources
from fewshot.training.model import build_model
from fewshot.transfer import lauscher

RATES = rates.load()


@pytest.fixture
def call(tmp_path, xlmr_folder):
    """Calls the command on treebanks of two languages, one without a test file, and a source model of each task."""
    for seed, lang in enumerate(("ja", "sv", "fi")):
        for split, count in (("dev", 20), ("test", 8))[: 1 if lang == "fi" else 2]:
            write(tmp_path / "data" / f"{lang}_made", examples("sentences", count, seed=100 * seed + count), split)
    encoder = load_encoder(str(xlmr_folder))
    for name in ("pos", "dep", "ner", "qa"):
        build_model(tasks.get(name), encoder, 0, 0.1).save(sources.user_dir() / name)

    def analyze(*command, ends=None, **options):
        values = {"task": "pos,ner", "langs": "ja,sv", "data": tmp_path / "data", "sampler": "random,longest"}
        values |= {"k": "3,6", "shot-sets": 2, "updates": 1, "regime": "sequential", "device": "cpu"}
        values |= {"model": xlmr_folder, "out": tmp_path / "out", **options}
        given = {f"--{option}": value for option, value in values.items() if value}
        words = [word for pair in given.items() for word in pair if word is not True]
        return commands.call(*(command or ("analyze", "few-shot-grid")), *words, ends=ends)

    return analyze


def lines(folder):
    return {path.parent.name[:6]: len(read_results(path)) for path in folder.glob("*/results.jsonl")}


def trained(folder):
    """Return how many runs of a grid were trained for, shot sets of the same examples once."""
    return sum(len(distinct(read_results(path))) for path in folder.glob("*/results.jsonl"))


def test_a_stopped_grid_goes_on_repeats_nothing_and_reports(call, tmp_path, monkeypatch):
    begun, said, adapt, progress = [], [], trainer.adapt, study.Progress

    def stopping(source, shots, recipe, seed, *rest):
        begun.append([shot.id for shot in shots])
        if len(begun) == 12:  # zero-shot and at most 8 runs of the first part
            raise KeyboardInterrupt
        return adapt(source, shots, recipe, seed, *rest)

    monkeypatch.setattr(trainer, "adapt", stopping)
    monkeypatch.setattr(study, "Progress", lambda *given, **named: said.append(progress(*given, **named)) or said[-1])
    stopped = call(task="pos", k="3,10")
    assert stopped.exit_code == 130 and "repeat the command to resume" in stopped.output
    done = lines(tmp_path / "out")
    assert done.pop("ja-pos") == 9 and 0 < done.pop("sv-pos") < 9 and not done
    said.clear()
    again = call(task="pos", k="3,10", ends=0)
    assert lines(tmp_path / "out") == {"ja-pos": 9, "sv-pos": 9}
    assert len(begun) == trained(tmp_path / "out") + 1
    assert not list((tmp_path / "out").glob("*/model"))
    assert {now.total for now in said} == {18} and [now.done for now in said] == sorted(now.done for now in said)
    assert said[0].doing == "1/2 pos ja: reading the data" and said[0].done == 0
    assert said[-1].done == 18 and said[-1].doing.startswith("2/2 pos sv: ")

    page = unescape((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    results = [one for path in (tmp_path / "out").glob("*/results.jsonl") for one in read_results(path)]
    score, low, high = estimate([r for r in results if (r.lang, r.sampler, r.k) == ("ja", "longest", 10)])
    for text in (page, again.output):
        assert f"{score:.1f} [{low:.1f}, {high:.1f}]" in text
        assert "80.6 +9.8" in text  # the paper's 12 languages, random, k = 10
        assert "85.0 +16.2" in text  # Japanese and Swedish of its table 5
        assert "81.7 +33.4" in text and "+4.7" in text  # Japanese; longest ahead of random
        assert "Best per sentence: pos " in text and "Best per token: pos " in text
        assert "; paper longest, at k = 10 ahead of random by 4.7)" in text
    assert page.rpartition("const figures")[2].count('"texttemplate":"%{z:') == 2
    assert "Figure 1" in page and "Figures 2 and 3" in page
    rows = list(csv.DictReader((tmp_path / "out" / "points.csv").read_text(encoding="utf-8").splitlines()))
    curves = {f"pos {lang} {name}" for lang in ("ja", "sv") for name in ("random", "longest")}
    assert {row["curve"] for row in rows} == curves


def test_what_fewshot_run_has_done_is_not_repeated_and_rounds_are_said(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = {"task": "pos", "sampler": "entropy", "rounds": True, "shot-sets": 1}
    call("run", langs=None, lang="ja", data=tmp_path / "data" / "ja_made", out=None, seeds=1, **small, ends=0)
    before = {path: path.read_bytes() for path in (tmp_path / "runs").glob("*/results.jsonl")}
    adapted, adapt = [], trainer.adapt
    monkeypatch.setattr(trainer, "adapt", lambda *given: adapted.append(given) or adapt(*given))
    call(out="runs", **small, ends=0)
    assert len(before) == 1 and all(path.read_bytes() == kept for path, kept in before.items())
    assert len(adapted) == 3 and lines(tmp_path / "runs") == {"ja-pos": 3, "sv-pos": 3}
    assert len(list((tmp_path / "runs").glob("ja-pos-*/model"))) == 1  # what fewshot run kept is still there
    (path,) = before
    assert [one.rounds for one in read_results(path)] == [(), (3,), (3, 3)]
    assert "pos: In rounds: entropy; the model" in unescape((tmp_path / "runs" / "report.html").read_text("utf-8"))
    assert "ja entropy 3+3" in (tmp_path / "runs" / "points.csv").read_text()


def test_the_papers_metric_stands_beside_ours_and_languages_without_data_are_left_out(call, tmp_path):
    done = call(task="dep", sampler="random", k="3", langs="sv,fi,en", seeds=1, ends=0)
    assert "warning: no pool and test set of dep in fi; left out" in done.output
    assert "warning: en is the language of the source models; it is left out" in done.output
    assert "dep: 3 random sentences bring" in done.output
    results = read_results(next((tmp_path / "out").glob("*/results.jsonl")))
    uas = sum(r.metrics["uas"] for r in results if r.k) / 2
    assert f"{uas:.1f} {uas - results[0].metrics['uas']:+.1f}" in done.output
    assert "79.8" in done.output  # the paper's zero-shot UAS of Swedish


def test_a_whole_file_is_split_and_articles_have_a_k_of_their_own(call, tmp_path):
    squad.write(examples("articles", 12, seed=3), tmp_path / "data" / "made.sv.json")
    done = call(task="qa", langs="sv", sampler="random", k="1000", articles="2,4", **{"shot-sets": 1}, ends=0)
    (path,) = (tmp_path / "out").glob("*/results.jsonl")
    assert sorted({r.k for r in read_results(path)}) == [0, 2, 4]
    assert json.loads((path.parent / "plan.json").read_text())["facts"]["Data"]["test set"] == "6 articles"
    assert "2 random articles bring" in done.output


def test_bad_input_ends_with_one_line_before_anything_is_trained(call, tmp_path):
    wrong = []
    for options, message in (
        ({"task": "pso"}, "unknown task 'pso'"),
        ({"langs": "xx"}, "no pool and test set of pos, ner in xx under the folders of --data"),
        ({"k": "3,21"}, "pos ja: pool has 20 examples"),
        ({"shot-sets": "-1"}, "shot sets is -1; it must be at least 1"),
        ({"task": "topic"}, "no source model for task topic"),
        ({"rates": "nowhere.toml"}, "no such file"),
    ):
        done = call(**options)
        errors = [line for line in done.output.splitlines() if not line.startswith("warning: ")]
        if done.exit_code != 2 or len(errors) != 1 or not errors[0].startswith("error: ") or message not in errors[0]:
            wrong.append((options, done.output))
    assert not wrong and not list(tmp_path.glob("out/*/results.jsonl"))


def made(task="pos", scores=None, **changes):
    """Results of two languages: scores by sampler at k = 10, in points above the zero-shot 30."""
    found = []
    for lang in ("ja", "sv"):
        found.append(result(0, 30, lang=lang, task=task, low=30, high=30, **changes))
        for sampler, (score, tokens) in (scores or {}).items():
            for draw in range(2):
                where = {"low": score, "high": score, "tokens": tokens, "lang": lang, "task": task}
                found.append(result(10, score, sampler, draw, **where, **changes))
    return found


def test_a_sampler_may_win_by_the_sentence_and_lose_by_the_token():
    found = collect_findings(made(scores={"random": (50, 100), "longest": (52, 100), "shortest": (40, 4)}), RATES)
    said = report.headline([found])
    paper = "; paper longest, at k = 10 ahead of random by 4.7"
    assert f"Best per sentence: pos longest (at k = 10 ahead of random by 2.0 ±0.0{paper})." in said
    ahead = "at k = 10 ahead of longest by 4.0"  # a fifth of the way from 30 to 50 is 34
    assert f"Best per token: pos shortest ({ahead} ±0.0)." in said
    assert found.base == "random" and collect_findings(made(scores={"entropy": (5, 1)}), RATES).base == "entropy"


def test_what_one_draw_cannot_show_is_said():
    found = [one for one in made(scores={"random": (50, 100), "longest": (52, 100)}) if one.shot_set == 0]
    page = report.page(found, RATES)
    assert "pos longest (at k = 10 ahead of random by 2.0 ±0.0, one draw; paper" in page.headline
    assert any(note.startswith("pos: One shot set of random, longest") for note in page.notes)
    noisy = [replace(one, low=one.score - 3, high=one.score + 3) for one in found]
    assert "ahead of random by 2.0 ±3.0, in doubt; paper" in report.page(noisy, RATES).headline


def test_where_the_paper_has_nothing_nothing_is_shown():
    units = {"token": 9, "item": 1}
    found = made("topic", {"random": (50, 100), "entropy": (49, 100)}, units=units, test_units=units)
    page = report.page(found, RATES)
    assert "paper" not in page.headline and "topic random (at k = 10 ahead of entropy by 1.0" in page.headline
    assert not any("paper" in " ".join(row) for table in page.tables for row in table.rows)
    assert lauscher.metric("topic") == "" and len(page.figures) == 4


def test_languages_whose_samplers_ran_in_another_order_are_not_mixed_up():
    scores = {"ja": {"random": (50, 9), "longest": (60, 9)}, "sv": {"longest": (62, 9), "random": (52, 9)}}
    results = [one for lang, by_name in scores.items() for one in made(scores=by_name) if one.lang == lang]
    means = collect_findings(results, RATES).means
    assert {name: curve.points[-1].score for name, curve in means.items()} == {"random": 51, "longest": 61}


def test_zero_shot_alone_makes_a_report():
    page = report.page(made(), RATES)
    assert page.headline == "pos zero-shot 30.0." and not page.figures
    assert page.tables[0].rows[0][3] == "30.0 [30.0, 30.0]"
