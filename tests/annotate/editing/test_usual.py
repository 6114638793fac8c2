import pytest

from annotate.editing import usual
from annotate.exchange import project_data, projects
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

TASK = "pos+feats+lemma+xpos"


LINES = """1\tvoy\tir\tVERB\tVM\t_\t0\troot\t_\tGloss=go
2\tya\tya\tADV\t_\t_\t1\tadvmod\t_\t_
3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""
MORE_LINES = """1\tmar\tmar\tNOUN\tNC\t_\t0\troot\t_\tGloss=sea
2\tya\tya\tADJ\t_\t_\t1\tamod\t_\t_
3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""


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
    offered = desk.open(item).usual
    assert offered["xpos"] == xpos
    assert offered["feats"]["NOUN"] == ([""] if hides_gold else ["", "Case=Nom"])
    assert "lemmas" not in offered


def test_values_of_added_text_are_known_at_once(store, new_desk, tmp_path):
    for name, lines in (("in", LINES), ("more", MORE_LINES)):
        (tmp_path / f"{name}.conllu").write_text(lines)
    desk = new_desk(conllu.read(tmp_path / "in.conllu"), "dep")
    (item,) = desk.draw((0, "dep", "ana"))
    assert "amod" not in desk.open(item).frequent
    data = project_data.Data("more.conllu", lambda: conllu.read(tmp_path / "more.conllu"))
    projects.add(store, desk.project, data, project_data.more(store, desk.project, data))
    desk.project = store.project(desk.project.id)
    opened = desk.open(item)
    assert "amod" in opened.frequent
    assert opened.usual["xpos"] == {"VERB": ["VM"], "NOUN": ["NC"]}
    assert usual.usual_misc(store, desk.project, ["mar"], ())["mar"] == ["Gloss=sea"]


@pytest.mark.parametrize(("most", "offered"), [(5, ["T0", "T1", "T2", "T3", "T4"]), (2, ["T0", "T3"])])
def test_a_large_pool_is_counted_from_its_beginning_to_its_end(new_desk, tmp_path, monkeypatch, most, offered):
    monkeypatch.setattr(usual, "COUNTED_SENTENCES", most)
    words = (f"1\tw{n}\tw\tNOUN\tT{n}\t_\t0\tr{n}\t_\tGloss=g{n}|Id={n}\n\n" for n in range(5))
    (tmp_path / "in.conllu").write_text("".join(words))
    desk = new_desk(conllu.read(tmp_path / "in.conllu"), "dep")
    (item,) = desk.draw((0, "dep", "ana"))
    opened = desk.open(item)
    assert opened.usual["xpos"] == {"NOUN": offered}
    assert list(opened.frequent) == [tag.replace("T", "r") for tag in offered]
    counted = usual.usual_misc(desk.store, desk.project, [f"w{n}" for n in range(5)], ())
    assert [form for form in counted if form] == [tag.replace("T", "w") for tag in offered]
    assert counted[""][:2] == ["Gloss=", "Id="] and not {"Gloss=g0", "Id=0"} & {*counted[""]}


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
