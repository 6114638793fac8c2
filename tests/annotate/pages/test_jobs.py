import pytest
import storing
from app_page import checked, has_button, open_page, says, values
from making import made_up
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate.worker import queue

FAILED = "the worker was killed, most likely because memory ran out (signal 9)"


@pytest.fixture
def project(store, new_desk, alone, monkeypatch):
    """A project with three finished sentences; its workers are heard of for as long as the test takes."""
    now = store.clock()
    monkeypatch.setattr(store, "clock", lambda: now)
    sentences = made_up(3, seed=1)
    desk = new_desk(sentences, "pos", "dep")
    for item, one in zip(desk.draw(*((place, "pos", alone) for place in range(3))), sentences, strict=True):
        desk.keep(item, {"upos": list(one.upos)})
    return desk.project


def fail(store, job, error):
    store.finish(job, error=error)
    queue.log_file(job.id).write_text("Traceback (most recent call last):\nMemoryError\n")


def bars(page):
    return [bar.proto.text for bar in page.get("progress")]


def test_each_job_has_a_line_until_it_has_ended_and_says_why_it_failed(store, project):
    fail(store, storing.add_job(store, project.id, "suggest", {"tasks": ["dep"]}), "no source model of task dep")
    storing.add_job(store, project.id, "suggest", {"tasks": ["pos"]})
    working = store.claim_job("here", 1)
    store.beat(working, 0.4, "pos: 40%, 12 s left")
    storing.add_job(store, project.id, "draw", {"sampler": "entropy"})
    page = open_page("settings", project)
    assert says(page.error, "Suggestions: dep failed: no source model of task dep")
    assert "MemoryError" in page.code[0].value
    assert {
        "Suggestions: pos: 40%, 12 s left",
        "Draw: entropy: waiting for the suggestions of this project, 12 s left",
    } <= set(bars(page))
    assert not has_button(page, "Suggest labels")
    for job in store.unfinished_jobs():
        store.cancel(job.id)
    checked(page.run())
    assert {"Suggestions: pos was stopped", "Draw: entropy was stopped"} <= set(values(page.caption))
    assert has_button(page, "Suggest labels")


def test_what_trains_stands_beside_the_menu_of_every_page(store, project):
    storing.add_job(store, project.id, "train", {"task": "pos"})
    job = store.claim_job("here", 1)
    store.beat(job, 0.7, "pos, k = 3, 40 s left")
    page = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    page.query_params["project"] = str(project.id)
    for title in ("Annotate", "Review", "Data & export", "Compare", "Train & curve"):
        page.session_state["to page"] = title
        checked(page.run())
        assert bars(page.sidebar) == [":small[pos, k = 3, 40 s left]"]
    assert bars(page.main) == ["Training: pos, k = 3, 40 s left"]
    assert not has_button(page, "Train on 3 sentences")
    fail(store, job, FAILED)
    checked(page.run())
    assert says(page.error, f"Training: pos failed: {FAILED}")
    assert has_button(page, "Train on 3 sentences")
    assert bars(page.sidebar) == bars(page.main) == []
    assert "MemoryError" in page.code[0].value
