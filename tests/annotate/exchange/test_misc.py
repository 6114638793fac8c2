"""MISC that people change in any task: it is shown in the others, exported and imported, and nobody disputes it."""

import pytest
from storing import made_items, made_project

from annotate.editing import content, session, view
from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import adjudication, gold
from annotate.search import queries
from annotate.store import Wanted
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError

FILE = """# sent_id = s1
1\tEl\t_\tDET\t_\t_\t2\tdet\t_\tGloss=the
2\tgato\t_\tNOUN\t_\t_\t3\tnsubj\t_\tGloss=dog|SpaceAfter=No
3\tduerme\t_\tVERB\t_\t_\t0\troot\t_\t_

"""
TAGS = {"upos": ["DET", "NOUN", "VERB"]}
TREE = {"heads": [2, 3, 0], "deprels": ["det", "nsubj", "root"]}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cat.conllu"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def project(store, path):
    rows = pool.both(conllu.read(path), [])
    return made_project(store, rows, labels={"pos": [], "dep": []}, level=2)


@pytest.fixture
def items(store, project):
    (row,) = store.examples(project.id)
    return made_items(store, project, [(row.id, task, who) for task in ("pos", "dep") for who in ("ana", "ben")])


def send(store, project, item, annotation, seq=1, done=True):
    newest = store.latest(item.id)
    event = {
        "item": item.id, "seq": seq, "client": "page", "seen": newest.id if newest else 0, "annotation": annotation,
        "done": done, "edits": 1, "seconds": 1.0,
    }  # fmt: skip
    session.receive(store, project, item.annotator, event)


def shown(store, project, item):
    data = view.view(project, session.open_item(store, project, store.item(item.id)))
    changed = (data["annotation"] or {}).get("misc") or [None] * 3
    return [own or file for own, file in zip(changed, data["example"]["misc"], strict=True)]


def exported(store, project, tmp_path, annotator=None):
    found = export_annotations(store, project, project.tasks, annotator, "all")
    formats.export(found.examples, [tasks.get(name) for name in project.tasks], "conllu", tmp_path / "out.conllu")
    return [line.split("\t")[9].strip() for line in (tmp_path / "out.conllu").read_text().splitlines() if "\t" in line]


def test_the_newest_change_counts_whatever_the_task(store, project, items, tmp_path):
    tags, _, tree, _ = items
    send(store, project, tags, TAGS | {"misc": [None, "Gloss=cat", "Gloss=is"]})
    assert shown(store, project, tree) == ["Gloss=the", "Gloss=cat", "Gloss=is"]
    send(store, project, tree, TREE | {"misc": [None, None, "Gloss=sleeps"]})
    assert shown(store, project, tags) == ["Gloss=the", "Gloss=cat", "Gloss=sleeps"]
    assert exported(store, project, tmp_path) == ["Gloss=the", "Gloss=cat|SpaceAfter=No", "Gloss=sleeps"]
    send(store, project, tags, TAGS | {"misc": [None, "Gloss=cat", "Gloss=dreams"]}, seq=2)
    assert shown(store, project, tree)[2] == "Gloss=dreams"
    assert exported(store, project, tmp_path, "ana")[2] == "Gloss=dreams"


def test_what_follows_from_the_text_is_refused(store, project, items):
    with pytest.raises(FewshotError, match="'SpaceAfter=No' follows from the text"):
        send(store, project, items[0], TAGS | {"misc": ["SpaceAfter=No", None, None]})
    assert store.latest(items[0].id) is None


def test_two_people_agree_whatever_they_have_put_into_misc(store, project, items, tmp_path):
    for item, misc in zip(items, [["A=1", None, None], ["A=2", "B=1", None]], strict=False):
        send(store, project, item, TAGS | {"misc": misc})
    (found,) = gold.gold(store, project, "pos").annotations.values()
    assert found == TAGS | {"misc": ["A=1", "B=1", None]}
    assert not adjudication.cases(store, project, "pos")[0].differ
    assert exported(store, project, tmp_path)[:2] == ["A=1", "B=1|SpaceAfter=No"]
    other = TAGS | {"upos": ["DET", "PROPN", "VERB"], "misc": [None, None, "C=1"]}
    assert adjudication.merged(TAGS, other) == {"upos": ["DET", "_", "VERB"], "misc": [None, None, "C=1"]}


def test_a_file_brings_its_own_and_it_is_found(store, project, items, path):
    path.write_text(FILE.replace("Gloss=dog", "Gloss=cat|LId=gato-1"), encoding="utf-8")
    import_annotations(store, project, "pos", path, "ana")
    assert store.latest(items[0].id).annotation == TAGS | {"misc": [None, "Gloss=cat|LId=gato-1", None]}
    for query, words in (('X [LId="gato-1"]', [{"X": 2}]), ("X [Gloss=dog]", [])):
        found = queries.find(
            store, project, queries.PATTERN, f"pattern {{ {query} }}", Wanted(task="pos", annotator="ana")
        )
        assert [hit.words for hit in found.hits] == words


def test_a_file_that_has_no_misc_at_all_says_nothing_of_it(store, project, items, path, tmp_path):
    bare = tmp_path / "bare.conllu"
    bare.write_text(FILE.replace("Gloss=the", "_").replace("Gloss=dog|", ""), encoding="utf-8")
    import_annotations(store, project, "pos", bare, "ana")
    assert shown(store, project, items[0]) == ["Gloss=the", "Gloss=dog", "_"]
    path.write_text(FILE.replace("Gloss=the", "_"), encoding="utf-8")
    import_annotations(store, project, "pos", path, "ana")
    assert shown(store, project, items[0]) == ["_", "Gloss=dog", "_"]


def test_items_are_offered_by_form(store, project, items):
    usual = session.open_item(store, project, items[0]).usual["misc"]
    assert usual["gato"] == ["Gloss=dog"] and usual[""][:2] == ["Gloss=", "CorrectForm="]
    send(store, project, items[0], TAGS | {"misc": [None, "Gloss=cat", None]})
    usual = session.open_item(store, project, items[0]).usual["misc"]
    assert sorted(usual["gato"]) == ["Gloss=cat", "Gloss=dog"]


def test_an_annotation_without_changes_has_no_misc(project, path):
    (sentence,) = conllu.read(path)
    assert content.annotation_of("pos", sentence) == TAGS
    assert content.annotated("pos", sentence, TAGS | {"misc": [None] * 3}) == sentence


def test_a_file_whose_misc_has_a_gloss_twice_is_named_and_its_tags_come_in(store, project, items, path, tmp_path):
    path.write_text(FILE.replace("Gloss=dog", "Gloss=dog|Gloss=cat"), encoding="utf-8")
    imported = import_annotations(store, project, "pos", path, "ana")
    assert imported.saved == 1
    assert "Gloss twice" in imported.problems[0].message
    assert shown(store, project, items[0])[1] == "Gloss=dog"
