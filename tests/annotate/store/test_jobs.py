from datetime import UTC, datetime, timedelta

import pytest
import storing
from storing import made_project, on_both

from annotate.store.jobs import HEARTBEAT_TIMEOUT, MAX_ATTEMPTS, UNFINISHED


@pytest.fixture
def later(store, monkeypatch):
    real, passed = store.clock, []
    monkeypatch.setattr(store, "clock", lambda: real() + sum(passed, timedelta()))
    return passed.append


@pytest.fixture
def job(store, project):
    return storing.add_job(store, project.id, "train", {"task": "pos", "k": [10, 50]})


@on_both
def test_a_job_goes_from_queue_to_done(store, project, job):
    assert (job.state, job.progress, job.started) == ("queued", 0.0, None)
    running = store.claim_job("here", 123)
    assert (running.id, running.state, running.pid, running.host) == (job.id, "running", 123, "here")
    assert running.args == {"task": "pos", "k": [10, 50]} and running.heartbeat == running.started
    assert store.beat(running, 0.5, "step 5 of 10")
    found = store.job(job.id)
    assert (found.progress, found.message) == (0.5, "step 5 of 10") and found.heartbeat > found.started
    store.finish(running)
    found = store.job(job.id)
    assert (found.state, found.progress, found.error) == ("done", 1.0, None) and found.ended >= found.started
    assert store.jobs(project.id) == [found]


@on_both
def test_projects_take_turns(store, project, job):
    learning = storing.add_job(store, project.id, "learn", {"task": "pos"})  # nobody asked for it: no turn
    store.finish(store.claim_job("here", 1, job_id=learning.id))
    second = storing.add_job(store, project.id, "suggest", {})
    others = [storing.add_job(store, other.id, "train", {}) for other in (made_project(store), made_project(store))]
    order = [job.id, others[0].id, others[1].id, second.id]
    assert [found.id for found in store.unfinished_jobs()] == [job.id, second.id, others[0].id, others[1].id]
    for number, wanted in enumerate(order):
        claimed = store.claim_job("here", 1)
        assert claimed.id == wanted
        assert [found.id for found in store.unfinished_jobs()] == order[number:]
        store.finish(claimed)
    later, last = (storing.add_job(store, project.id, "train", {"number": number}) for number in range(2))
    assert store.claim_job("here", 1, job_id=last.id).id == last.id
    assert store.claim_job("here", 2, job_id=last.id) is store.claim_job("here", 2) is None
    assert store.job(later.id).state == "queued"


def test_a_job_that_failed_or_was_cancelled_or_is_done_stays_so(store, job):
    failed = store.claim_job("here", 1)
    store.finish(failed, error="no shots yet")
    assert (store.job(job.id).state, store.job(job.id).error) == ("failed", "no shots yet")
    cancelled = store.claim_job("here", 1, job_id=storing.add_job(store, job.project_id, "train", {}).id)
    store.cancel(cancelled.id)
    assert not store.beat(cancelled, 0.9, "still at it")
    store.finish(cancelled)
    assert (store.job(cancelled.id).state, store.job(cancelled.id).progress) == ("cancelled", 0.0)
    done = store.claim_job("here", 1, job_id=storing.add_job(store, job.project_id, "train", {}).id)
    store.finish(done)
    store.cancel(done.id)
    assert store.job(done.id).state == "done"
    assert store.claim_job("here", 2) is None


def test_a_clock_that_is_set_back_keeps_no_job_from_being_taken_up(store, job, later):
    store.claim_job("here", 1)
    later(-0.9 * HEARTBEAT_TIMEOUT)
    assert store.claim_job("there", 2) is None
    later(-timedelta(hours=1))
    assert store.claim_job("there", 2).attempts == 2


@on_both
def test_a_job_is_taken_up_again_when_its_worker_is_silent_which_no_longer_counts(store, job, later):
    first = store.claim_job("here", 1)
    assert store.claim_job("there", 2) is None
    later(1.1 * HEARTBEAT_TIMEOUT)
    second = store.claim_job("there", 2)
    assert (second.id, second.state, second.host, second.attempts) == (job.id, "running", "there", 2)
    assert second.started > first.started
    assert store.claim_job("elsewhere", 3) is None
    assert not store.beat(first, 0.9, "back again")
    store.finish(first, error="a folder was in use")
    assert store.job(job.id) == second
    assert store.beat(second, 0.2, "at it")


@on_both
def test_a_job_that_kills_its_workers_is_left_alone_until_somebody_asks(store, job, later):
    second = storing.add_job(store, job.project_id, "suggest", {})
    for attempt in range(1, MAX_ATTEMPTS + 1):
        lost = store.claim_job("here", attempt)
        assert lost.id == job.id
        later(1.1 * HEARTBEAT_TIMEOUT)
    store.finish(other := store.claim_job("here", 8))
    assert other.id == second.id and store.claim_job("here", 9) is None
    assert store.request_job(job.project_id, job.kind, job.args, UNFINISHED, lambda same: same == lost).id == job.id
    assert store.claim_job("here", 9).attempts == MAX_ATTEMPTS + 1


@on_both
def test_a_job_is_queued_unless_the_same_job_is_under_way(store):
    args = {"task": "pos", "k": [10, 50]}
    for state, repeated, again in (
        ("queued", True, False), ("running", False, False), ("running", True, True), ("done", False, True)
    ):  # fmt: skip
        project, states = made_project(store), ("queued",) if repeated else UNFINISHED
        left = None if state == "queued" else "h"

        def request(args, place=project, host=left, states=states):
            return store.request_job(place.id, "train", args, states, lambda job: False, host)

        first = request(args)
        assert (first.state, first.host) == ("queued", left)
        if state in ("running", "done"):
            running = store.claim_job("h", 1, job_id=first.id)
            if state == "done":
                store.finish(running)
        assert (request(args) is not None) == again, state
        assert request(args) is None
        assert request(args | {"task": "dep"}) and request(args, made_project(store))
        if state == "queued":
            assert (request(args, host="h").id, request(args, host="h")) == (first.id, None), "it gets a process once"


@on_both
def test_a_job_that_was_put_back_has_used_no_attempt_and_is_the_next_workers_alone(store, job):
    first = store.claim_job("here", 1)
    store.put_back(first)
    assert (store.job(job.id).state, store.job(job.id).attempts) == ("queued", 0)
    second = store.claim_job("there", 2)
    assert second.attempts == first.attempts == 1
    assert not store.beat(first, 0.9, "back again")
    store.put_back(first)
    store.finish(first, error="stopped")
    assert store.job(job.id) == second
    assert store.beat(second, 0.2, "at it")


@pytest.mark.app
@pytest.mark.parametrize("kind", ["postgresql"])
def test_time_is_the_time_of_the_database_wherever_a_worker_runs(store, job, monkeypatch):
    ahead = datetime.now(UTC) + timedelta(minutes=5)
    monkeypatch.setattr(store, "now", lambda: ahead)  # of a machine whose clock is wrong
    assert store.claim_job("host", 1).heartbeat < ahead - timedelta(minutes=4)
