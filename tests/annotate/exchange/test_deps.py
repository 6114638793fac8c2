"""Enhanced dependencies of a project: they follow the trees that people make, are changed, disputed, and come back."""

import pytest
from storing import made_items, made_project

from annotate.editing import session, validation, view
from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import adjudication, gold
from fewshot import tasks
from fewshot.corpora import formats
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


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ana.conllu"
    path.write_text(FILE, encoding="utf-8")
    return path


def project_of(store, path, **settings):
    rows = pool.both(conllu.read(path), [])
    return made_project(store, rows, **({"tasks": ("dep",), "labels": {"dep": []}, "hides_gold": False} | settings))


@pytest.fixture
def project(store, path):
    return project_of(store, path)


def items_of(store, project):
    (row,) = store.examples(project.id)
    return made_items(store, project, [(row.id, "dep", who) for who in ("ana", "ben")])


def send(store, project, item, annotation):
    newest = store.latest(item.id)
    event = {
        "item": item.id, "seq": newest.seq + 1 if newest else 1, "client": "page", "seen": newest.id if newest else 0,
        "annotation": annotation, "done": True, "edits": 1, "seconds": 1.0,
    }  # fmt: skip
    session.receive(store, project, item.annotator, event)


def exported(store, project, tmp_path):
    found = export_annotations(store, project, project.tasks, "ana", "all")
    formats.export(found.examples, [tasks.get("dep")], "conllu", tmp_path / "out.conllu")
    text = (tmp_path / "out.conllu").read_text()
    return {line.split("\t")[0]: line.split("\t")[8] for line in text.splitlines() if "\t" in line}


def warned(store, project, item):
    data = view.view(project, session.open_item(store, project, store.item(item.id)))
    return [problem["message"] for problem in data["problems"] if "enhanced" in problem["message"]]


def test_a_changed_tree_takes_its_arcs_along_and_warns_of_those_that_stay(store, project, tmp_path):
    item, _ = items_of(store, project)
    send(store, project, item, TREE)
    assert exported(store, project, tmp_path)["1"] == "2:nsubj|4:nsubj" and not warned(store, project, item)
    send(store, project, item, OTHER)
    arcs = {"1": "4:nsubj", "2": "4:ccomp", "3": "4:cc", "4": "0:root", "4.1": "4:nsubj"}
    assert exported(store, project, tmp_path) == arcs
    send(store, project, item, TREE | {"deprels": ["nsubj", "root", "cc", "parataxis"]})
    assert exported(store, project, tmp_path)["4"] == "2:parataxis:y"
    assert "is still enhanced 'parataxis:y', as when it was 'conj'" in warned(store, project, item)[1]
    kept = OTHER | {"heads": [2, 4, 4, 0]}
    send(store, project, item, kept)
    assert exported(store, project, tmp_path)["1"] == "2:nsubj|4:nsubj"
    assert warned(store, project, item) == [
        "'Ana' (word 1) is still enhanced 'nsubj' of 'baila', as before 'baila' was attached otherwise; "
        "check that this is meant"
    ]
    send(store, project, item, kept | {"deps": ["=", None, None, None]})
    assert exported(store, project, tmp_path)["1"] == "2:nsubj" and not warned(store, project, item)


def test_what_leads_nowhere_is_warned_of_and_what_is_no_arc_refused(store, project):
    item, _ = items_of(store, project)
    send(store, project, item, TREE | {"deps": ["4.1:nsubj", None, None, "4.1:conj"]})
    assert warned(store, project, item) == ["no enhanced dependencies lead from the root to 'Ana' (1); give it some"]
    with pytest.raises(FewshotError, match="the head of '5:x' is no word or empty node"):
        send(store, project, item, TREE | {"deps": ["5:x", None, None, None]})


def test_where_gold_is_hidden_nothing_of_it_is_told(store, path):
    project = project_of(store, path, hides_gold=True)
    item, _ = items_of(store, project)
    send(store, project, item, OTHER | {"heads": [2, 4, 4, 0]})
    data = view.view(project, session.open_item(store, project, store.item(item.id)))
    assert data["example"]["deps"] == ["_"] * 4 and data["example"]["nodes"] == []
    assert not warned(store, project, item)


def test_editors_are_told_what_the_file_has_beside_the_tree(store, project):
    item, _ = items_of(store, project)
    data = view.view(project, session.open_item(store, project, item))["example"]
    assert data["deps"] == ["=|4:nsubj", "=", "=", "=:y"]
    assert data["nodes"] == [["4.1", "ella", "4:nsubj"]]


def test_a_file_brings_its_own(store, project, path, tmp_path):
    item, _ = items_of(store, project)
    changed = FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.1:nsubj").replace("4\tcc\t4:cc", "2\tcc\t2:cc")
    path.write_text(changed, encoding="utf-8")
    import_annotations(store, project, "dep", path, "ana")
    assert store.latest(item.id).annotation["deps"] == ["=|4.1:nsubj", None, None, None]
    assert (tmp_path / "out.conllu").write_text("") == 0
    exported(store, project, tmp_path)
    assert (tmp_path / "out.conllu").read_text() == changed


def test_people_differ_in_what_they_made_of_it(store, project):
    one, other = items_of(store, project)
    send(store, project, one, TREE | {"deps": ["=", None, None, None]})
    send(store, project, other, TREE)
    (case,) = adjudication.cases(store, project, "dep")
    assert case.differ
    first, second = (version.revision.annotation for version in case.versions)
    assert adjudication.merged(second, first)["deps"] == ["=", None, None, None]


def test_the_levels_of_the_validation_hold_for_enhanced_arcs_too(path):
    (sentence,) = conllu.read(path)
    made = sentence.annotated(heads=(2, 4, 4, 0), deprels=tuple(OTHER["deprels"]))
    found = {level: validation.problems(tasks.get("dep"), made, level) for level in (1, 2)}
    assert [any("enhanced" in one.message for one in problems) for problems in found.values()] == [False, True]


def test_a_file_with_arcs_from_nowhere_is_named_and_the_sentence_can_be_opened(store, project, path, tmp_path):
    items_of(store, project)
    node = "4.2\tve\t_\tVERB\t_\t_\t_\t_\t2:conj\t_\n"
    path.write_text(FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.2:nsubj").replace("\n\n", f"\n{node}\n"))
    imported = import_annotations(store, project, "dep", path, "ana")
    assert imported.saved == 1
    assert "'4.2:nsubj'" in imported.problems[0].message
    (mine,) = [item for item in store.items(project.id) if item.annotator == "ana"]
    assert view.view(project, session.open_item(store, project, mine))["annotation"]["heads"] == TREE["heads"]


def test_arcs_that_somebody_changed_and_changed_back_are_no_disagreement(store, project):
    first, second = items_of(store, project)
    send(store, project, first, TREE | {"deps": [None] * 4})
    send(store, project, second, TREE)
    assert not gold.gold(store, project, "dep").open
