import pytest
from desk import new_project

from annotate.quality import adjudication, gold
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError

FILE = """# sent_id = s1
1\tEl\t_\tDET\t_\t_\t2\tdet\t_\tGloss=the
2\tgato\t_\tNOUN\t_\t_\t3\tnsubj\t_\tGloss=dog|SpaceAfter=No
3\tduerme\t_\tVERB\t_\t_\t0\troot\t_\t_

"""
ROWS = "".join(f"{place}\t{word}\t_\tX" + "\t_" * 6 + "\n" for place, word in enumerate(("El", "gato", "duerme"), 1))
TAGS = {"upos": ["DET", "NOUN", "VERB"]}
TREE = {"heads": [2, 3, 0], "deprels": ["det", "nsubj", "root"]}


@pytest.fixture
def project(store, tmp_path):
    path = tmp_path / "cat.conllu"
    path.write_text(FILE, encoding="utf-8")
    return new_project(store, conllu.read(path), "pos", "dep", hides_gold=True)


@pytest.fixture
def items(desk):
    return desk.draw(*((0, task, who) for task in ("pos", "dep") for who in ("ana", "ben")))


def shown(desk, item):
    data = desk.show(item)
    changed = (data["annotation"] or {}).get("misc") or [None] * 3
    return [own or file for own, file in zip(changed, data["example"]["misc"], strict=True)]


def exported(desk, who=None):
    lines = desk.export(who=who, part="all").read_text().splitlines()
    return [line.split("\t")[9].strip() for line in lines if "\t" in line]


def test_the_newest_change_counts_in_every_task_and_what_follows_from_the_text_is_refused(desk, items):
    tags, _, tree, _ = items
    with pytest.raises(FewshotError, match="'SpaceAfter=No' follows from the text"):
        desk.send(tags, TAGS | {"misc": ["SpaceAfter=No", None, None]})
    assert desk.latest(tags) is None
    desk.send(tags, TAGS | {"misc": [None, "Gloss=cat", "Gloss=is"]})
    assert shown(desk, tree) == ["Gloss=the", "Gloss=cat", "Gloss=is"]
    desk.send(tree, TREE | {"misc": [None, None, "Gloss=sleeps"]})
    assert shown(desk, tags) == ["Gloss=the", "Gloss=cat", "Gloss=sleeps"]
    assert exported(desk) == ["Gloss=the", "Gloss=cat|SpaceAfter=No", "Gloss=sleeps"]
    desk.send(tags, TAGS | {"misc": [None, "Gloss=cat", "Gloss=dreams"]})
    assert shown(desk, tree)[2] == "Gloss=dreams"
    assert exported(desk, "ana")[2] == "Gloss=dreams"


def test_two_people_agree_whatever_they_put_into_misc(store, project, desk, items):
    for item, misc in zip(items, [["A=1", None, None], ["A=2", "B=1", None]], strict=False):
        desk.send(item, TAGS | {"misc": misc})
    (found,) = gold.gold(store, project, "pos").annotations.values()
    assert found == TAGS | {"misc": ["A=1", "B=1", None]}
    assert not adjudication.cases(store, project, "pos")[0].differ
    assert exported(desk)[:2] == ["A=1", "B=1|SpaceAfter=No"]
    other = TAGS | {"upos": ["DET", "PROPN", "VERB"], "misc": [None, None, "C=1"]}
    assert adjudication.merged(TAGS, other) == {"upos": ["DET", "_", "VERB"], "misc": [None, None, "C=1"]}


@pytest.mark.parametrize(
    ("replaced", "misc", "problems"),
    [
        ([("Gloss=dog", "Gloss=cat|LId=gato-1")], ["Gloss=the", "Gloss=cat|LId=gato-1", "_"], []),
        ([("Gloss=the", "_"), ("Gloss=dog|", "")], ["Gloss=the", "Gloss=dog", "_"], []),  # no MISC at all
        ([("Gloss=the", "_")], ["_", "Gloss=dog", "_"], []),
        ([("Gloss=dog", "Gloss=dog|Gloss=cat")], ["Gloss=the", "Gloss=dog", "_"], ["Gloss twice"]),
    ],
)
def test_a_file_that_is_imported_first_brings_its_own_misc(desk, items, replaced, misc, problems):
    text = FILE
    for old, new in replaced:
        text = text.replace(old, new)
    imported = desk.take(text)
    assert imported.saved == 1
    assert all(part in problem.message for part, problem in zip(problems, imported.problems, strict=True))
    assert shown(desk, items[0]) == misc


def test_what_an_imported_file_does_not_hold_stays(desk, items):
    line = '{"text": "El gato duerme", "words": ["El", "gato", "duerme"], "upos": ["X", "X", "X"]}'
    beside = {"misc": [None, "Gloss=cat", None], "deps": [None, None, "1:dep"]}
    for name, given in (("x.jsonl", line), ("x.conllu", ROWS + "\n")):
        desk.send(items[0], TAGS | beside)
        desk.take(given, "pos", name=name)
        assert desk.latest(items[0]) == {"upos": ["X", "X", "X"]} | beside
