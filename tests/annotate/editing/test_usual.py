import pytest

from fewshot.corpora.formats import conllu
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
def test_the_commonest_values_of_a_tag_come_first_without_hidden_gold(new_desk, hides_gold, xpos):
    examples = [sentence("s1", ("NNP", "NNP", "VB")), sentence("s2", ("_", "NN", "_"))]
    desk = new_desk(examples, TASK, hides_gold=hides_gold)
    done, item = desk.draw((0, TASK, "ana"), (1, TASK, "ana"))
    annotation = {"upos": ["NOUN", "NOUN", "VERB"], "feats": ["", "", "_"], "lemmas": ["_"] * 3, "xpos": ["NN"] * 3}
    desk.keep(done, annotation)
    usual = desk.open(item).usual
    assert usual["xpos"] == xpos
    assert usual["feats"]["NOUN"] == ([""] if hides_gold else ["", "Case=Nom"])
    assert "lemmas" not in usual


@pytest.mark.parametrize("hides_gold", [False, True])
def test_misc_and_lemmas_of_hidden_gold_are_not_shown_and_come_back(new_desk, tmp_path, hides_gold):
    (tmp_path / "in.conllu").write_text(2 * "1\tvoy\tir\tVERB\t_\t_\t0\troot\t_\tGloss=go|LId=ir-1|Note=motion\n\n")
    desk = new_desk(conllu.read(tmp_path / "in.conllu"), "pos", hides_gold=hides_gold)
    (item,) = desk.draw((0, "pos", "ana"))
    shown = desk.show(item)
    assert shown["example"]["misc"] == ["Gloss=go" if hides_gold else "Gloss=go|LId=ir-1|Note=motion"]
    assert shown["example"]["lemmas"] == ["_" if hides_gold else "ir"]
    assert ("LId=ir-1" in str(shown["usual"]["misc"])) != hides_gold
    own = "Gloss=I.go" if hides_gold else "Gloss=I.go|LId=ir-1|Note=motion"
    desk.send(item, {"upos": ["VERB"], "misc": [own]})
    assert desk.show(item)["annotation"]["misc"] == [own]
    assert "\tGloss=I.go|LId=ir-1|Note=motion\n" in desk.export(format="conllu").read_text()
