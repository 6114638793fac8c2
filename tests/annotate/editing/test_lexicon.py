from datetime import datetime

import pytest

from annotate.editing.lexicon import Lexicon
from annotate.store import Suggestion
from fewshot.corpora.lexicon import LexiconEntry


def suggestion(*ranks, column="upos", model="model", **columns):
    """Return a model's suggestion of the likeliest of the ranked labels of each word."""
    best = [row[0] for row in ranks]
    data = {
        "annotation": {**columns, column: [label for label, _ in best]},
        "confidence": [share for _, share in best],
        f"{column}_ranked": [[list(pair) for pair in row] for row in ranks],
    }
    return Suggestion(1, 1, "pos", model, "encoder", data, datetime(2026, 1, 1))


NOUN_OR_VERB = [("NOUN", 0.6), ("VERB", 0.4)]


@pytest.mark.parametrize(
    ("word", "chosen", "tag", "confidence", "is_decided"),
    [
        pytest.param("go", "VERB", "NOUN", 0.6, 0, id="another word"),
        pytest.param("Run", "VERB", "VERB", 0.7, 1, id="another tag"),  # (0.4 + 1) of 1 + 1
        pytest.param("run", "NOUN", "NOUN", 0.8, 0, id="the same tag"),  # surer, but the model's
        pytest.param("run", "_", "NOUN", 0.6, 0, id="open"),
    ],
)
def test_a_decision_counts_once_like_a_model_nothing_is_known_of(word, chosen, tag, confidence, is_decided):
    decisions = Lexicon()
    decisions.learn([word], {"upos": [chosen]}, None)
    found = decisions.follow(["run", "!"], suggestion(NOUN_OR_VERB, [("X", 1.0)]))
    assert found["annotation"]["upos"] == [tag, "X"]
    assert found["confidence"] == pytest.approx([confidence, 1.0])
    assert found["decided"] == [is_decided, 0]
    if is_decided:
        assert found["upos_ranked"][0] == [["VERB", 0.7], ["NOUN", 0.3]]


def test_a_model_counts_as_often_as_it_was_right_for_each_time_it_was_wrong():
    right, wrong = suggestion(*[[("DET", 1.0)]] * 16), suggestion([("DET", 1.0)])
    decisions = Lexicon()
    decisions.learn(list("abcdefghijklmnop"), {"upos": ["DET"] * 16}, right)
    decisions.learn(["run"], {"upos": ["VERB"]}, wrong)  # now it counts (16 + 1) / (1 + 1)
    assert decisions.follow(["run"], suggestion(NOUN_OR_VERB))["annotation"]["upos"] == ["NOUN"]
    decisions.learn(["run"], {"upos": ["VERB"]}, None)
    assert decisions.follow(["run"], suggestion(NOUN_OR_VERB))["annotation"]["upos"] == ["VERB"]
    assert decisions.follow(["run"], suggestion(NOUN_OR_VERB, model="new"))["decided"] == [2]


def test_relations_follow_but_heads_stay_and_so_does_the_root():
    decisions = Lexicon()
    decisions.learn(["go", "there", "go"], {"heads": [0, 1, 1], "deprels": ["root", "advmod", "conj"]}, None)
    rows = [[("root", 0.9)], [("obl", 0.5), ("obj", 0.5)], [("obj", 0.8)]]
    given = suggestion(*rows, column="deprels", heads=[0, 1, 1])
    given.data["confidence"] = [0.9, 0.25, 0.4]  # of head and relation
    found = decisions.follow(["go", "there", "go"], given)
    assert found["annotation"] == {"heads": [0, 1, 1], "deprels": ["root", "advmod", "conj"]}
    assert found["decided"] == [0, 1, 1]
    assert found["confidence"] == pytest.approx([0.9, 0.25, 0.1667], abs=1e-4)  # 0.5 x 1/2; 0.5 x 1/3
    assert given.data["annotation"]["deprels"] == ["root", "obl", "obj"]


COLUMNS = ("upos", "feats", "lemmas")


def test_a_known_form_is_filled_in_without_a_model_and_its_lemma_follows_its_tag():
    lexicon = Lexicon()
    assert lexicon.follow(["canta"], None, COLUMNS) is None
    lexicon.learn(["Canta"], {"upos": ["VERB"], "feats": ["Mood=Ind"], "lemmas": ["cantar"]}, None)
    lexicon = lexicon.with_entries(
        [LexiconEntry("mar", "mar", "NOUN", "_", "sea"), LexiconEntry("canta", "canta", "NOUN")]
    )
    found = lexicon.follow(["mar", "canta", "hoy"], None, COLUMNS)
    assert found["annotation"] == {
        "upos": ["NOUN", "VERB", "_"], "feats": ["_", "Mood=Ind", "_"], "lemmas": ["mar", "cantar", "_"]
    }  # fmt: skip
    assert (found["decided"], found["listed"]) == ([0, 1, 0], [True, False, False])
    tagged = suggestion([("NOUN", 0.9)])
    assert lexicon.follow(["canta"], tagged, COLUMNS)["annotation"]["lemmas"] == ["canta"]
    unranked = suggestion([("X", 1.0)])
    del unranked.data["upos_ranked"]
    assert lexicon.follow(["canta"], unranked, COLUMNS)["annotation"]["upos"] == ["X"]
