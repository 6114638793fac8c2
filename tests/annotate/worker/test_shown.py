from datetime import timedelta

import pytest
import storing

from annotate.store.jobs import MAX_ATTEMPTS
from annotate.worker import queue, run

LATER = 1.1 * queue.HEARTBEAT_TIMEOUT


@pytest.fixture
def look(store):
    """Return the jobs of a project that people see, some time after now."""

    def see(project, after=timedelta(0), kinds=("suggest", "train")):
        return queue.visible_jobs(store, project.id, kinds, store.clock() + after)

    return see


NONE_HEARD = "waiting for a worker; no worker responds: is fewshot worker running?"
AGAIN = "start the job again to continue it"


@pytest.mark.parametrize(
    ("served", "what", "state", "now", "later", "said"),
    [
        pytest.param(True, [], "queued", "waiting for a worker", "queued", NONE_HEARD, id="left to workers"),
        pytest.param(True, ["claim"], "running", "", "queued", f"its worker stopped; {NONE_HEARD}", id="worker died"),
        pytest.param(
            True, ["claim"] * MAX_ATTEMPTS, "running", "", "failed", f"{queue.NO_HEARTBEAT}, 3 times; {AGAIN}"
        ),
        pytest.param(
            False, [], "queued", "waiting", "failed", "no worker has claimed the job; start it again", id="none"
        ),
        pytest.param(
            False, ["beat"], "queued", "starting", "failed", f"{queue.NO_HEARTBEAT}; {AGAIN}", id="own process"
        ),
        pytest.param(
            False, ["claim"], "running", "", "failed", f"{queue.NO_HEARTBEAT}; {AGAIN}", id="own process died"
        ),
    ],
)
def test_a_job_that_nobody_works_at_waits_for_a_worker_or_has_failed(
    store, make, look, monkeypatch, served, what, state, now, later, said
):
    monkeypatch.setenv(queue.JOBS_ELSEWHERE, "1" if served else "")
    project, real, passed = make(), store.clock, timedelta(0)
    job = storing.add_job(store, project.id, "train", {"task": "pos"})
    for number, step in enumerate(what):
        passed = number * LATER
        monkeypatch.setattr(store, "clock", lambda passed=passed: real() + passed)
        store.beat(job, 0.0, "starting") if step == "beat" else run.claim(store)
    (seen,) = look(project)
    assert (seen.state, seen.message) == (state, now)
    (seen,) = look(project, LATER)
    assert (seen.state, seen.error or seen.message) == (later, said)


def test_what_failed_or_was_stopped_is_seen_for_a_day(store, make, look):
    for end in ("failed", "cancelled", "silent"):
        project = make()
        job = run.claim(store, storing.add_job(store, project.id, "train", {"task": "pos"}).id)
        if end != "silent":
            store.cancel(job.id) if end == "cancelled" else store.finish(job, error="no memory")
        assert [len(look(project, timedelta(hours=hours))) for hours in (23, 25)] == [1, 0], end


def test_what_failed_is_seen_until_the_same_is_done(store, make, look):
    project = make()
    for tasks, error in ((["pos"], "no model"), (["dep"], "no memory"), (["pos"], None)):
        store.finish(storing.add_job(store, project.id, "suggest", {"tasks": tasks}), error=error)
    (seen,) = look(project)
    assert (queue.subject(seen), seen.error) == ("dep", "no memory")
    storing.add_job(store, project.id, "suggest", {"tasks": ["ner"]})
    assert [(queue.subject(job), job.state) for job in look(project)] == [("dep", "failed"), ("ner", "queued")]
    assert look(project, kinds=("train",)) == []


def test_end_of_a_log_is_its_last_lines():
    assert queue.log_tail(7) == ""
    queue.log_file(7).write_text("".join(f"line {number}\n" for number in range(9000)))
    assert queue.log_tail(7).split("\n") == [f"line {number}" for number in range(8960, 9000)]
