"""Texts of field linguists in the app: glosses and translations beside the words, recordings, and the file again."""

from pathlib import Path

import pytest
import sounds
from serving import ROOT
from storing import made_items, made_project
from streamlit.testing.v1 import AppTest

from annotate.components import frame
from annotate.editing import session, view
from annotate.exchange import pool, recordings
from annotate.exchange.exporting import export_annotations
from annotate.pages import new_project
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import eaf, flextext, sfm
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Sentence

TEXTS = ROOT / "tests" / "corpora" / "formats" / "interlinear"


@pytest.fixture
def alone(store, monkeypatch):
    """Pages are those of one person at their own machine."""
    monkeypatch.delenv(frame.USERS, raising=False)
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr("annotate.worker.queue.start", lambda *_args: None)


def opened(name, project):
    def draw(name):
        from importlib import import_module

        import_module(f"annotate.pages.{name}").show()

    page = AppTest.from_function(draw, default_timeout=60, args=(name,))
    page.query_params["project"] = str(project.id)
    page.run()
    assert not page.exception
    return page


def labelled(elements, label):
    (found,) = [one for one in elements if one.label == label]
    return found


@pytest.mark.parametrize(
    ("module", "gloss", "lines"),
    [
        (flextext, "xalɛ · child", ["TEXT EN", "The children ate and went.", "LITERAL EN", "NOTE EN"]),
        (sfm, "child", ["TEXT", "The children eat rice.", "NOTE", "slow"]),
        (eaf, "CL.PL-DEF", ["TEXT ENG", "The children ate and went."]),
    ],
)
def test_glosses_and_translations_stand_beside_the_words(store, alone, module, gloss, lines):
    (sentence, *_) = module.read(TEXTS / f"wolof.{module.__name__.rpartition('.')[2]}")
    project = made_project(store, pool.both([sentence], ()), tasks=("pos", "ner"), labels={"pos": [], "ner": ["PER"]})
    ((key, *_),) = store.lengths(project.id, "pool")
    for task in project.tasks:
        (item,) = made_items(store, project, [(key, task, frame.user().name)])
        shown = view.view(project, session.open_item(store, project, item))
        assert all(part in str(shown) for part in gloss.split(" · "))
    page = opened("work", project)
    assert set(lines) <= {one.value for one in (*page.caption, *page.text)}


def test_a_file_is_uploaded_tagged_and_comes_back_with_the_tags(store, alone, tmp_path):
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    labelled(page.radio, "Sentences").set_value(new_project.UPLOAD).run()
    labelled(page.text_input, "Language code").set_value("wo").run()
    content = (TEXTS / "wolof.sfm").read_bytes()
    file = ("rice.txt", content, "text/plain")  # as Toolbox calls its texts
    labelled(page.file_uploader, "Files").set_value([file]).run()
    assert "3 sentences" in [one.value for one in page.caption]
    assert "A line of plain text is" not in [one.label for one in page.selectbox]
    labelled(page.button, "Create project").click().run()
    (project,) = store.projects()
    item = store.items(project.id)[0]
    store.save(item.id, item.annotator, "page", 1, {"upos": ["NOUN"] * 4}, True, 1.0, 1)
    page = opened("data", project)
    assert labelled(page.selectbox, "Format").value == "sfm"
    gold = export_annotations(store, project, project.tasks, None, "all")
    formats.export(gold.held_by("sfm"), [tasks.get(name) for name in project.tasks], "sfm", tmp_path / "rice.sfm")
    (tagged,) = [one for one in sfm.read(tmp_path / "rice.sfm") if set(one.upos) == {"NOUN"}]
    row = next(store.examples(project.id, ids=[item.example_id]))
    assert list(tagged.words) == row.content["words"]
    lines = (tmp_path / "rice.sfm").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line != "\\upos NOUN NOUN NOUN NOUN"] == content.decode().splitlines()


def test_recordings_are_uploaded_and_those_that_are_missing_are_named(store, alone):
    sentences = [*eaf.read(TEXTS / "wolof.eaf"), Sentence("river", "dem", ("dem",), recording=Recording("river.wav"))]
    project = made_project(store, pool.both(sentences, ()), tasks=("pos",))
    page = opened("data", project)

    def said(page):
        return " ".join(one.value for one in (*page.warning, *page.markdown)).replace("**", "")

    assert "0 of 4 sentences" in said(page) and "Not here yet: rice.wav, river.wav" in said(page)
    upload = labelled(page.file_uploader, "Recordings")
    upload.set_value([(name, sounds.tone(0.5), "audio/wav") for name in ("Rice.wav", "film.wav")]).run()
    labelled(page.button, "Keep these").click().run()
    assert not page.exception
    assert "3 of 4 sentences" in said(page) and "Not here yet: river.wav" in said(page)
    labelled(page.multiselect, "Kept here (2)").set_value(["film.wav"]).run()
    labelled(page.button, "Remove").click().run()
    assert not page.exception
    assert [Path(path).name for path in recordings.kept(store, project).values()] == ["Rice.wav"]
