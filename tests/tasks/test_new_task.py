"""A new file in ``fewshot/tasks`` is all that a new task takes: for the commands, the samplers and the app."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cli.calls import call
from desk import message, receive
from making import examples
from serving import ROOT
from streamlit.testing.v1 import AppTest

import fewshot.tasks
from annotate.components import data_source, frame
from annotate.components.editor import FOLDER
from annotate.editing import content, session, view
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.store import Store
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.training import presets

ADDED = Path(__file__).parent / "added"
MODULES = [f"fewshot.tasks.{file.stem}" for file in ADDED.glob("*.py")]
NAMES = {"content": "conllu", "sentiment": "tsv"}
"""The new tasks, and a format that holds their annotation."""


@pytest.fixture(scope="module", autouse=True)
def added():
    """As if the files of ``added`` lay in ``fewshot/tasks``."""
    fewshot.tasks.__path__.append(str(ADDED))
    tasks.registry.cache_clear()
    yield
    fewshot.tasks.__path__.remove(str(ADDED))
    tasks.registry.cache_clear()
    for name in MODULES:
        sys.modules.pop(name, None)


def gold(name, n, seed):
    """Annotated examples of a new task, whose labels follow from the text."""
    if name == "sentiment":
        return [
            replace(one, label="glad" if one.label == "sports" else "sad") for one in examples("documents", n, seed)
        ]
    made = []
    for one in examples("sentences", n, seed):
        upos = tuple("function" if tag == "PUNCT" else "content" for tag in one.upos)
        made.append(replace(one, upos=upos, heads=(), deprels=(), entities=()))
    return made


@pytest.fixture(params=NAMES)
def task(request):
    return tasks.get(request.param)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new")
    for name, format in NAMES.items():
        (folder / name / "xx").mkdir(parents=True)
        for part, n, seed in (("train", 40, 1), ("xx/pool", 20, 2), ("xx/test", 10, 3)):
            formats.export(gold(name, n, seed), [tasks.get(name)], format, folder / name / f"{part}.{format}")
    return folder


def test_it_is_known_by_name_and_has_what_it_does_not_say(task):
    assert task.price.unit in task.units([])
    assert min(task.time.seconds) > 0
    assert task.curve == {"content": tasks.Task.curve, "sentiment": tasks.get("topic").curve}[task.name]
    assert task.lineage == {"content": ["content"], "sentiment": ["sentiment", "topic"]}[task.name]


def test_the_commands_know_it(place, encoder_folder, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: tmp_path / "kept")
    few_updates = (presets.ANY, presets.ANY, presets.ANY, {"least": 1})
    monkeypatch.setattr(presets, "SOURCE", (*presets.SOURCE, few_updates))
    task, data = tasks.get("content"), place / "content"
    model = ("--task", task.name, "--model", encoder_folder)

    def done(*arguments):
        result = call(*arguments)
        assert result.exit_code == 0, result.output
        return result.output

    done("source", *model, "--data", data / "train.conllu", "--updates", "2")
    run = ("run", *model, "--lang", "xx", "--data", data / "xx", "--k", "2", "--updates", "2", "--seeds", "1")
    run = (*run, "--shot-sets", "1", "--out", tmp_path / "one")
    assert task.title in done(*run, "--sampler", "entropy,cost-aware,confused")
    unlabelled, out = tmp_path / "new.conllu", tmp_path / "out.conllu"
    formats.export([one.unannotated() for one in gold(task.name, 4, 5)], [task], "conllu", unlabelled)
    done("predict", tmp_path / "one" / "model", unlabelled, "--out", out)
    labelled = list(formats.stream(out, None, "xx", task))
    assert all(set(one.predicted) == set(task.columns) for one in labelled)
    tasks.check_gold(task, [replace(one, predicted=()) for one in labelled])


@pytest.fixture
def store(tmp_path, monkeypatch):
    made = Store.open(f"sqlite:///{tmp_path / 'app.db'}")
    monkeypatch.delenv(frame.USERS, raising=False)
    monkeypatch.setattr(frame, "store", lambda: made)
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: True)
    yield made
    made.close()


def test_the_app_makes_a_project_of_it_which_is_annotated_exported_and_imported(task, place, store, tmp_path):
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    for kind, label, value in (
        ("multiselect", "Tasks", [task.name]),
        ("radio", "Sentences", data_source.PATH),
        ("text_input", "Language code", "xx"),
        ("text_input", "File or folder", str(place / task.name / "xx")),
        ("text_input", "Name", "new"),
    ):
        next(one for one in getattr(page, kind) if one.label == label).set_value(value).run()
    next(one for one in page.button if one.label == "Create project").click().run()
    assert not page.exception
    (project,) = store.projects()
    assert (project.tasks, project.pool_size, project.labels[task.name]) == ((task.name,), 20, [*task.labels])
    items = store.items(project.id)
    truth = {one.key: one for one in gold(task.name, 20, 2)}
    for item in items:
        desk = session.open_item(store, project, item)
        shown = view.view(project, desk)
        assert re.search(rf"\b{shown['editor']}:", (FOLDER / "editor.js").read_text(encoding="utf-8"))
        assert [label["key"] for label in shown["labels"]] == ["1", "2"]
        annotation = content.annotation_of(task.name, truth[desk.example.key])
        receive(store, project, item.annotator, message(store, project, item, annotation))
    annotated = export_annotations(store, project, [task.name], None, "annotated").examples
    assert [truth[one.key].content for one in annotated] == [one.content for one in annotated]
    assert len(annotated) == len(items) == 10
    for format in formats.list_export_formats([task]):
        path = tmp_path / f"out{formats.FORMATS[format].suffix}"
        formats.export(annotated, [task], format, path)
        taken = import_annotations(store, project, task.name, path, "another")
        assert (taken.saved, taken.unknown, taken.wrong) == (len(items), 0, 0)
