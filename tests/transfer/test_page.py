from html import unescape

import pytest
from making import examples, result, write
from typer.testing import CliRunner

from fewshot import tasks
from fewshot.cli import app
from fewshot.curves.results import read_results
from fewshot.encoders.load import load_encoder
from fewshot.training import sources
from fewshot.training.model import build_model
from fewshot.transfer import page


def scored(task, model="mini", metric="accuracy", **by_lang):
    """Zero-shot results by language, each 1 point above its lower end."""
    return [
        result(0, score, lang=lang, task=task, model=model, metric=metric, metrics={metric: score, "uas": score + 5})
        for lang, score in by_lang.items()
    ]


def test_drops_are_from_the_source_and_the_papers_stand_below():
    found = page.lines(scored("pos", en=80, ja=50, sv=70, wo=20), "en")
    table = page.drop_table(found, "en")
    assert table.columns == ("language", "mini accuracy", "mBERT (paper) accuracy")
    assert table.rows == (
        ("en", "80.0 ±1.0", "95.5"),
        ("ja", "50.0 ±1.0 (-30.0)", "48.2 (-47.3)"),
        ("sv", "70.0 ±1.0 (-10.0)", "89.3 (-6.2)"),
        ("wo", "20.0 ±1.0 (-60.0)", ""),
    )
    assert page.headline(found, "en") == (  # wo is not in the paper
        "Difference to en: pos accuracy -20.0 with mini "
        "(over 2 languages, most in ja; mBERT in Table 1 -26.8, most in ja)."
    )


def test_trees_are_shown_in_the_paper_s_metric_too():
    found = page.lines(scored("dep", metric="las", en=60, ja=10), "en")
    assert [(line.encoder, line.metric, line.drops("en")["ja"]) for line in found] == [
        ("mini", "las", -50), ("mini", "uas", -50), ("mBERT (paper)", "uas", pytest.approx(-55.4)),
    ]  # fmt: skip
    assert "dep UAS -50.0" in page.headline(found, "en") and "LAS" not in page.headline(found, "en")


def test_several_encoders_and_both_of_the_paper():
    both = [*scored("nli", en=80, sw=50), *scored("nli", "other", en=70, sw=60)]
    found = page.lines(both, "en")
    assert [line.encoder for line in found] == ["mini", "other", "mBERT (paper)", "XLM-R (paper)"]
    (drawn,) = page.figure(found, "en", ["sw"]).data
    assert [row[0] for row in drawn.z] == pytest.approx([-30, -10, -33.0, -20.2])
    assert drawn.y[0] == "nli accuracy, mini"


def test_other_sources_tasks_and_languages_have_no_figure_of_the_paper():
    for results, source in (
        (scored("pos", sv=80, ja=50), "sv"),
        (scored("topic", en=80, ja=50), "en"),
        (scored("pos", en=80, wo=50), "en"),
    ):
        found = page.lines(results, source)
        assert "Table 1" not in page.headline(found, source)
    assert page.headline(found, "en") == "Difference to en: pos accuracy -30.0 with mini (in wo)."


def test_without_a_score_of_the_source_or_of_another_language_there_are_no_drops():
    found = page.lines(scored("pos", ja=50), "en")
    assert ("ja", "50.0 ±1.0", "48.2 (-47.3)") in page.drop_table(found, "en").rows
    assert page.headline(found, "en") == "No test set of en, so there are no drops from it."
    assert page.figure(page.lines(scored("topic", ja=50), "en"), "en", ["ja"]) is None
    alone = page.lines(scored("pos", en=50), "en")
    assert page.headline(alone, "en") == "No test set of a language other than en, so there are no drops from it."


def test_languages_with_a_hyphen_are_no_mixed_pairs():
    for task in ("pos", "nli"):
        made = page.page(scored(task, **{"en": 80, "pt": 60, "pt-br": 50}), "en")
        (table,) = made.tables
        assert [row[:2] for row in table.rows[1:]] == [("pt", "60.0 ±1.0 (-20.0)"), ("pt-br", "50.0 ±1.0 (-30.0)")]


def test_mixed_pairs_stand_in_a_table_of_their_own():
    both = scored("nli", **{"en": 80, "pt-br": 50, "en-pt-br": 60, "pt-br-en": 70})
    _, mixed = page.page(both, "en").tables
    assert mixed.columns == ("premise", "en", "pt-br")
    assert mixed.rows == (("en", "80.0", "60.0"), ("pt-br", "70.0", "50.0"))


@pytest.fixture
def call(tmp_path, encoder_folder, xlmr_folder):
    """Calls the command on two languages, with two encoders: a random BERT and a random XLM-R."""
    folders = [encoder_folder, xlmr_folder]
    for seed, lang in enumerate(("en", "ja")):
        write(tmp_path / "data" / f"{lang}_made", examples("sentences", 8, seed))
    for number, folder in enumerate(folders):
        build_model(tasks.get("pos"), load_encoder(str(folder)), 0, 0.1).save(sources.user_dir() / str(number))

    def score(*command, models=folders, **options):
        values = {"task": "pos", "langs": "ja", "data": tmp_path / "data", "device": "cpu", "out": tmp_path / "out"}
        words = [str(word) for name, value in {**values, **options}.items() for word in (f"--{name}", value)]
        words += [str(word) for folder in models for word in ("--model", folder)]
        return CliRunner().invoke(app, [*command, "zero-shot", *words], env={"COLUMNS": "300"})

    return score


def test_the_analysis_is_the_command_of_users(call, tmp_path, xlmr_folder):
    done = call("analyze")
    assert done.exit_code == 0, done.output
    kept = (tmp_path / "out" / "results.jsonl").read_bytes()
    assert len(read_results(tmp_path / "out" / "results.jsonl")) == 4
    page = unescape((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    for text in (page, done.output):
        assert "-47.3" in text and "mBERT (paper)" in text and str(xlmr_folder) in text
    assert page.rpartition("const figures")[2].count('"texttemplate":"%{z:') == 1
    again = call()
    assert again.output.replace("\n", "") == done.output.replace("\n", "")
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == kept


def test_a_language_may_be_named_with_its_script_and_bad_input_ends_with_one_line(call):
    done = call("analyze", langs="ja-Jpan")
    assert done.exit_code == 0, done.output
    assert "ja-Jpan" in done.output and "Premises by hypotheses" not in done.output
    for options, message in (
        ({"task": "ner"}, "no source model for task ner"),
        ({"device": "abacus"}, "cannot be used"),
        ({"models": ["nowhere"]}, "nowhere"),
        ({"task": "nli"}, "no test set of nli in en, ja"),
        ({"data": "nowhere"}, "no such folder"),
    ):
        done = call("analyze", **options)
        assert done.exit_code == 2, done.output
        assert done.output.splitlines()[-1].startswith("error: ") and message in done.output.splitlines()[-1]
