"""Values that are offered where columns are typed: those of other words with the same tag."""

import pytest
from desk import Desk, new_project

from fewshot.corpora.types import Sentence

TASK = "pos+feats+lemma+xpos"


def sentence(key, xpos):
    words = ("talo", "puu", "ui")
    columns = {"lemmas": words, "feats": ("Case=Nom", "", ""), "xpos": xpos}
    return Sentence(key, " ".join(words), words, ("NOUN", "NOUN", "VERB"), **columns)


@pytest.mark.parametrize(
    ("hides_gold", "xpos"),
    [(False, {"NOUN": ["NN", "NNP"], "VERB": ["NN", "VB"]}), (True, {"NOUN": ["NN"], "VERB": ["NN"]})],
)
def test_the_commonest_values_of_a_tag_come_first_without_hidden_gold(store, tmp_path, hides_gold, xpos):
    examples = [sentence("s1", ("NNP", "NNP", "VB")), sentence("s2", ("_", "NN", "_"))]
    desk = Desk(store, new_project(store, examples, TASK, hides_gold=hides_gold), tmp_path)
    done, item = desk.draw((0, TASK, "ana"), (1, TASK, "ana"))
    annotation = {"upos": ["NOUN", "NOUN", "VERB"], "feats": ["", "", "_"], "lemmas": ["_"] * 3, "xpos": ["NN"] * 3}
    desk.keep(done, annotation)
    usual = desk.open(item).usual
    assert usual["xpos"] == xpos
    assert usual["feats"]["NOUN"] == ([""] if hides_gold else ["", "Case=Nom"])
    assert "lemmas" not in usual
