"""What the pages show of jobs: who works, who waits, who failed and why."""

from functools import partial

import pytest
from browser import projects
from playwright.sync_api import expect

from annotate.rounds.draw import draw_round

pytestmark = pytest.mark.app


def fail(app, store, job, error):
    """End a job, as a worker of this machine does."""
    store.finish(job, error=error)
    folder = app.folder / ".local" / "share" / "fewshot" / "jobs"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{job.id}.log").write_text("Traceback (most recent call last):\nMemoryError\n")


def test_each_job_has_a_line_until_it_has_ended_and_says_why_it_failed(app, page, store):
    project = projects.annotated(app, ["pos", "dep"], projects.sample("ja")[:3])
    fail(app, store, store.add_job(project.id, "suggest", {"tasks": ["dep"]}), "no source model of task dep")
    store.add_job(project.id, "suggest", {"tasks": ["pos"]})
    working = store.claim_job("here", 1)
    store.beat(working, 0.4, "pos: 40%, 12 s left")
    waiting = store.add_job(project.id, "draw", {"sampler": "entropy"})
    page.goto(app.address)
    page.get_by_text("Next round, suggestions, settings").click()
    page.get_by_text("Suggestions: dep failed: no source model of task dep").wait_for()
    page.get_by_text("Suggestions: pos: 40%, 12 s left").wait_for()
    page.get_by_text("Draw: entropy: waiting; 1 before it").wait_for()
    page.get_by_text("The end of its log").click()
    page.get_by_text("MemoryError").wait_for()
    expect(page.get_by_role("button", name="Suggest labels")).to_have_count(0)
    page.get_by_role("button", name="Stop").last.click()
    page.get_by_text("Draw: entropy: stopped").wait_for()
    assert store.job(waiting.id).state == "cancelled"
    store.finish(working)
    page.get_by_role("button", name="Suggest labels").wait_for()

    for places in (("annotate", "review"), ("data", "compare")):
        store.add_job(project.id, "train", {"task": "pos"})
        working = store.claim_job("here", 1)
        heard = partial(store.beat, working, 0.7, "pos, k = 3, seed 2, loss 0.213, 40 s left")
        for place in places:
            heard()  # once a page: what is silent for half a minute, as long as slow pages take, is taken for dead
            page.goto(f"{app.address}/{place}?project={project.id}")
            page.get_by_test_id("stSidebar").get_by_text("loss 0.213, 40 s left").wait_for()
        heard()
        page.goto(f"{app.address}/train?project={project.id}")
        page.get_by_text("Training: pos, k = 3, seed 2, loss 0.213, 40 s left").wait_for()
        expect(page.get_by_role("button", name="Train on")).to_have_count(0)
        fail(app, store, working, "the worker was killed, most likely because memory ran out (signal 9)")
        page.get_by_text("Training: pos failed: the worker was killed").first.wait_for()
        page.get_by_role("button", name="Train on 3 sentences").wait_for()
        expect(page.get_by_text("40 s left")).to_have_count(0)
    page.get_by_text("The end of its log").first.click()
    page.get_by_text("MemoryError").first.wait_for()


def test_a_round_that_a_model_draws_opens_by_itself_when_it_is_there(app, page, store):
    project = projects.make(app, ["ner"], projects.sample("ja")[:6], annotators=())
    store.add_job(project.id, "draw", {"sampler": "confused"})
    working = store.claim_job("here", 1)
    store.beat(working, 0.5, "reading the pool: 3 of 6")
    page.goto(f"{app.address}/annotate?project={project.id}")
    page.get_by_text("Draw: reading the pool: 3 of 6").wait_for()
    expect(page.get_by_text("Nothing left to do")).to_have_count(0)
    draw_round(store, project, 2, "random", seed=1)
    store.finish(working)
    page.get_by_role("application", name="named entity recognition editor").wait_for()
