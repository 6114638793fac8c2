import pytest
from desk import new_project

from annotate.quality import adjudication, gold
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError

FILE = """# sent_id = s1
1\tAna\t_\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|4:nsubj\t_
2\tcanta\t_\tVERB\t_\t_\t0\troot\t0:root\t_
3\ty\t_\tCCONJ\t_\t_\t4\tcc\t4:cc\t_
4\tbaila\t_\tVERB\t_\t_\t2\tconj\t2:conj:y\t_
4.1\tella\t_\tPRON\t_\t_\t_\t_\t4:nsubj\t_

"""
TREE = {"heads": [2, 0, 4, 2], "deprels": ["nsubj", "root", "cc", "conj"]}
OTHER = {"heads": [4, 4, 4, 0], "deprels": ["nsubj", "ccomp", "cc", "root"]}
STAYS = OTHER | {"heads": [2, 4, 4, 0]}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ana.conllu"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def project(store, path):
    return new_project(store, conllu.read(path), "dep")


@pytest.fixture
def items(desk):
    return desk.draw((0, "dep", "ana"), (0, "dep", "ben"))


def exported(desk):
    lines = desk.export(who="ana", part="all").read_text().splitlines()
    return {line.split("\t")[0]: line.split("\t")[8] for line in lines if "\t" in line}


def warned(desk, item):
    return [problem["message"] for problem in desk.show(item)["problems"] if "enhanced" in problem["message"]]


def test_a_changed_tree_takes_its_arcs_along_warns_of_those_that_stay_or_miss_and_refuses_wrong_ones(desk, items):
    item, _ = items
    desk.send(item, TREE)
    assert exported(desk)["1"] == "2:nsubj|4:nsubj" and not warned(desk, item)
    desk.send(item, OTHER)
    assert exported(desk) == {"1": "4:nsubj", "2": "4:ccomp", "3": "4:cc", "4": "0:root", "4.1": "4:nsubj"}
    desk.send(item, TREE | {"deprels": ["nsubj", "root", "cc", "parataxis"]})
    assert exported(desk)["4"] == "2:parataxis:y"
    assert "is still enhanced 'parataxis:y', as when it was 'conj'" in warned(desk, item)[1]
    desk.send(item, STAYS)
    assert exported(desk)["1"] == "2:nsubj|4:nsubj"
    assert warned(desk, item) == [
        "'Ana' (word 1) is still enhanced 'nsubj' of 'baila', as before 'baila' was attached otherwise; "
        "check that this is meant"
    ]
    desk.send(item, STAYS | {"deps": ["=", None, None, None]})
    assert exported(desk)["1"] == "2:nsubj" and not warned(desk, item)
    desk.send(item, TREE | {"deps": ["4.1:nsubj", None, None, "4.1:conj"]})
    assert warned(desk, item) == ["no enhanced dependencies lead from the root to 'Ana' (1); give it some"]
    with pytest.raises(FewshotError, match="the head of '5:x' is not a word or empty node"):
        desk.send(item, TREE | {"deps": ["5:x", None, None, None]})


def test_editors_get_arcs_and_nodes_of_the_file_unless_gold_is_hidden(new_desk, desk, items, tmp_path):
    shown = desk.show(items[0])["example"]
    assert shown["deps"] == ["=|4:nsubj", "=", "=", "=:y"]
    assert shown["nodes"] == [["4.1", "ella", "4:nsubj"]]
    sentences = conllu.read(tmp_path / "ana.conllu")
    hidden = new_desk(sentences, "dep", hides_gold=True)
    (item,) = hidden.draw((0, "dep", "ana"))
    hidden.send(item, STAYS)
    shown = hidden.show(item)["example"]
    assert shown["deps"] == ["_"] * 4 and shown["nodes"] == []
    assert not warned(hidden, item)


def test_an_imported_file_brings_its_own_arcs(desk, items, path):
    changed = FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.1:nsubj").replace("4\tcc\t4:cc", "2\tcc\t2:cc")
    path.write_text(changed, encoding="utf-8")
    desk.take(path)
    assert desk.latest(items[0])["deps"] == ["=|4.1:nsubj", None, None, None]
    assert desk.export(who="ana", part="all").read_text() == changed


def test_people_differ_only_in_arcs_that_are_not_as_before(store, desk, items):
    desk.send(items[0], TREE | {"deps": [None] * 4})
    desk.send(items[1], TREE)
    assert not gold.gold(store, desk.project, "dep").open
    desk.send(items[0], TREE | {"deps": ["=", None, None, None]})
    (case,) = adjudication.cases(store, desk.project, "dep")
    assert case.differ
    first, second = (version.revision.annotation for version in case.versions)
    assert adjudication.merged(second, first)["deps"] == ["=", None, None, None]


def test_a_file_with_arcs_from_nowhere_is_named_and_the_sentence_can_be_opened(desk, items, path):
    node = "4.2\tve\t_\tVERB\t_\t_\t_\t_\t2:conj\t_\n"
    path.write_text(FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.2:nsubj").replace("\n\n", f"\n{node}\n"))
    imported = desk.take(path)
    assert imported.saved == 1
    assert "'4.2:nsubj'" in imported.problems[0].message
    assert desk.show(items[0])["annotation"]["heads"] == TREE["heads"]
