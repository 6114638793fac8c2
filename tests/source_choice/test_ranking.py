import pytest

from fewshot import tasks
from fewshot.source_choice import ranking
from fewshot.source_choice.ranking import EXPECTED, NEIGHBOURS, PIECES, SIMILARITY, rank, ranks, table, why
from fewshot.transfer import languages, prediction
from fewshot.transfer.scores import name_of, published

POS = tasks.get("pos")


def nothing(line):
    pytest.fail(line)


def test_equal_values_share_the_mean_of_their_ranks_and_those_of_none_are_last():
    expected = {"b": 1.5, "c": 1.5, "a": 3, "d": 4.5, "e": 4.5}
    assert ranks(["a", "b", "c", "d", "e"], {"a": 1, "b": 5, "c": 5}) == expected


def test_similar_languages_come_first_of_an_encoder_without_scores(encoder):
    found = rank(POS, "sv", encoder, ["ja", "de", "no"], {}, nothing)
    assert found.order == ("no", "de", "ja") and list(found.values) == [SIMILARITY]
    alike = languages.similarities(["de"], "sv")["de"]
    assert found.values[SIMILARITY]["de"] == pytest.approx(100 * sum(alike.values()) / 5)
    assert found.similarities["de"] == alike
    shown = table("title", found, dict.fromkeys(found.order, "here"), 2)
    assert [row[1] for row in shown.rows] == ["no", "de"]
    assert shown.columns == ("rank", "source", "data", SIMILARITY, *languages.FEATURES)


def test_the_expected_score_decides_where_the_encoder_has_scores(encoder, monkeypatch):
    texts = {PIECES: {"ja": 90.0, "de": 1.0}, NEIGHBOURS: {"ja": 99.0, "de": 1.0}}
    found = ranking.of_languages("sv", ["ja", "de"], "pos", "bert-base-multilingual-cased")[0]
    assert found[EXPECTED]["de"] > found[EXPECTED]["ja"]
    monkeypatch.setattr(ranking, "of_languages", lambda *_: (found, {}))
    ordered = rank(POS, "sv", encoder, ["ja", "de"], texts, nothing)
    assert ordered.order == ("de", "ja")
    assert list(ordered.values) == [EXPECTED, SIMILARITY, NEIGHBOURS, PIECES]


def test_what_is_expected_of_the_source_of_the_scores_is_what_transfer_predicts():
    predicted = prediction.predict(published(), "fi", "pos", "mbert", "en").score
    expected = prediction.by_source(published(), "fi", "pos", "mbert", "en", ["en", "ko"])
    assert expected["en"] == pytest.approx(predicted)
    assert 0 <= expected["ko"] <= 100 and expected["ko"] != pytest.approx(predicted)
    assert prediction.by_source(published(), "fin", "pos", "mbert", "en", ["en", "ko"]) == expected


def test_hub_ids_have_the_scores_of_the_paper():
    names = ("bert-base-multilingual-cased", "FacebookAI/xlm-roberta-base", "mini", "some/other")
    assert [name_of(name) for name in names] == ["mbert", "xlm-r", "mini", "some/other"]


def test_a_source_that_lang2vec_does_not_know_is_last(encoder):
    found = rank(POS, "sv", encoder, ["qqq", "ja"], {}, nothing)
    assert found.order == ("ja", "qqq")
    shown = table("title", found, {"qqq": "q_made", "ja": "ja_made"}, 5)
    assert shown.rows[1][:4] == ("2", "qqq", "q_made", "–")


@pytest.mark.parametrize("lang", ["qqq", "sv"])
def test_without_similarities_texts_decide_and_one_line_says_so(encoder, lang, request):
    if lang == "sv":  # a language that is known, by a package that is not there
        request.getfixturevalue("no_lang2vec")
    lines = []
    texts = {NEIGHBOURS: {"ja": 60.0, "de": 40.0}, PIECES: {"ja": 10.0, "de": 40.0}}
    found = rank(POS, lang, encoder, ["de", "ja"], texts, lines.append)
    assert found.order == ("ja", "de")
    assert len(lines) == 1 and ("fewshot[analyze]" if lang == "sv" else "lang2vec has no features") in lines[0]
    assert why(found) == (
        f"ja is first for {lang}: 60% of the nearest sentences are its own (rank 1 of 2); "
        "10% of the text is of word pieces that its data have (rank 2 of 2)."
    )
