import pytest
from cli.calls import call
from making import result

from fewshot.curves.results import append_result
from fewshot.papers import transfer
from fewshot.transfer import scores


@pytest.fixture(scope="module")
def published():
    return scores.published()


@pytest.fixture(scope="module")
def table(published):
    return transfer.table(transfer.samples(published, "en"))


def write_scores(path, langs, score=lambda number: 90 - 7 * number, encoder=""):
    lines = [f"{encoder or 'mini'},pos,{lang},{score(number)}" for number, lang in enumerate(langs)]
    path.write_text("\n".join(["encoder,task,lang,score", *lines]))
    return path


def test_correlations_come_close_to_the_papers(table):
    theirs = table.dropna(subset=["paper_pearson"])
    assert len(theirs) == 42
    off = {name: (theirs[name] - theirs[f"paper_{name}"]).abs() for name in ("pearson", "spearman")}
    close = theirs.feature.isin(["SYN", "FAM", "GEO", "SIZE"])
    assert max(off["pearson"][close].max(), off["spearman"][close].max()) < 0.025
    assert (off["pearson"] <= 0.05).sum() >= 40 and (off["spearman"] <= 0.05).sum() >= 36
    inventories = table[(table.feature == "INV") & (table.encoder == "mbert")]
    assert (inventories.pearson > 0.2).all() and (inventories.pearson_targets < 0.01).all()


def test_a_sample_has_only_features_that_all_its_languages_have(published):
    by_task = {(one.encoder, one.task): one for one in transfer.samples(published, "en")}
    assert by_task["mbert", "pos"].features == ("SYN", "PHON", "INV", "FAM", "GEO", "SIZE")
    assert "SIZE" not in by_task["mini", "pos"].features
    sample = by_task["xlm-r", "nli"]
    assert sample.langs[0] == "en" and sample.targets.langs == sample.langs[1:]
    assert sample.x.shape == (15, 6) and sample.targets.y.tolist() == sample.y[1:].tolist()
    (sample, *_) = transfer.samples(published, "eng")
    assert sample.source == sample.langs[0] == "en"


def test_the_analysis_shows_our_figures_beside_the_papers(tmp_path):
    done = call("analyze", "transfer", "--out", tmp_path, ends=0)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for text in (page, done.output):
        assert "40 of 42 Pearson and 36 of 42 Spearman" in text
        assert "+0.93 +0.92" in text and "SYN .35, SIZE .34, FAM .31" in text
        assert "URIEL has several; the paper does not say which" in text
    assert (tmp_path / "table.csv").read_text().count("\n") == 68


LANGS = ("en", "de", "sv", "ja", "fi", "tr", "sw")


def analyzed(path, out):
    done = call("analyze", "transfer", "--scores", path, "--out", out, ends=0)
    return done.output, (out / "report.html").read_text(encoding="utf-8")


def test_the_analysis_takes_results_of_the_user_with_and_without_the_source(tmp_path):
    path = tmp_path / "results.jsonl"
    for number, lang in enumerate(LANGS):
        append_result(path, result(0, 90.0 - 7 * number, lang=lang, run=lang))
    output, report = analyzed(path, tmp_path)
    assert "goes with zero-shot pos scores of mini most" in output and "More than" not in output
    assert "without en" in output and "The source language is a point too" in report
    predicted = call("transfer", "--lang", "ko", "--model", "mini", "--scores", path)
    assert predicted.exit_code == 0 and "No gains are predicted: curves of mini on pos" in predicted.output
    output, report = analyzed(write_scores(tmp_path / "scores.csv", LANGS[1:]), tmp_path)
    assert "without en" not in output and "The source language is no point" in report


@pytest.mark.parametrize("encoder", ["mine", "mbert"])  # the paper has figures of one of them
def test_equal_scores_go_with_nothing(tmp_path, encoder):
    output, _ = analyzed(write_scores(tmp_path / "scores.csv", LANGS[:-1], lambda _: 50, encoder), tmp_path)
    assert "No feature varies with the scores" in output and "nan" not in output
