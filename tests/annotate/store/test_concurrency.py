"""Many people at once: nothing lost, nothing doubled, nobody with another's item; and what a killed process leaves."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import pytest
import storing
from storing import Clock, made_items, made_project, save

from annotate.store import Store, database, projects
from annotate.store.jobs import HEARTBEAT_TIMEOUT, UNFINISHED

ROOT = Path(__file__).resolve().parents[3]
PEOPLE = 20


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.app)])
def kind(request):
    return request.param


def together(work, arguments):
    """Call `work` with each of the arguments in a thread of its own, all at the same moment."""
    barrier = threading.Barrier(len(arguments))

    def one(argument):
        barrier.wait()
        return work(argument)

    with ThreadPoolExecutor(len(arguments)) as threads:
        return list(threads.map(one, arguments))


def test_twenty_people_save_at_once_and_nothing_is_lost_or_doubled(store, project, pool):
    names = [f"person {number}" for number in range(PEOPLE)]
    items = made_items(store, project, [(pool[0], "pos", name) for name in names])

    def work(item):
        for seq in range(1, 16):
            for _ in range(2):  # every save is sent twice, as after a lost answer
                assert save(store, item, seq, annotator=item.annotator, edits=seq) == seq

    together(work, items)
    for item in items:
        assert [revision.seq for revision in storing.history(store, item.id)] == list(range(1, 16))
    assert sum(row.edits for row in store.progress(project.id)) == 15 * PEOPLE


def test_one_item_saved_from_many_pages_twice_keeps_every_revision_once(store, project, pool):
    (item,) = made_items(store, project, [(pool[0], "pos", "ana")])
    together(lambda page: [save(store, item, seq, client=f"page {page}") for seq in (1, 2, 3)], [*range(5)] * 2)
    assert len(storing.history(store, item.id)) == 15
    assert store.latest(item.id) == storing.history(store, item.id)[-1]


def test_people_who_ask_at_once_get_different_items_and_nobody_the_same_example_twice(store, project, pool):
    (two, _) = made_items(store, project, [(pool[0], "pos"), (pool[0], "pos")])
    given = together(lambda _: store.next_item(project.id, "pos", "ana"), range(6))
    assert {item.id for item in given} == {two.id}, "one person with many pages"
    together(lambda example: made_items(store, project, [(example, "dep")]), pool)
    assert [drawn.number for drawn in store.rounds(project.id)] == list(range(1, 2 + len(pool)))
    names = [f"person {number}" for number in range(PEOPLE)]
    given = together(lambda name: store.next_item(project.id, "dep", name), names)
    assert len({item.id for item in given}) == PEOPLE
    assert [item.annotator for item in given] == names
    assert store.next_item(project.id, "dep", "late") is None
    (item,) = made_items(store, project, [(pool[1], "pos")])
    claims = together(lambda name: store.claim(item.id, f"{name}"), range(12))
    assert claims.count(True) == 1
    assert store.item(item.id).annotator == str(claims.index(True))


@pytest.mark.parametrize("is_lost", [False, True])
def test_people_who_ask_for_the_same_job_at_once_get_one(store, project, is_lost):
    if is_lost:
        storing.add_job(store, project.id, "train", {"task": "pos"})
    since = store.clock()

    def request(host):
        def lost(job):
            return is_lost and (job.heartbeat or job.created) < since

        return store.request_job(project.id, "train", {"task": "pos"}, UNFINISHED, lost, host)

    assert sum(job is not None for job in together(request, ["here"] * 8)) == 1
    assert len(store.jobs(project.id)) == 1


def test_a_sign_in_that_comes_from_many_browsers_at_once_opens_one_session_and_names_one_person(store):
    store.add_user("ana@uni.edu", "hash", oidc=True)
    until = store.now() + timedelta(minutes=1)
    assert sorted(together(lambda _: store.use_login("digest", until), range(8))) == [False] * 7 + [True]
    named = together(lambda subject: store.link_identity("ana@uni.edu", "issuer", f"{subject}"), range(8))
    assert len([person for person in named if person]) == 1


@pytest.fixture
def workers(url):
    """Stores with connections and locks of their own, as those of other processes, and the clock of all of them."""
    clock = Clock()
    with ExitStack() as opened:
        yield [opened.enter_context(closing(Store(url, clock=clock))) for _ in range(6)], clock


def test_workers_share_the_jobs_one_a_project_at_a_time_and_take_up_what_dead_ones_left(store, workers):
    """Six workers race for three jobs of each of four projects: four get one each, again and again."""
    stores, clock = workers
    projects = [made_project(store, examples=()).id for _ in range(4)]
    jobs = [storing.add_job(store, project, "train", {"number": number}) for number in range(3) for project in projects]
    for number, attempts in ((0, 1), (1, 1), (1, 2), (2, 1)):
        claimed = [job for job in together(lambda worker: worker.claim_job("here", 1), stores) if job]
        assert sorted(job.project_id for job in claimed) == projects
        assert {(job.args["number"], job.attempts) for job in claimed} == {(number, attempts)}
        if (number, attempts) == (1, 1):
            assert not any(together(lambda worker: worker.claim_job("there", 2), stores))
            clock.passes(1.1 * HEARTBEAT_TIMEOUT)  # nothing is heard of those who have claimed
            continue
        for job in claimed:
            store.finish(job)
    assert {store.job(job.id).state for job in jobs} == {"done"}


def test_people_save_while_a_large_project_is_made(store, project, pool, monkeypatch):
    monkeypatch.setattr(projects, "CHUNK_ROWS", 10)
    (item,) = made_items(store, project, [(pool[0], "pos", "ana")])

    def examples_and_saves():
        with ThreadPoolExecutor(1) as thread:
            for n in range(50):
                if n % 10 == 5:
                    thread.submit(save, store, item, n // 10 + 1).result(timeout=30)
                yield "pool", f"{n}", 3, {"type": "Document", "id": f"{n}", "text": "x" * 200}

    assert made_project(store, examples=examples_and_saves()).pool_size == 50
    assert [revision.seq for revision in storing.history(store, item.id)] == [1, 2, 3, 4, 5]


SAVES = """
import sys
from annotate.store import Store
store = Store.open(sys.argv[1])
for seq in range(1, 100_000):
    print(store.save(int(sys.argv[2]), "ana", "page", seq, {"upos": ["X"] * 50}, False, 1.0, 1).seq, flush=True)
"""


@pytest.mark.system
def test_a_killed_process_loses_only_what_was_not_acknowledged(store, url, project, pool):
    (item,) = made_items(store, project, [(pool[0], "pos", "ana")])
    acknowledged = 0
    for stop in (20, 37):  # after the first kill, the numbers that are sent again add nothing
        with subprocess.Popen(
            [sys.executable, "-c", SAVES, url, str(item.id)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as process:
            while acknowledged < stop:
                acknowledged = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
            rest = process.stdout.read().split("\n")[:-1]
        acknowledged = max([acknowledged, *map(int, rest)])
        seqs = [revision.seq for revision in storing.history(store, item.id)]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) in (acknowledged, acknowledged + 1)
        assert all(revision.annotation == {"upos": ["X"] * 50} for revision in storing.history(store, item.id))


@pytest.mark.system
def test_processes_that_open_a_new_database_at_once_all_can(empty_url):
    code = "import sys; from annotate.store import Store; print(Store.open(sys.argv[1]).projects())"
    command = [sys.executable, "-c", code, empty_url]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(4)
    ]
    assert [process.communicate(timeout=120) for process in processes] == [("[]\n", "")] * 4
    with closing(Store.open(empty_url)) as store:
        assert store.projects() == []


def test_a_new_file_that_another_process_prepares_is_asked_again():
    class Refused:
        """A connection to a file that somebody else turns to the log just now."""

        asked = 0

        def execute(self, setting):
            self.asked += 1
            if self.asked < 3:
                raise sqlite3.OperationalError("database is locked")

    connection, slept = Refused(), []
    database._use_log(connection, lock_timeout=5, clock=lambda: 1.0, sleep=slept.append)
    assert (connection.asked, slept) == (3, [0.01, 0.01])
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        database._use_log(Refused(), lock_timeout=0, clock=iter([1.0, 2.0]).__next__, sleep=slept.append)
    assert len(slept) == 2
