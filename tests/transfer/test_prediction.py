from dataclasses import asdict

import numpy as np
import pytest
from cli.calls import call
from making import result

from fewshot.curves.results import append_result
from fewshot.errors import FewshotError
from fewshot.transfer import languages, prediction, regression, scores
from fewshot.transfer.scores import LanguageScore


@pytest.fixture(scope="module")
def published():
    return scores.published()


def test_similarities_are_cosines_with_the_source_language():
    alike = languages.similarities(["en", "de", "ja", "eu"], "en")
    assert alike["en"] == pytest.approx(dict.fromkeys(languages.FEATURES, 1.0))
    assert alike["de"]["SYN"] > alike["ja"]["SYN"] and alike["de"]["FAM"] > 0
    assert alike["ja"]["FAM"] == alike["eu"]["FAM"] == 0  # an isolate has no family at all
    one, other = languages.vector("de", "GEO"), languages.vector("en", "GEO")
    assert alike["de"]["GEO"] == pytest.approx(one @ other / np.sqrt((one @ one) * (other @ other)))


def test_sizes_are_those_of_the_encoder():
    assert languages.size("mbert", "sw") == languages.size("hub/bert-base-multilingual-cased", "sw") == 59645
    assert languages.size("xlm-r", "sw") == languages.size("xlm-roberta-large", "sw") == 275
    assert languages.size("mbert", "swh") == 59645
    assert languages.size("mini", "sw") is None and languages.size("xlm-r", "yo") is None
    assert languages.wikisize("yo") == 3 and languages.wikisize("en") == 14 and languages.wikisize("am") is None
    assert languages.with_wikisize()[-1] == "en"


def test_scores_are_read_from_results_and_tables(tmp_path):
    path = tmp_path / "results.jsonl"
    for one in (
        result(0, 40, lang="sw", task="nli", data="elsewhere", run="elsewhere"),
        result(0, 50, lang="swh", task="nli", run="again"),
        result(0, 80, lang="en", task="nli", run="English"),
        result(0, 60, lang="sw-en", task="nli", run="mixed"),
        result(0, 65, lang="pt-br", task="nli", run="Portuguese"),
        result(10, 70, lang="sw", task="nli"),
        result(10, 75, shot_set=1, lang="sw", task="nli"),
        result(10, 90, sampler="longest", lang="sw", task="nli"),
    ):
        append_result(path, one)
    assert scores.read(path) == [
        LanguageScore("mini", "nli", *rest)
        for rest in (("sw", 0, 50), ("en", 0, 80), ("pt-BR", 0, 65), ("sw", 10, 72.5))  # of zero-shot the last line
    ]
    (tmp_path / "mine.csv").write_text("lang,task,score\nsw,pos,45.5\n")
    assert scores.read(tmp_path / "mine.csv") == [LanguageScore("mine", "pos", "sw", 0, 45.5)]


@pytest.mark.parametrize("change", [{"data": "x"}, {"method": "lora"}, {"regime": "sequential"}, {"metric": "f1"}])
def test_no_mean_is_taken_of_results_that_are_no_repetitions(tmp_path, change):
    path = tmp_path / "results.jsonl"
    for one in (result(0, 40), result(10, 70), result(10, 80, shot_set=1), result(50, 90, **change)):
        append_result(path, one)
    assert len(scores.read(path)) == 3
    append_result(path, result(10, 60, run="other", **change))
    ((field, value),) = change.items()
    with pytest.raises(FewshotError, match=f"pos ja with mini at k = 10 has results of {field} .* and {value}"):
        scores.read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (float("nan"), r"results\.jsonl:2: invalid result"),
        ("lang,task,score\nsw,pos,4\nsw,dep,nan\n", "mine.csv:3: nan is not a score from 0 to 100"),
        ("lang,score\nsw,4\n", "no column task; its first line must name task, lang and score"),
        ("lang,task,score\nsw,pos,x\n", "mine.csv:2: no score; write e.g. pos,sw,61.5"),
        ("score,lang,task\n4,sw\n", "mine.csv:2: no score; write e.g. pos,sw,61.5"),
        ("lang,task,score\n", "holds no scores"),
    ],
)
def test_scores_that_are_no_percentages_are_named_with_their_line(tmp_path, content, message):
    path = tmp_path / ("mine.csv" if isinstance(content, str) else "results.jsonl")
    if isinstance(content, str):
        path.write_text(content)
    else:
        append_result(path, result(0, 40))
        append_result(path, result(0, content, lang="sw"))
    with pytest.raises(FewshotError, match=message):
        scores.read(path)


def test_a_language_in_the_data_is_predicted_without_its_score(published):
    changed = [one if one.lang != "hi" else LanguageScore(**{**asdict(one), "score": 1.0}) for one in published]
    before, after = (prediction.predict(one, "hi", "dep", "mbert", "en") for one in (published, changed))
    assert before.score == after.score and before.error == after.error
    assert before.known == 42.75 and after.known == 1.0
    assert "hi" not in before.sample.langs and "en" not in before.sample.langs


def test_predictions_are_least_squares_on_the_chosen_features(published):
    found = prediction.predict(published, "sw", "pos", "mbert", "en")
    columns = [found.sample.features.index(name) for name in found.features]
    x, y = found.sample.x[:, columns], found.sample.y
    weights, *_ = np.linalg.lstsq(np.c_[np.ones(len(x)), x], y, rcond=None)
    new = [found.similarities[name] for name in found.features]
    assert found.score == pytest.approx(weights @ [1, *new])
    assert found.known is None and found.error < found.mean
    others = [np.abs(np.delete(y, row).mean() - y[row]) for row in range(len(y))]
    assert found.mean == pytest.approx(np.mean(others))


def test_gains_are_a_line_on_the_zero_shot_score(published):
    found = prediction.predict(published, "ko", "pos", "mbert", "en")
    zero = {one.lang: one.score for one in published if (one.encoder, one.task, one.k) == ("mbert", "pos", 0)}
    ten = {one.lang: one.score for one in published if (one.encoder, one.task, one.k) == ("mbert", "pos", 10)}
    langs = [lang for lang in ten if lang != "ko"]
    start, gain = np.array([zero[lang] for lang in langs]), np.array([ten[lang] - zero[lang] for lang in langs])
    first = found.gains[0]
    assert first.k == 10 and first.languages == 11
    assert first.points == pytest.approx(np.polyval(np.polyfit(start, gain, 1), zero["ko"]))
    left = [
        np.polyval(np.polyfit(np.delete(start, row), np.delete(gain, row), 1), start[row]) for row in range(len(langs))
    ]
    assert [first.error, first.score_error] == pytest.approx([np.abs(left - gain).mean()] * 2)


def test_gains_from_a_predicted_score_err_as_the_whole_chain_does(published):
    (ten, *_) = prediction.predict(published, "sw", "dep", "mbert", "en").gains
    targets = {one.lang: one.score for one in published if (one.encoder, one.task, one.k) == ("mbert", "dep", 0)}
    del targets["en"]
    after = {one.lang: one.score for one in published if (one.encoder, one.task, one.k) == ("mbert", "dep", 10)}
    sample = regression.sample("mbert", "dep", targets, "en")
    errors = []
    for row, lang in enumerate(sample.langs):
        others = [one for one in sample.langs if one != lang]
        rest = sample.without(lang)
        start = regression.predict(rest.x, rest.y, sample.x[row])
        line = np.polyfit([targets[one] for one in others], [after[one] - targets[one] for one in others], 1)
        errors.append(abs(start + np.polyval(line, start) - after[lang]))
    assert ten.score_error == pytest.approx(np.mean(errors))


def test_encoders_without_curves_take_those_of_one_like_them_and_tell_no_error(published):
    borrowed = prediction.predict(published, "sw", "nli", "xlm-r", "en")
    assert borrowed.curves == "mbert" and len(borrowed.gains) == 5
    assert all(gain.error is gain.score_error is None for gain in borrowed.gains)
    done = call("transfer", "--lang", "sw", "--task", "nli", "--model", "xlm-r")
    assert "±" in done.output and not any("±" in line for line in done.output.splitlines() if line.startswith("1"))
    assert "Gains are those of mbert" in done.output and "nor is how far off they are for xlm-r" in done.output
    own = prediction.predict(published, "sw", "nli", "mbert", "en")
    assert all(gain.error and gain.score_error for gain in own.gains)
    for task in ("pos", "dep"):  # four curves, and none
        assert prediction.predict(published, "cs", task, "mini", "en").gains == ()


def test_a_gain_beyond_the_known_zero_shot_scores_is_flagged(published):
    found = prediction.predict(published, "ja", "pos", "mbert", "en")  # it has the lowest of all
    zero = [one.score for one in published if (one.encoder, one.task, one.k) == ("mbert", "pos", 0)]
    assert found.start == min(zero) and found.extrapolated == found.gains[0]
    assert "from 48.3, and the languages of the curves from 58.3 to 89.6" in call("transfer", "--lang", "ja").output
    assert prediction.predict(published, "ko", "pos", "mbert", "en").extrapolated is None
    assert "extrapolated" not in call("transfer", "--lang", "ko").output


@pytest.mark.parametrize(("one", "other"), [("ja", "jpn"), ("zh", "cmn")])
def test_other_codes_of_a_language_are_left_out_too(published, one, other):
    left_out, again = (prediction.predict(published, code, "pos", "mbert", "eng") for code in (one, other))
    assert (left_out.score, left_out.gains) == (again.score, again.gains)
    assert again.known is not None and one not in again.sample.langs


def test_a_prediction_says_what_it_is_worth():
    done = call("transfer", "--lang", "sw", "--task", "nli")
    assert done.exit_code == 0, done.output
    assert "0, in the data  49.8" in done.output and "±" in done.output
    assert "sw is in the data; the prediction was made without it" in done.output
    assert "no better than that guess" not in done.output
    assert "no better than that guess" in call("transfer", "--lang", "kk", "--task", "qa", "--model", "xlm-r").output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("transfer --lang qqq", "lang2vec has no features of language 'qqq'"),
        ("transfer --lang no_such", "'no_such' is not a language code"),
        ("transfer --lang eng", "en is the language of the source model"),
        ("transfer --lang sw --model xlm-r", "no zero-shot scores of xlm-r on pos; there are mbert on pos"),
    ],
)
def test_bad_input_ends_with_one_line(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call(*words.split())
    assert done.exit_code == 2
    assert message in done.output and len(done.output.splitlines()) == 1


@pytest.mark.usefixtures("no_lang2vec")
def test_without_the_package_one_line_says_how_to_get_it():
    done = call("transfer", "--lang", "sw")
    assert done.exit_code == 2 and "pip install 'fewshot[analyze]'" in done.output
