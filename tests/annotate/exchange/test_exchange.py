"""Annotations that leave a project as a file and come into another one."""

import json
from dataclasses import replace

import pytest
from making import examples, made_up
from storing import made_items, made_project

from annotate.editing import content
from annotate.exchange import pool, projects
from annotate.exchange.exporting import annotators, export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import gold
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.errors import FewshotError

LABELS = {
    "pos": [],
    "dep": [],
    "ner": ["LOC"],
    "nli": ["entailment", "neutral", "contradiction"],
    "topic": ["sports", "health"],
    "qa": [],
}
FORMATS = [
    ("sentences", "pos", "conllu"),
    ("sentences", "dep", "conllu"),
    ("sentences", "ner", "bio"),
    ("sentences", "pos", "jsonl"),
    ("pairs", "nli", "tsv"),
    ("documents", "topic", "label-studio"),
    ("articles", "qa", "squad"),
]


@pytest.fixture
def project(store):
    """Three sentences of the pool and one of the test set, as yet unannotated."""
    return made_project(store, pool.both(made_up(3, seed=1), made_up(1, seed=2, name="t")), labels=LABELS)


@pytest.fixture
def take(store, project, tmp_path):
    """Imports sentences, or a text, of a CoNLL-U file."""

    def take(given, task="pos", annotator="ana", name="x.conllu"):
        path = tmp_path / name
        path.write_text(given, encoding="utf-8") if isinstance(given, str) else conllu.write(given, path)
        return import_annotations(store, project, task, path, annotator)

    return take


def counts(taken):
    return taken.saved, taken.unknown, taken.wrong


@pytest.mark.parametrize(("kind", "task", "format"), FORMATS)
def test_what_one_project_exports_another_takes_by_its_text(store, tmp_path, kind, task, format):
    whole = examples(kind, 4, seed=1)
    found = [content.annotated(task, one.unannotated(), content.annotation_of(task, one)) for one in whole]
    path = tmp_path / f"x{formats.FORMATS[format].suffix}"
    formats.export(found, [tasks.get(task)], format, path)
    rows = pool.both([one.unannotated() for one in reversed(whole)], ())
    made = made_project(store, rows, kind=kind, tasks=(task,), labels=LABELS)
    assert counts(import_annotations(store, made, task, path, "ana")) == (4, 0, 0)
    for annotator in ("ana", None):
        assert export_annotations(store, made, [task], annotator, "annotated").examples == found[::-1]


def test_ids_need_not_be_those_of_the_project(take):
    assert counts(take([replace(one, id=f"x{one.id}", record=None) for one in made_up(3, seed=1)])) == (3, 0, 0)


def test_what_the_project_does_not_have_is_counted(store, project, take):
    assert counts(take([*made_up(1, seed=1), *made_up(2, seed=9, name="new")])) == (1, 2, 0)
    assert len(gold.versions(store, project, "pos")) == 1


def test_what_is_not_valid_is_left_out_and_named(store, project, take):
    first, second, third = made_up(3, seed=1)
    gap = replace(second, upos=("_", *second.upos[1:]))
    odd = replace(third, upos=("THING", *third.upos[1:]))
    taken = take([first, gap, odd])
    assert counts(taken) == (1, 0, 2)
    for problem, word in zip(taken.problems, (gap.words[0], "THING"), strict=True):
        assert "x.conllu:" in problem.where
        assert word in problem.message


def test_a_row_that_cannot_be_read_is_named_and_the_others_are_saved(take):
    taken = take(conllu.to_text(made_up(1, seed=1)[0]) + "1\tbroken\n\n")
    assert counts(taken) == (1, 0, 0)
    assert len(taken.problems) == 1


def test_a_text_that_comes_twice_is_saved_once(store, project, take):
    (first,) = made_up(1, seed=1)
    taken = take([first, replace(first, id="again", upos=("X",) * first.length, record=None)])
    assert counts(taken) == (1, 0, 0)
    (version,) = gold.versions(store, project, "pos").values()
    assert set(version[0].revision.annotation["upos"]) == {"X"}


def test_a_second_import_is_a_revision_of_the_same_item(store, project, take):
    found = made_up(3, seed=1)
    take(found)
    take([one.annotated(upos=("X",) * one.length) for one in found])
    items = store.items(project.id)
    assert len(items) == 3
    assert [len(store.history(item.id)) for item in items] == [2, 2, 2]


def test_an_import_is_a_revision_of_what_was_drawn_for_the_annotator_and_nobody_else(store, project, take):
    key = store.lengths(project.id, "pool")[0][0]
    mine, bens = made_items(store, project, [(key, "pos", "ana"), (key, "pos", "ben")])
    take(made_up(1, seed=1))
    assert len(store.items(project.id)) == 2
    assert [len(store.history(item.id)) for item in (mine, bens)] == [1, 0]
    assert store.item(mine.id).status == "done"


def test_an_import_of_what_was_drawn_leaves_the_rest_of_the_pool_unread(store, project, take, monkeypatch):
    key = store.lengths(project.id, "pool")[0][0]
    made_items(store, project, [(key, "pos", "ana")])
    real, read = store.examples, []
    monkeypatch.setattr(
        "annotate.store.Store.examples",
        lambda _, *given, **kw: (read.append(row.id) or row for row in real(*given, **kw)),
    )
    assert counts(take(made_up(1, seed=1))) == (1, 0, 0)
    assert read == [key]
    assert counts(take(made_up(2, seed=1))) == (2, 0, 0)
    assert len(set(read)) == 4


def test_an_import_takes_no_time_of_anybody(store, project, take):
    take(made_up(3, seed=1))
    assert set(store.effort(project.id, "pos").values()) == {(0.0, 0)}


def test_annotations_of_the_test_set_stay_apart_and_blind(store, project, take):
    take([*made_up(2, seed=1), *made_up(1, seed=2, name="t")])
    assert [(drawn.purpose, drawn.k) for drawn in store.rounds(project.id)] == [("shots", 2), ("test", 1)]
    assert [item.blind for item in store.items(project.id)] == [False, False, True]
    for part, count in {"shots": 2, "test": 1}.items():
        assert len(export_annotations(store, project, ["pos"], "ana", part).examples) == count


def test_repaired_words_come_back_with_their_annotation(store, project, take, tmp_path):
    first = made_up(1, seed=1)[0]
    words = [first.words[0][:2], first.words[0][2:], *first.words[1:]]
    repaired = {"upos": ["X"] * len(words), "words": words, "ranges": [[1, 2, first.words[0]]]}
    key = store.lengths(project.id, "pool")[0][0]
    (item,) = made_items(store, project, [(key, "pos", "ana")])
    store.save(item.id, "ana", "page", 1, repaired, True, 1.0, 1)
    exported = export_annotations(store, project, ["pos"], "ana", "annotated").examples
    assert counts(take(exported, annotator="ben")) == (1, 0, 0)
    (again,) = export_annotations(store, project, ["pos"], "ben", "annotated").examples
    assert (again.words, again.upos) == (tuple(words), ("X",) * len(words))
    assert gold.gold(store, project, "pos").open == ()


@pytest.mark.parametrize(
    ("given", "name", "reason"),
    [
        ("", "x.conllu", "^no sentences in x.conllu"),
        ("hello", "x.conllu", "^no sentences in x.conllu .*x.conllu:1"),
        ("hello", "x.docx", "^no sentences in x.docx .*unknown file type '.docx' for pos"),
        ('{"data": []}', "x.json", "^no sentences in x.json"),
        ("a\tb\tneutral\n", "x.tsv", "^no sentences in x.tsv"),
    ],
)
def test_a_file_without_a_sentence_is_refused_in_one_line(store, project, take, given, name, reason):
    with pytest.raises(FewshotError, match=reason) as refused:
        take(given, name=name)
    assert len(str(refused.value).splitlines()) == 1
    assert store.rounds(project.id) == []


def test_a_file_that_is_not_there_is_refused(store, project, tmp_path):
    with pytest.raises(FewshotError, match=r"^no sentences in nope"):
        import_annotations(store, project, "pos", tmp_path / "nope.conllu", "ana")


def test_annotators_are_those_who_have_finished_something(store, project, take):
    key = store.lengths(project.id, "pool")[0][0]
    (item,) = made_items(store, project, [(key, "pos", "ben")])
    store.save(item.id, "ben", "page", 1, {"upos": []}, False, 1.0, 1)
    take(made_up(3, seed=1), annotator="zoe")
    take(made_up(3, seed=1), annotator="ana")
    assert annotators(store, project) == ["ana", "zoe"]


def test_one_persons_export_holds_nobody_elses_annotation(store, project, take):
    first, second, _ = made_up(3, seed=1)
    take([first])
    take([first.annotated(upos=("X",) * first.length), second], annotator="ben")
    hers, agreed = (export_annotations(store, project, ["pos"], name, "annotated") for name in ("ana", None))
    assert [(one.key, one.upos) for one in hers.examples] == [(first.key, first.upos)]
    assert [one.key for one in agreed.examples] == [second.key]
    assert (hers.disputed, agreed.disputed) == (0, 1)


def squad(path, id, answers):
    asked = [
        {"id": f"{id}{number}", "question": f"Who {number}?", "answers": answers and [answers[number]]}
        for number in (0, 1)
    ]
    path.write_text(json.dumps({"data": [{"title": "A", "paragraphs": [{"context": path.stem, "qas": asked}]}]}))
    return path


def test_a_file_whose_question_ids_another_has_too_is_exported_and_imported_again(store, tmp_path):
    paths = [squad(tmp_path / f"{name} sat here.json", "q", None) for name in ("Ana", "Ben")]
    found = [article for path in paths for article in formats.stream(path, None, "en", tasks.get("qa"))]
    pool_rows = pool.both(list(projects.distinct(found, set())), [])
    project = made_project(store, pool_rows, kind="articles", tasks=("qa",), labels={"qa": []})
    second = squad(paths[1], "q", [{"text": "Ben", "answer_start": 0}, {"text": "here", "answer_start": 8}])
    assert counts(import_annotations(store, project, "qa", second, "ana")) == (1, 0, 0)
    path = tmp_path / "out.json"
    formats.export(
        export_annotations(store, project, ["qa"], None, "annotated").examples, [tasks.get("qa")], "squad", path
    )
    (article,) = formats.stream(path, None, "en", tasks.get("qa"))
    asked = article.paragraphs[0].questions
    assert [(one.id, one.answers[0].text) for one in asked] == [("q0-2", "Ben"), ("q1-2", "here")]


def test_a_question_that_the_project_does_not_have_is_named(store, tmp_path):
    own = squad(tmp_path / "Ana sat here.json", "q", None)
    found = list(formats.stream(own, None, "en", tasks.get("qa")))
    project = made_project(store, pool.both(found, []), kind="articles", tasks=("qa",), labels={"qa": []})
    other = squad(own, "x", [{"text": "Ana", "answer_start": 0}] * 2)
    other.write_text(other.read_text().replace("Who", "Where"))
    taken = import_annotations(store, project, "qa", other, "ana")
    assert counts(taken) == (0, 0, 2)
    assert "the project does not have the question 'x0'" in taken.problems[0].message
