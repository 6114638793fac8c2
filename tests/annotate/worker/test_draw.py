from datetime import UTC, datetime, timedelta

import pytest
import storing
from storing import annotate, run_job

import samplers
from annotate.editing import content
from annotate.rounds.draw import candidates
from annotate.worker import draw, run
from annotate.worker.heartbeat import JobCancelled
from fewshot import tasks
from fewshot.evaluation import signals
from fewshot.experiments.executors.place import this_machine
from fewshot.training.model import load_model

CPU = this_machine("cpu")


@pytest.fixture
def asked(model_folder):
    return {"sampler": "entropy", "k": 2, "seed": 5, "model": str(model_folder), "device": "cpu"}


@pytest.fixture(autouse=True)
def started(monkeypatch):
    kinds = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda store, project, kind, args: kinds.append(kind))
    return kinds


def test_a_round_is_what_the_sampler_picks_of_what_is_not_drawn_yet(store, make, model_folder, asked, started):
    project = make()
    left = candidates(store, project, "pool")
    texts = [content.from_json(row.content) for row in store.examples(project.id, ids=[one.id for one in left])]
    known = signals(load_model(model_folder), texts, samplers.get("entropy").needs)
    expected = [one.id for one in samplers.pick("entropy", left, 2, 5, known)]
    assert run_job(store, project, "draw", **asked).error is None
    drawn = store.rounds(project.id)[-1]
    assert (drawn.sampler, drawn.k) == ("entropy", 2)
    items = store.items(project.id, round_id=drawn.id)
    assert list(dict.fromkeys(item.example_id for item in items)) == expected
    assert set(started) == {"suggest"}
    started.clear()
    assert run_job(store, project, "draw", **asked | {"k": 1, "suggest": False}).error is None
    assert started == []


def test_a_round_is_drawn_once_whatever_happens_to_its_worker(store, make, asked, started, monkeypatch):
    ahead = timedelta(minutes=5)  # of this machine's clock is that of the database
    monkeypatch.setattr(store, "clock", lambda: datetime.now(UTC) + ahead)
    project = make()
    first = run.claim(store, storing.add_job(store, project.id, "draw", asked).id)
    draw.run(store, first, lambda *told: None, CPU)
    store.put_back(first)  # stopped before it could say that it is done
    assert run.run(store, run.claim(store, first.id))
    assert [drawn.sampler for drawn in store.rounds(project.id)] == ["random", "entropy"]
    assert started == ["suggest", "suggest"]
    assert run_job(store, project, "draw", **asked | {"k": 1}).error is None
    assert [drawn.k for drawn in store.rounds(project.id)] == [7, 2, 1]


def test_a_job_that_is_not_wanted_any_more_draws_nothing(store, make, asked):
    project = make()
    job = run.claim(store, storing.add_job(store, project.id, "draw", asked).id)

    def stopped(now):
        if now.doing == "drawing":
            raise JobCancelled

    with pytest.raises(JobCancelled):
        draw.run(store, job, stopped, CPU)
    assert len(store.rounds(project.id)) == 1


def test_minutes_are_predicted_by_what_annotation_took_here(store, make, asked, monkeypatch):
    project, said = make(), []
    predict = lambda *given, seconds: said.append(seconds) or signals(*given, seconds=seconds)  # noqa: E731
    monkeypatch.setattr(draw, "signals", predict)

    def draw_by_minutes(seed):
        assert run_job(store, project, "draw", **asked | {"sampler": "cost-aware", "k": 1, "seed": seed}).error is None

    draw_by_minutes(0)
    for item in store.items(project.id)[:6]:
        length = next(store.examples(project.id, ids=[item.example_id])).length
        annotate(store, project, item, seconds=30.0 * length, tag="X")
    draw_by_minutes(1)
    published, measured = said
    assert published == pytest.approx(tasks.get("pos").time.seconds)
    assert measured[1] > 3 * published[1]
