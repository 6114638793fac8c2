from dataclasses import replace

import pytest
from making import examples, write
from typer.testing import CliRunner

from fewshot import tasks
from fewshot.cli import app
from fewshot.corpora.formats import tsv
from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import CorpusError, FewshotError
from fewshot.experiments.data_folders import DataFolders
from fewshot.experiments.executors.place import this_machine
from fewshot.training import sources
from fewshot.training.model import build_model
from fewshot.transfer import scoring
from fewshot.transfer.page import premises_by_hypotheses


@pytest.fixture
def places(tmp_path, encoder):
    """Test sets of two tasks in three languages, and source models where they are looked for."""
    for lang, seed in (("en", 1), ("ja", 2), ("sw", 3)):
        write(tmp_path / "data" / f"{lang}_made", examples("sentences", 12, seed))
        if lang != "ja":
            pairs = [replace(pair, hypothesis=f"{lang} {pair.hypothesis}") for pair in examples("pairs", 12, seed=4)]
            tsv.write(pairs, tmp_path / "data" / f"{lang}_made" / "test.tsv")
    for name in ("pos", "nli"):
        build_model(tasks.get(name), encoder, 0, 0.1).save(sources.user_dir() / name)
    return tmp_path / "data"


def run(places, encoder, out, mixed=False, langs=("ja", "sw"), said=None, jobs=None):
    folders = DataFolders([places], ["en", *langs], pytest.fail)
    wanted = scoring.test_sets(["pos", "nli"], ["en", *langs], folders, mixed)
    return scoring.score_all(
        wanted, [encoder], this_machine("cpu", jobs), out, (said if said is not None else []).append
    )


def test_every_task_is_scored_in_every_language_there_is_data_of_and_once(places, encoder, tmp_path):
    first, again = [], []
    results = run(places, encoder, tmp_path, said=first)
    languages = {"pos": ("en", "ja", "sw"), "nli": ("en", "sw")}
    assert [(one.task, one.lang) for one in results] == [(task, lang) for task in languages for lang in languages[task]]
    assert run(places, encoder, tmp_path, said=again) == results
    assert [now.share for now in first if now.share == 1] == [1] and first[-1].kept == 0
    assert len(again) == 5 and again[-1].kept == again[-1].total == first[-1].total
    write(places / "ja_made", examples("sentences", 12, 9))
    changed = []
    run(places, encoder, tmp_path, said=changed)
    assert [now.doing for now in changed if now.kept < now.done or not now.done][-1] == "pos ja: 12 sentences"
    assert changed[-1].kept == changed[-1].total - 12


@pytest.mark.system
def test_processes_score_as_one_does_and_go_on_where_one_has_died(places, encoder, tmp_path, one_thread, monkeypatch):
    alone = run(places, encoder, tmp_path / "alone")
    append = scoring.append_result

    def stop(path, result):
        append(path, result)
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring, "append_result", stop)
    with pytest.raises(KeyboardInterrupt):
        run(places, encoder, tmp_path / "several", jobs=2)
    monkeypatch.setattr(scoring, "append_result", append)
    (kept,) = read_results(tmp_path / "several" / RESULTS)
    several = run(places, encoder, tmp_path / "several", jobs=2, said=(said := []))
    assert [replace(one, seconds=0.0) for one in several] == [replace(one, seconds=0.0) for one in alone]
    assert kept in several
    assert {one.run for one in alone} == {one.run for one in read_results(tmp_path / "several" / RESULTS)}
    assert said[-1].share == 1 and said[-1].kept == 12


def test_an_encoder_that_is_named_twice_is_scored_once(places, encoder, tmp_path):
    other = replace(encoder, name="the same by another name")
    wanted = scoring.test_sets(["nli"], ["en"], DataFolders([places], ["en"], pytest.fail), mixed=False)
    results = scoring.score_all(wanted, [encoder, other], this_machine("cpu"), tmp_path, (said := []).append)
    assert results[0] == results[1] == read_results(tmp_path / RESULTS)[0]
    assert said[-1].share == 1 and said[-1].total == 12 and len(read_results(tmp_path / RESULTS)) == 1


def test_premises_meet_hypotheses_of_the_other_language(places, encoder, tmp_path):
    results = run(places, encoder, tmp_path, mixed=True)
    assert [r.lang for r in results if r.task == "nli"] == ["en", "sw", "en-sw", "sw-en"]
    table = premises_by_hypotheses([r for r in results if r.task == "nli"])
    assert table.columns == ("premise", "en", "sw") and [row[0] for row in table.rows] == ["en", "sw"]
    folders = DataFolders([places], ["en", "sw"], pytest.fail)
    english, swahili = (folders.find_test(tasks.get("nli"), lang) for lang in ("en", "sw"))
    mixed = scoring.mix(english, swahili).examples[0]
    assert mixed.premise == english.examples[0].premise and mixed.hypothesis.startswith("sw ")
    tsv.write(examples("pairs", 11, seed=4), places / "sw_made" / "test.tsv")
    with pytest.raises(CorpusError, match=r"sw_made: not the same pairs, in the same order, as .*en_made"):
        run(places, encoder, tmp_path, mixed=True)


def source_models(encoder, **langs):
    for name, lang in langs.items():
        model = build_model(tasks.get(name), encoder, 0, 0.1)
        model.provenance = {"lang": lang}
        model.save(sources.user_dir() / name)


def test_drops_are_from_the_language_of_the_source_models(places, encoder, encoder_folder, tmp_path):
    assert scoring.source_language(["pos", "nli"], encoder) == "en"  # their cards do not say
    source_models(encoder, pos="sw", nli="sw")
    options = ["--task", "pos,nli", "--langs", "en,ja", "--model", str(encoder_folder)]
    done = CliRunner().invoke(app, ["zero-shot", *options, "--data", str(places), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    first = [line.split()[0] for line in done.output.splitlines() if line.strip()]
    assert [word for word in first if word in ("sw", "en", "ja")] == ["sw", "en", "ja", "sw", "en"]


def test_source_models_of_several_languages_make_no_table(encoder):
    source_models(encoder, pos="sw", nli="fr")
    with pytest.raises(FewshotError, match=r"several languages \(\S+ pos sw, \S+ nli fr\); choose tasks"):
        scoring.source_language(["pos", "nli", "dep"], encoder)
    assert scoring.source_language(["nli", "dep"], encoder) == "fr"


@pytest.mark.usefixtures("tiny_mini")
def test_without_a_model_the_embedded_encoder_is_scored_on_the_sample(tmp_path):
    done = CliRunner().invoke(app, ["zero-shot", "--task", "pos", "--langs", "sw", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "Zero-shot transfer" in done.output and "±" in done.output
    assert "Lauscher et al. 2020, Table 1" in (tmp_path / "report.html").read_text()
