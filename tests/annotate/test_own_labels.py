"""Labels of one's own in the app: from the form, the file, an import or the settings, to suggestions and training."""

import pytest
import torch
from making import examples, made_up, small_recipe
from serving import ROOT
from storing import annotate, made_items, made_project, pool_ids, run_job
from streamlit.testing.v1 import AppTest

from annotate.components import frame
from annotate.editing import content, labels, session, view
from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.pages import new_project
from annotate.rounds import curve
from annotate.store import NewItem
from annotate.worker import queue
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.costs import prices
from fewshot.errors import FewshotError
from fewshot.tasks.dep import RELATIONS
from fewshot.training.adapt import train_source
from fewshot.training.model import new

TYPES = {"metsa": "LOC", "kala": "KIN", "vesi": "DATE"}


def with_types(types, n, seed, name="s"):
    """Sentences whose entities are words of these types."""
    made = made_up(n, seed, shortest=8, name=name)
    tags = [tuple(f"B-{types[word]}" if word in types else "O" for word in one.words) for one in made]
    return [one.annotated(entities=row) for one, row in zip(made, tags, strict=True)]


@pytest.fixture
def page(store, monkeypatch):
    """The app of one person at their own machine, at the list of projects; jobs are not started."""
    monkeypatch.delenv(frame.USERS, raising=False)
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: True)
    return AppTest.from_file(ROOT / "app.py", default_timeout=60).run()


def labelled(elements, label):
    (found,) = [one for one in elements if one.label == label]
    return found


def chosen(page, task):
    labelled(page.multiselect, "Tasks").set_value([task]).run()


def create(page):
    labelled(page.text_input, "Name").set_value("own").run()
    labelled(page.button, "Create project").click().run()
    assert not page.exception


def upload(page, sentences, task):
    chosen(page, task)
    labelled(page.radio, "Sentences").set_value(new_project.UPLOAD).run()
    labelled(page.text_input, "Language code").set_value("fi").run()
    text = "".join(map(conllu.to_text, sentences))
    labelled(page.file_uploader, "Files").set_value([("mine.conllu", text.encode(), "text/plain")]).run()
    (field,) = [one for one in page.multiselect if one.label.startswith(f"{tasks.get(task).title}: ")]
    return field


def with_relations(relations, n, seed):
    """Trees in which words of some relation have another one."""
    made = made_up(n, seed, shortest=8)
    return [one.annotated(deprels=tuple(relations.get(name, name) for name in one.deprels)) for one in made]


PUNCT = {"punct": "mark_of", "obl": "obl:x_y"}


@pytest.mark.parametrize(
    ("task", "sentences", "offered", "chosen_labels", "stored"),
    [
        (
            "ner",
            with_types(TYPES, 20, seed=1),
            ["LOC", "DATE", "KIN"],
            ["KIN", "MONEY"],
            ["KIN", "MONEY", "DATE", "LOC"],
        ),
        (
            "dep",
            with_relations(PUNCT, 20, seed=1),
            ["mark_of", "obl:x_y"],
            ["mark_of", "foo"],
            [*RELATIONS, "mark_of", "foo", "obl:x_y"],
        ),
    ],
)
def test_the_form_offers_the_labels_of_the_file_and_takes_others(
    store, page, task, sentences, offered, chosen_labels, stored
):
    field = upload(page, sentences, task)
    assert field.value == offered
    assert field.label == {"ner": "named entity recognition: labels", "dep": "dependency parsing: further labels"}[task]
    field.set_value(chosen_labels).run()
    create(page)
    (project,) = store.projects()
    assert project.labels[task] == stored  # those that came with the data are added


@pytest.mark.parametrize(
    ("task", "given", "field", "shown", "chosen_labels", "stays", "stored"),
    [
        ("dep", [*RELATIONS, "foo"], "dependency parsing: further labels", ["foo"], ["bar"], "foo", ["foo", "bar"]),
        ("ner", ["PER", "KIN"], "named entity recognition: labels", None, ["KIN", "DATE"], "PER", ["KIN", "DATE"]),
        ("ner", ["First Name"], "named entity recognition: labels", None, ["First Name", "KIN"], "", ["KIN"]),
    ],
)
def test_labels_are_added_in_the_settings_and_none_is_lost(
    store, page, task, given, field, shown, chosen_labels, stays, stored
):
    """A label that a file has brought is not refused, though nobody could type it."""
    project = made_project(store, pool.both(with_types(TYPES, 4, 1), ()), tasks=(task,), labels={task: given})
    field = labelled(page.run().multiselect, field)
    assert field.value == (shown or given)
    field.set_value(chosen_labels).run()
    notes = [one.value for one in page.caption if "will stay" in one.value]
    assert notes == ([f"{stays} will stay: what was annotated may have such labels."] if stays else [])
    labelled(page.button, "Save settings").click().run()
    assert not page.exception and not page.error
    found = store.project(project.id).labels[task]
    assert found[: len(given)] == given and found[-len(stored) :] == stored


def test_relations_of_an_import_become_the_projects(store, tmp_path):
    gold = with_relations({"punct": "mark_of"}, 4, seed=1)
    project = made_project(store, pool.both([one.unannotated() for one in gold], ()), tasks=("dep",))
    conllu.write(gold, tmp_path / "in.conllu")
    taken = import_annotations(store, project, "dep", tmp_path / "in.conllu", "ana")
    assert (taken.saved, taken.wrong, taken.added) == (4, 0, ["mark_of"])


def shown_suggestions(store, project, items):
    """Return what the editor suggests for items, by the project's labels of now."""
    now = store.project(project.id)
    shown = [session.open_item(store, now, item).suggestion for item in items]
    return [one["annotation"] for one in shown if one]


def assigned(store, project, task):
    """Assign the whole project to ana."""
    return made_items(store, project, [NewItem(key, task, "ana", False) for key in pool_ids(store, project)])


SUGGESTED = [
    (
        *("ner", with_types(TYPES, 12, 1), ["KIN", "PER"], "LOC and DATE", {"KIN"}),
        *("DATE", {"KIN", "DATE"}, "the ner model knows LOC too, which this project has not: left out"),
    ),
    (
        *("dep", with_relations({"punct": "mark_of"}, 12, 1), list(RELATIONS), "mark_of", {"_"}),
        *("mark_of", {"mark_of"}, None),
    ),
]


@pytest.mark.parametrize(("task", "gold", "own", "left_out", "before", "added", "after", "then"), SUGGESTED)
def test_suggested_labels_that_the_project_has_not_are_left_out_which_is_said(
    store, encoder, tmp_path, monkeypatch, task, gold, own, left_out, before, added, after, then
):
    def suggest(model, examples):
        right = {one.id: content.annotation_of(task, one) for one in gold}
        return [{"annotation": right[one.id], "confidence": [1.0] * one.length} for one in examples]

    monkeypatch.setattr("annotate.worker.suggest.suggest", suggest)
    new(tasks.get(task).fitted(gold), encoder, 0, 0.1).save(tmp_path / task)
    project = made_project(store, pool.both([one.unannotated() for one in gold], ()), tasks=(task,), labels={task: own})
    items = assigned(store, project, task)
    job = run_job(store, project, "suggest", model=str(tmp_path / task))
    said = f"the {task} model knows {left_out} too, which this project has not: left out"
    assert (job.state, job.error) == ("done", said)
    assert [one.id for one in queue.current(store, project.id, ["suggest"])] == [job.id]

    def shown():
        annotations = shown_suggestions(store, project, items)
        names = {name for one in annotations for name in one[{"ner": "entities", "dep": "deprels"}[task]]}
        return {name[2:] for name in names if name[1:2] == "-"} if task == "ner" else names - {"conj", "obl", "root"}

    assert before <= shown() and added not in shown()
    labels.add(store, project, task, [added])
    assert after <= shown() and not {"LOC"} & shown()
    assert run_job(store, project, "suggest", model=str(tmp_path / task)).error == then


def test_the_labels_of_a_path_are_read_with_it(store, page, tmp_path):
    for split, seed in (("pool", 1), ("test", 2)):
        conllu.write(with_types(TYPES | {"talo": split.upper()}, 20, seed, split), tmp_path / f"{split}.conllu")
    chosen(page, "ner")
    labelled(page.radio, "Sentences").set_value(new_project.PATH).run()
    labelled(page.text_input, "Language code").set_value("fi").run()
    labelled(page.text_input, "File or folder").set_value(str(tmp_path)).run()
    create(page)
    (project,) = store.projects()
    assert project.labels["ner"] == ["PER", "ORG", "LOC", "DATE", "KIN", "POOL", "TEST"]


def test_labels_can_be_typed_for_the_sample(store, page):
    chosen(page, "topic")
    labelled(page.multiselect, f"{tasks.get('topic').title}: labels").set_value(["law", "art, music"]).run()
    create(page)
    (project,) = store.projects()
    assert project.labels["topic"][:2] == ["law", "art, music"]


@pytest.mark.parametrize(
    ("task", "typed", "reason"),
    [
        ("ner", "FIRST NAME", "'FIRST NAME' cannot be a label of named entity recognition; a label has no spaces"),
        ("ner", "A|B", "'A|B' cannot be a label"),
        ("ner", "O", "'O' cannot be a label"),
        ("dep", "a b", "'a b' cannot be a label of dependency parsing; a label has no spaces"),
        ("dep", "root:x", "'root:x' cannot be a label of dependency parsing"),
        ("topic", "_", "'_' cannot be a label of document classification"),
    ],
)
def test_labels_that_files_could_not_hold_are_refused(task, typed, reason):
    with pytest.raises(FewshotError) as refused:
        labels.check(task, [typed])
    assert str(refused.value).startswith(reason)
    labels.check("topic", ["a b", "A|B", "O"])


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (["_"], "'_' cannot be a label of document"),
        ([], "document classification has no labels yet; type at least two"),
    ],
)
def test_the_form_names_a_label_that_is_refused(store, page, typed, reason):
    chosen(page, "topic")
    labelled(page.multiselect, f"{tasks.get('topic').title}: labels").set_value(typed).run()
    assert any(frame.plain(reason) in error.value for error in page.error)
    assert not store.projects()


def test_what_somebody_else_has_added_meanwhile_stays(store):
    project = made_project(store, tasks=("ner",), labels={"ner": ["PER"]})
    assert labels.add(store, project, "ner", ["DATE"]) == ["DATE"]
    assert labels.add(store, project, "ner", ["PER", "KIN"]) == ["KIN"]
    assert labels.add(store, project, "pos", ["KIN"]) == []
    assert store.project(project.id).labels["ner"] == ["PER", "DATE", "KIN"]


def test_editors_have_keys_for_labels_of_ones_own(store):
    given = ["PER", *(f"T{number}" for number in range(10))]
    project = made_project(store, pool.both(with_types(TYPES, 1, 1), ()), tasks=("ner",), labels={"ner": given})
    (item,) = made_items(store, project, [NewItem(next(store.examples(project.id)).id, "ner", "ana", False)])
    shown = view.view(project, session.open_item(store, project, item))["labels"]
    assert [(one["name"], one["key"]) for one in shown] == list(zip(given, [*"123456789", "", ""], strict=True))


@pytest.mark.parametrize("format", ["conllu", "bio", "jsonl", "label-studio", "webanno"])
def test_an_import_adds_labels_says_so_and_an_export_keeps_them(store, tmp_path, format):
    gold = with_types(TYPES, 6, 1)
    rows = pool.both([one.unannotated() for one in gold], ())
    project = made_project(store, rows, tasks=("ner",), labels={"ner": ["PER"]})
    others = with_types({"metsa": "ELSEWHERE"}, 2, 9, name="other")
    path = tmp_path / f"in{formats.FORMATS[format].suffix}"
    formats.export([*gold, *others], [tasks.get("ner")], format, path)
    taken = import_annotations(store, project, "ner", path, "ana")
    assert (taken.saved, taken.unknown, taken.wrong, taken.added) == (6, 2, 0, ["DATE", "KIN", "LOC"])
    assert store.project(project.id).labels["ner"] == ["PER", "DATE", "KIN", "LOC"]
    found = export_annotations(store, project, ["ner"], None, "annotated").examples
    assert [one.entities for one in found] == [one.entities for one in gold]
    assert import_annotations(store, project, "ner", path, "ana").added == []


def test_an_import_of_a_bad_tag_is_no_label(store, tmp_path):
    (gold,) = with_types(TYPES, 1, 1)
    project = made_project(store, pool.both([gold], ()), tasks=("ner",), labels={"ner": ["PER"]})
    broken = gold.annotated(entities=("B-KIN", *["Q-AGE"] * (gold.length - 1)))
    conllu.write([broken], tmp_path / "x.conllu")
    with pytest.raises(FewshotError, match="Q-AGE"):
        import_annotations(store, project, "ner", tmp_path / "x.conllu", "ana")
    assert store.project(project.id).labels["ner"] == ["PER"]


def test_a_suggested_class_that_the_project_has_not_is_not_shown(store, encoder, tmp_path):
    texts = examples("documents", 6, seed=1)
    model = new(tasks.get("topic", ["health", "sports"]), encoder, 0, 0.1)
    model.save(tmp_path / "topic")
    rows = pool.both([one.unannotated() for one in texts], ())
    project = made_project(store, rows, kind="documents", tasks=("topic",), labels={"topic": ["health", "law"]})
    items = assigned(store, project, "topic")
    assert "knows sports too" in run_job(store, project, "suggest", model=str(tmp_path / "topic")).error
    made = {key: one.data["annotation"]["label"] for key, one in store.suggestions_of(project.id, "topic").items()}
    for item in items:
        shown = session.open_item(store, project, item).suggestion
        assert (shown is None) == (made[item.example_id] == "sports")


def test_a_project_learns_labels_that_the_source_model_never_saw(store, encoder, encoder_folder, tmp_path, monkeypatch):
    given = examples("documents", 20, seed=1)
    recipe = small_recipe(method="freeze-0", regime="sequential", updates=4, batch=8)
    source = train_source(tasks.get("topic").fitted(given), encoder, given, recipe, 0, torch.device("cpu"))
    source.save(tmp_path / "kept" / "topic")
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path / "kept")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    names = {"sports": "pelit", "health": "terveys"}

    def renamed(seed, n):
        made = examples("documents", n, seed)
        return [type(one)(f"{seed}-{one.id}", one.text, names[one.label]) for one in made]

    project = made_project(
        store, pool.both(renamed(2, 8), renamed(3, 6)), kind="documents", tasks=("topic",),
        labels={"topic": ["pelit", "terveys"]}, encoder=str(encoder_folder),
    )  # fmt: skip
    for item in assigned(store, project, "topic"):
        annotate(store, project, item)
    job = run_job(store, project, "train", seeds=1, updates=4)
    assert job.state == "done", job.error
    assert job.error.startswith("pelit and terveys are new to the source model, which knows no label of the test set")
    assert job.error.endswith("the topic model knows health and sports too, which this project has not: left out")
    drawn = curve.project_curve(store, project, "topic", prices.load())
    assert [point.k for point in drawn.curve.points] == [8]
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.delenv(frame.USERS, raising=False)

    def train_page():
        from annotate.pages import train

        train.show()

    page = AppTest.from_function(train_page, default_timeout=60)
    page.query_params["project"] = str(project.id)
    page.run()
    assert not page.exception
    shown = [one.label for one in page.metric]
    assert "Zero-shot" not in shown
    assert "After 8 documents" in shown
    assert not any("Train again" in one.value for one in page.warning)


def test_no_label_in_common_is_refused(store, encoder, tmp_path):
    new(tasks.get("ner"), encoder, 0, 0.1).save(tmp_path / "ner")
    project = made_project(store, pool.both(with_types(TYPES, 2, 1), ()), tasks=("ner",), labels={"ner": ["KIN"]})
    job = run_job(store, project, "suggest", model=str(tmp_path / "ner"))
    assert job.state == "failed"
    assert job.error.startswith("the ner model knows PER, ORG, LOC, but the labels of this project are KIN; train one")
