"""Pages follow their jobs by themselves: how far one is, that it has failed or was stopped, and what it has drawn."""

from datetime import timedelta

import pytest
import storing
from browser import moves, projects
from playwright.sync_api import expect

from annotate.rounds.draw import draw_round

pytestmark = pytest.mark.app


@pytest.fixture
def worker(store, monkeypatch):
    """A worker that is heard of a little ahead of the clock, so that no slow page takes it for dead."""
    clock = store.clock
    monkeypatch.setattr(store, "clock", lambda: clock() + timedelta(seconds=29))

    def work(project, kind, message, **args):
        job = store.claim_job("here", 1, storing.add_job(store, project.id, kind, args).id)
        store.beat(job, 0.4, message)
        return job

    return work


def test_a_page_follows_its_jobs_and_a_round_that_a_model_draws_opens_when_it_is_there(app, page, store, worker):
    project = projects.annotated(app, ["ner"], projects.sample("ja")[:6])
    training = worker(project, "train", "ner: loss 0.213, 40 s left", task="ner")
    page.goto(f"{app.address}/train?project={project.id}")
    for place in (page.get_by_test_id("stSidebar"), page.get_by_test_id("stMain")):
        place.get_by_text("loss 0.213, 40 s left").wait_for()
    expect(page.get_by_role("button", name="Train on")).to_have_count(0)
    store.finish(training, error="memory ran out")
    page.get_by_text("Training: ner failed: memory ran out").wait_for()
    page.get_by_role("button", name="Train on 6 sentences").wait_for()
    expect(page.get_by_text("40 s left")).to_have_count(0)

    project = projects.make(app, ["ner"], projects.sample("ja")[:6], annotators=())
    worker(project, "draw", "reading the pool: 3 of 6", sampler="margin")
    page.goto(f"{app.address}/annotate?project={project.id}")
    page.get_by_text("Draw: reading the pool: 3 of 6").wait_for()
    expect(page.get_by_text("Nothing left to do")).to_have_count(0)
    moves.press_until(page.get_by_role("button", name="Stop"), page.get_by_text("Draw: margin was stopped").is_visible)
    drawing = worker(project, "draw", "reading the pool: 3 of 6", sampler="confused")
    page.reload()
    page.get_by_text("Draw: reading the pool: 3 of 6").wait_for()
    draw_round(store, project, 2, "random", seed=1)
    store.finish(drawing)
    page.get_by_role("application", name="named entity recognition editor").wait_for()
