import random
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from making import made_up, write
from scipy import stats

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import encode
from fewshot.encoders.vectors import collate
from fewshot.evaluation import evaluate
from fewshot.papers.resources import page, tagger
from fewshot.papers.resources.linear_models import coefficients, fits, likelihood_ratio

CPU = torch.device("cpu")


def normal(n=20, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    return x, z, 1 + 2 * x - z + rng.normal(size=n)


def test_a_multivariate_model_solves_the_normal_equations():
    x, z, y = normal()
    found = coefficients(y, {"x": x, "z": z}, [str(row) for row in range(20)])
    design = np.c_[np.ones(20), x, z]
    weights = np.linalg.solve(design.T @ design, design.T @ y)
    left = y - design @ weights
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * (left @ left) / 17)
    for one, weight, error in zip(found, weights[1:], errors[1:], strict=True):
        half = stats.t.ppf(0.975, 17) * error
        assert (one.value, one.low, one.high) == pytest.approx((weight, weight - half, weight + half))
        assert one.p == pytest.approx(2 * stats.t.sf(abs(weight / error), 17))


def test_intervals_are_clustered_where_a_group_has_several_rows():
    x, _, y = normal()
    groups = [f"lang{row // 4}" for row in range(20)]
    (found,) = coefficients(y, {"x": x}, groups)
    design = np.c_[np.ones(20), x]
    inverse = np.linalg.inv(design.T @ design)
    weights = inverse @ design.T @ y
    left = y - design @ weights
    scores = [design[4 * one : 4 * one + 4].T @ left[4 * one : 4 * one + 4] for one in range(5)]
    meat = sum(np.outer(score, score) for score in scores) * 5 / 4 * 19 / 18  # correction for few groups
    error = np.sqrt((inverse @ meat @ inverse)[1, 1])
    half = stats.t.ppf(0.975, 4) * error
    assert (found.value, found.low, found.high) == pytest.approx((weights[1], weights[1] - half, weights[1] + half))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(weights[1] / error), 4))


def test_the_likelihood_ratio_is_that_of_the_residuals():
    x, z, y = normal()
    statistic, p = likelihood_ratio(y, {"x": x}, {"z": z})

    def residual(*columns):
        design = np.c_[(np.ones(20), *columns)]
        return np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)

    assert statistic == pytest.approx(20 * np.log(residual(x) / residual(x, z)))
    assert p == pytest.approx(stats.chi2.sf(statistic, 1))


def test_models_that_the_data_cannot_tell_apart_are_not_fitted():
    x, z, y = normal()
    each = [str(row) for row in range(20)]
    assert fits({"x": x, "z": z}, each)
    assert not fits({"x": np.ones(20)}, each) and not fits({"x": x, "twice": 2 * x}, each)
    assert coefficients(y, {"x": np.ones(20)}, each) == ()
    assert not fits({"x": x}, ["one", "two"] * 10)


def test_the_papers_differences_go_with_wikisize():
    slope = page.paper_slope()
    line = stats.linregress([7, 6, 5, 3], [0.0178, -0.0064, -0.1169, -0.1346])
    assert (slope.value, slope.p) == pytest.approx((line.slope, line.pvalue))
    assert slope.low < 0 < slope.value < slope.high  # four languages are few


def reader(sentences):
    tokenizer = tagger.alphabet(sentences)
    torch.manual_seed(0)
    encoder = Encoder("", tagger.Characters(len(tokenizer)), tokenizer, "")
    return encoder, tagger.WordReader(encoder, tasks.get("ner").view)


def test_a_word_is_read_by_itself_and_a_sentence_without_its_padding():
    sentences, task = made_up(12, seed=1), tasks.get("ner")
    encoder, words = reader(sentences)
    pieces = [encode(encoder.tokenizer, task.inputs(one)[0], task.view, encoder.limit) for one in sentences]
    batch = collate(pieces, 0)
    spelled, together = words.spelled(encoder.module(batch.ids), batch), words(encoder.module, batch)
    assert not spelled[~batch.mask].any()
    for row, (sentence, piece) in enumerate(zip(sentences, pieces, strict=True)):
        for place, word in enumerate(sentence.words):
            ids = torch.tensor([encoder.tokenizer.convert_tokens_to_ids(list(word))])
            _, (last, _) = words.spell(encoder.module(ids))
            torch.testing.assert_close(spelled[row, place], last.flatten(), atol=1e-6, rtol=1e-5)
        alone = words(encoder.module, collate([piece], 0))[0]
        torch.testing.assert_close(together[row, : piece.units], alone, atol=1e-6, rtol=1e-5)


def test_letters_that_occur_once_stand_for_unknown_ones():
    encoder, _ = reader([Sentence("s", "aab bq", ("aab", "bq"))])
    unknown = encoder.tokenizer.unk_token_id
    ids = {letter: encoder.tokenizer.convert_tokens_to_ids(letter) for letter in "abqz"}
    assert unknown not in (ids["a"], ids["b"]) and ids["q"] == ids["z"] == unknown


def test_the_tagger_learns_what_the_letters_tell():
    model = tagger.train(tasks.get("ner"), made_up(60, seed=1), 40, 0, CPU)
    assert evaluate(model, made_up(30, seed=2)).score > 90


def table(slope=2.0):
    """Scores that rise with WikiSize for the encoder and not for the tagger."""
    rng = random.Random(0)
    rows = []
    for lang, size in (("yo", 3), ("mn", 5), ("af", 6), ("lv", 7), ("fi", 9), ("ja", 11)):
        for k in (50, 400):
            for seed in (0, 1):
                row = {"task": "ner", "lang": lang, "wikisize": size, "k": k, "seed": seed, "vocabulary": 5 * k + size}
                noise = rng.random()
                for model, score in (("mini", 40 + slope * size + noise), ("no pretraining", 50 - noise)):
                    rows.append({**row, "model": model, "score": score, "low": score - 2, "high": score + 2})
    return pd.DataFrame(rows)


def test_the_report_says_where_the_encoder_is_behind():
    made = page.page(table())
    assert "ner: mini against a tagger with no pretraining +4.9 points with 50 sentences" in made.headline
    assert "(ahead in 5 of 6 languages)" in made.headline
    assert "+1.8 in lv (WikiSize 7) to -13.5 in yo (WikiSize 3)" in made.headline
    sizes, languages, linear, tests, paper = made.tables
    assert sizes.rows[0][:3] == ("ner", "3", "yo") and len(languages.rows) == 12
    assert ("ner: mini", "univariate", "WikiSize") in [row[:3] for row in linear.rows]
    assert {row[-1] for row in linear.rows if row[0] == "ner: mini"} >= {"+0.015 [+0.007, +0.023]"}
    assert len(tests.rows) == 6 and len(paper.rows) == 6


@pytest.fixture
def drawn(monkeypatch):
    """The sentences of each training of the tagger."""
    found, train = {}, tagger.train

    def noting(task, sentences, updates, seed, device):
        found[len(sentences), seed] = [sentence.words for sentence in sentences]
        return train(task, sentences, updates, seed, device)

    monkeypatch.setattr(tagger, "train", noting)
    return found


def test_no_training_sentence_is_tested_or_repeated(measured, data, tmp_path, drawn):
    test = conllu.read(data / "fi_made" / "test.conllu")
    write(data / "fi_made", [*test, *made_up(6, seed=3, name="one"), *made_up(6, seed=3, name="again")], "train")
    done = measured("resources", langs="fi", k="6,7", ends=0)
    (words,) = drawn.values()
    assert sorted(words) == sorted(sentence.words for sentence in made_up(6, seed=3))
    assert "6 sentences to train on that are not in the test set; pos in fi with k = 7 is left out" in done.output
    assert "against a tagger" in done.output and "Wu & Dredze 2020, Table 4" in done.output
    assert (tmp_path / "out" / "report.html").is_file()
    write(data / "fi_made", test, "train")
    nothing = measured("resources", langs="fi", k="6")
    assert "0 sentences to train on that are not in the test set" in nothing.output


def test_without_the_package_one_line_says_how_to_get_it(monkeypatch, measured, tmp_path):
    monkeypatch.setitem(sys.modules, "statsmodels.regression.linear_model", None)
    done = measured("resources", langs="fi,ja,sv,en")
    assert done.exit_code == 2 and "pip install 'fewshot[analyze]'" in done.output
    assert len(done.output.splitlines()) == 1
    assert not (tmp_path / "out").exists()  # nothing was trained in vain
