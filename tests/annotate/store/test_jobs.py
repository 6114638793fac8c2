import pytest

from annotate.store import StoreError


@pytest.fixture
def job(store, project):
    return store.add_job(project.id, "train", {"task": "pos", "k": [10, 50]})


def test_a_job_goes_from_queue_to_done(store, project, job):
    assert (job.state, job.progress, job.started) == ("queued", 0.0, None)
    running = store.claim_job("here", 123)
    assert (running.id, running.state, running.pid, running.host) == (job.id, "running", 123, "here")
    assert running.args == {"task": "pos", "k": [10, 50]} and running.heartbeat == running.started
    store.beat(job.id, 0.5, "step 5 of 10")
    found = store.job(job.id)
    assert (found.progress, found.message) == (0.5, "step 5 of 10") and found.heartbeat > found.started
    store.finish(job.id)
    found = store.job(job.id)
    assert (found.state, found.progress, found.error) == ("done", 1.0, None) and found.ended >= found.started
    assert store.jobs(project.id) == [found]


def test_the_oldest_job_is_claimed_first_and_once(store, project, job):
    later = store.add_job(project.id, "train", {})
    assert [store.claim_job("here", pid) and pid for pid in (1, 2, 3)] == [1, 2, None]
    assert (store.job(job.id).pid, store.job(later.id).pid) == (1, 2)


def test_a_worker_may_claim_one_job_only(store, project, job):
    later = store.add_job(project.id, "train", {})
    assert store.claim_job("here", 1, job_id=later.id).id == later.id
    assert store.claim_job("here", 2, job_id=later.id) is None
    assert store.job(job.id).state == "queued"


def test_a_failed_job_says_why(store, job):
    store.claim_job("here", 1)
    store.finish(job.id, error="no shots yet")
    assert (store.job(job.id).state, store.job(job.id).error) == ("failed", "no shots yet")


def test_a_cancelled_job_stays_cancelled(store, job):
    store.claim_job("here", 1)
    store.cancel(job.id)
    store.beat(job.id, 0.9, "still at it")
    store.finish(job.id)
    assert store.job(job.id).state == "cancelled"
    assert (store.job(job.id).progress, store.claim_job("here", 2)) == (0.0, None)


def test_a_finished_job_is_not_cancelled(store, job):
    store.claim_job("here", 1)
    store.finish(job.id)
    store.cancel(job.id)
    assert store.job(job.id).state == "done"


def test_a_job_that_is_not_there_is_named(store):
    with pytest.raises(StoreError, match="no job 4"):
        store.job(4)
