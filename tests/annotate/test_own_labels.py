import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from app_page import field, fill, open_app, open_page, press, values
from desk import Desk, new_project
from making import examples, made_up
from storing import annotate, run_job

from annotate.components import data_source, frame
from annotate.editing import content, labels
from annotate.exchange.importing import import_annotations
from annotate.rounds import curve
from annotate.worker import queue
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.costs import prices
from fewshot.errors import FewshotError
from fewshot.tasks.dep import RELATIONS
from fewshot.training.model import build_model

TYPES = {"metsa": "LOC", "kala": "KIN", "vesi": "DATE"}


def with_types(types, n, seed, name="s"):
    made = made_up(n, seed, shortest=8, name=name)
    tags = [tuple(f"B-{types[word]}" if word in types else "O" for word in one.words) for one in made]
    return [one.annotated(entities=row) for one, row in zip(made, tags, strict=True)]


def with_relations(relations, n, seed):
    made = made_up(n, seed, shortest=8)
    return [one.annotated(deprels=tuple(relations.get(name, name) for name in one.deprels)) for one in made]


PUNCT = {"punct": "mark_of", "obl": "obl:x_y"}
TREES = with_relations(PUNCT, 20, 1)
FIELDS = {
    "ner": "named entity recognition: labels",
    "dep": "dependency parsing: further labels",
    "topic": "document classification: labels",
}


@pytest.fixture
def page(store, monkeypatch):
    """The app of one person at their own machine, at the list of projects; jobs are not started."""
    monkeypatch.delenv(frame.USERS, raising=False)
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: True)
    return open_app()


@pytest.fixture
def unlabelled(new_desk):
    """Makes a project of examples without their annotation, all assigned to ana."""

    def unlabelled(examples, task, own, **settings):
        bare = [one.unannotated() for one in examples]
        desk = new_desk(bare, task, labels={task: own}, **settings)
        return desk, desk.draw(*((place, task, "ana") for place in range(len(bare))))

    return unlabelled


@pytest.mark.parametrize(
    ("task", "sentences", "offered", "chosen", "stored"),
    [
        ("ner", with_types(TYPES, 20, 1), ["LOC", "DATE", "KIN"], ["KIN", "MONEY"], ["KIN", "MONEY", "DATE", "LOC"]),
        ("dep", TREES, [*PUNCT.values()], ["mark_of", "x"], [*RELATIONS, "mark_of", "x", "obl:x_y"]),
    ],
)
def test_the_form_offers_labels_of_the_file_and_takes_others(store, page, task, sentences, offered, chosen, stored):
    fill(page, {"Tasks": [task], "Sentences": data_source.UPLOAD, "Language code": "fi"})
    text = "".join(map(conllu.to_text, sentences))
    fill(page, {"Files": [("mine.conllu", text.encode(), "text/plain")]})
    assert field(page, FIELDS[task]).value == offered
    press(fill(page, {FIELDS[task]: chosen, "Name": "own"}), "Create project")
    (project,) = store.projects()
    assert project.labels[task] == stored  # those that came with the data are added


@pytest.mark.parametrize(
    ("task", "in_data", "is_gold", "wanted"),
    [
        ("nli", ["entailment"], False, ["entailment", "neutral", "contradiction"]),  # the others are not reached yet
        ("nli", ["entailment"], True, ["entailment"]),
        ("nli", ["entailment", "neutral", "contradiction"], False, ["entailment", "neutral", "contradiction"]),
        ("ner", ["PER", "ORG", "LOC", "BOAT", "KIN", "MISC"], False, ["PER", "ORG", "LOC", "BOAT", "KIN", "MISC"]),
        ("ner", ["PER", "KIN"], False, ["PER", "KIN"]),
        ("ner", [], False, ["PER", "ORG", "LOC"]),
    ],
)
def test_data_that_are_half_annotated_with_some_of_the_default_labels_get_all(task, in_data, is_gold, wanted):
    assert labels.of_data(task, in_data, is_gold) == wanted
    assert labels.initial(task, [], frozenset(in_data), is_gold) == wanted  # in the default order, then sorted


@pytest.mark.parametrize(
    ("task", "given", "shown", "chosen", "stays", "stored"),
    [
        ("dep", [*RELATIONS, "foo"], ["foo"], ["bar"], "foo", ["foo", "bar"]),
        ("ner", ["PER", "KIN"], ["PER", "KIN"], ["KIN", "DATE"], "PER", ["KIN", "DATE"]),
        ("ner", ["First Name"], ["First Name"], ["First Name", "KIN"], "", ["KIN"]),
    ],
)
def test_labels_are_added_in_the_settings_and_none_is_lost(store, page, task, given, shown, chosen, stays, stored):
    """A label that a file has brought is not refused, though nobody could type it."""
    project = new_project(store, with_types(TYPES, 4, 1), task, labels={task: given})
    page = open_page("settings", project)
    assert field(page, FIELDS[task]).value == shown
    fill(page, {FIELDS[task]: chosen})
    notes = [value for value in values(page.caption) if "cannot be removed" in value]
    assert notes == ([f"{stays} cannot be removed, since annotation may have these labels."] if stays else [])
    press(page, "Save settings")
    assert not page.error
    found = store.project(project.id).labels[task]
    assert found[: len(given)] == given and found[-len(stored) :] == stored
    assert labels.add(store, project, task, ["NEW", *chosen]) == ["NEW"]  # of a page that was opened before
    assert store.project(project.id).labels[task] == [*found, "NEW"]


def test_labels_that_several_people_add_at_once_are_all_kept(store):
    project = new_project(store, with_types(TYPES, 4, 1), "ner", labels={"ner": ["PER"]})
    names = [f"L{number}" for number in range(12)]
    with ThreadPoolExecutor(len(names)) as threads:
        assert list(threads.map(lambda name: labels.add(store, project, "ner", [name]), names)) == [[n] for n in names]
    kept = store.project(project.id).labels["ner"]
    assert (kept[0], sorted(kept[1:])) == ("PER", sorted(names))


def test_a_wrong_label_in_the_settings_leaves_the_guidelines_that_are_being_written(store, page):
    project = new_project(store, with_types(TYPES, 4, 1), "ner", labels={"ner": ["PER", "KIN"]})
    page = fill(
        open_page("settings", project), {"Guidelines (Markdown)": "Half a page.", FIELDS["ner"]: ["PER", "a|b"]}
    )
    assert [error.value for error in page.error] == [
        "'a|b' cannot be a label of named entity recognition; a label has no spaces and no |, and is neither O nor \\_"
    ]
    assert next(button for button in page.button if button.label == "Save settings").disabled
    press(fill(page, {FIELDS["ner"]: ["PER", "KIN", "LOC"]}), "Save settings")
    assert store.project(project.id).guidelines == "Half a page."


SUGGESTED = [
    (
        *("ner", with_types(TYPES, 12, 1), ["KIN", "PER"], "LOC and DATE", {"KIN"}),
        *("DATE", {"KIN", "DATE"}, "the ner model also knows LOC, which this project lacks: left out"),
    ),
    (
        *("dep", with_relations({"punct": "mark_of"}, 12, 1), list(RELATIONS), "mark_of", {"_"}),
        *("mark_of", {"mark_of"}, None),
    ),
]


@pytest.mark.parametrize(("task", "gold", "own", "left_out", "before", "added", "after", "then"), SUGGESTED)
def test_suggested_labels_that_the_project_has_not_are_left_out_which_is_said(
    store, encoder, tmp_path, unlabelled, monkeypatch, task, gold, own, left_out, before, added, after, then
):
    def suggest(model, examples):
        right = {one.id: content.annotation_of(task, one) for one in gold}
        return [{"annotation": right[one.id], "confidence": [1.0] * one.length} for one in examples]

    monkeypatch.setattr("annotate.worker.suggest.suggest", suggest)
    build_model(tasks.get(task).fitted(gold), encoder, 0, 0.1).save(tmp_path / task)
    desk, items = unlabelled(gold, task, own)
    project = desk.project
    job = run_job(store, project, "suggest", model=str(tmp_path / task))
    said = f"the {task} model also knows {left_out}, which this project lacks: left out"
    assert (job.state, job.error) == ("done", said)
    assert [one.id for one in queue.visible_jobs(store, project.id, ["suggest"])] == [job.id]

    def shown():
        desk.project = store.project(project.id)
        suggested = [desk.open(item).suggestion for item in items]
        (column,) = {"ner": ["entities"], "dep": ["deprels"]}[task]
        names = {name for one in suggested if one for name in one["annotation"][column]}
        return {name[2:] for name in names if name[1:2] == "-"} if task == "ner" else names - {"conj", "obl", "root"}

    assert before <= shown() and added not in shown()
    labels.add(store, project, task, [added])
    assert after <= shown() and not {"LOC"} & shown()
    assert run_job(store, project, "suggest", model=str(tmp_path / task)).error == then


def test_labels_that_files_could_not_hold_are_refused():
    wrong = {"ner": ["FIRST NAME", "A|B", "O"], "dep": ["a b", "root:x"], "topic": ["_"], "pos": ["X1"]}
    for task, typed in ((task, label) for task, labels_ in wrong.items() for label in labels_):
        with pytest.raises(FewshotError, match=f"{re.escape(repr(typed))} cannot be a label"):
            labels.check(task, [typed])
    labels.check("topic", ["a b", "A|B", "O"])


def test_classes_of_texts_are_two_at_least():
    labels.require("topic", ["law", "art"])
    with pytest.raises(FewshotError, match="document classification needs at least two labels, and has 1; type more"):
        labels.require("topic", ["law"])


@pytest.mark.parametrize("format", ["conllu", "jsonl"])
def test_an_import_adds_labels_says_so_and_an_export_keeps_them(store, tmp_path, unlabelled, format):
    gold = with_types(TYPES, 6, 1)
    desk, _ = unlabelled(gold, "ner", ["PER"])
    path = tmp_path / f"in{formats.FORMATS[format].suffix}"
    others = with_types({"metsa": "JOBS_ELSEWHERE"}, 2, 9, name="other")
    formats.export([*gold, *others], [tasks.get("ner")], format, path)
    taken = desk.take(path)
    assert (taken.saved, taken.unknown, taken.wrong, taken.added) == (6, 2, 0, ["DATE", "KIN", "LOC"])
    assert store.project(desk.project.id).labels["ner"] == ["PER", "DATE", "KIN", "LOC"]
    again, _ = formats.check(desk.export(format=format), format, "fi", tasks.get("ner"))
    assert [one.entities for one in again] == [one.entities for one in gold]
    assert import_annotations(store, desk.project, "ner", path, "ana").added == []


def test_a_suggested_class_that_the_project_has_not_is_not_shown(store, encoder, tmp_path, unlabelled):
    build_model(tasks.get("topic", ["health", "sports"]), encoder, 0, 0.1).save(tmp_path / "topic")
    desk, items = unlabelled(examples("documents", 6, seed=1), "topic", ["health", "law"])
    assert "also knows sports" in run_job(store, desk.project, "suggest", model=str(tmp_path / "topic")).error
    made = {key: one.data["annotation"]["label"] for key, one in store.suggestions_of(desk.project.id, "topic").items()}
    for item in items:
        assert (desk.open(item).suggestion is None) == (made[item.example_id] == "sports")


def test_a_project_learns_labels_that_the_source_model_never_saw(store, trained, encoder_folder, tmp_path, monkeypatch):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "topic").symlink_to(trained.source_folder("topic"))
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: tmp_path / "kept")
    names = {"sports": "pelit", "health": "terveys"}

    def renamed(seed, n):
        made = examples("documents", n, seed)
        return [type(one)(f"{seed}-{one.id}", one.text, names[one.label]) for one in made]

    own = {"topic": ["pelit", "terveys"]}
    project = new_project(
        store, renamed(2, 8), "topic", test=renamed(3, 6), labels=own, encoder=str(encoder_folder), hides_gold=True
    )
    desk = Desk(store, project, tmp_path)
    for item in desk.draw(*((place, "topic", "ana") for place in range(8))):
        annotate(store, project, item)
    job = run_job(store, project, "train", seeds=1, updates=4)
    assert job.state == "done", job.error
    assert job.error.startswith("pelit and terveys are new to the source model, which knows no label of the test set")
    assert job.error.endswith("the topic model also knows health and sports, which this project lacks: left out")
    drawn = curve.project_curve(store, project, "topic", prices.load())
    assert [point.k for point in drawn.curve.points] == [8]
    monkeypatch.setattr("annotate.worker.queue.start_worker", lambda store: None)
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.delenv(frame.USERS, raising=False)
    shown = [one.label for one in open_page("train", project).metric]
    assert "After 8 documents" in shown and "Zero-shot" not in shown
