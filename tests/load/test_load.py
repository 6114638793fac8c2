"""Several people in the running app, and what breaks while they save: nothing is lost, nothing is there twice."""

import asyncio
import shutil
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import count

import pytest
from load import annotators
from load.client import Window
from serving import App, with_accounts
from storing import fill_up

from annotate.store import Store

pytestmark = pytest.mark.system

NAMES = count()
MOUNT = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs"]


class Lab:
    """A running app, a new project in it, and an open window of whoever works on it."""

    def __init__(self, app, people, pool=10, **settings):
        self.app = app
        self.names = [f"person {next(NAMES)}" for _ in range(people)]
        self.project, self.tokens = annotators.prepare(app.url, self.names, pool, **settings)

    def window(self, person=0, item=""):
        return Window(self.app.address, self.project, self.tokens[person], item)

    def together(self, seconds, think=0.1, meanwhile=None):
        return annotators.together(self.app.address, self.project, self.tokens, seconds, think, meanwhile=meanwhile)

    def revisions(self):
        with closing(Store.open(self.app.url)) as store:
            return [revision for item in store.items(self.project) for revision in store.history(item.id)]

    def items(self, person):
        with closing(Store.open(self.app.url)) as store:
            return store.items(self.project, annotator=self.names[person])


def tags(window, tag="NOUN"):
    return {"upos": [tag] * len(window.data["example"]["words"])}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with with_accounts(tmp_path_factory.mktemp("lab")) as served:
        yield served


def run(work):
    """Run in a thread of its own: browser tests leave an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_five_people_save_at_once_and_nothing_is_lost_or_doubled(app):
    lab = Lab(app, people=5, pool=200)
    logs = run(lab.together(seconds=3))
    assert all(log.saves for log in logs)
    assert annotators.checked(app.url, lab.project, logs) == (0, 0)


def test_a_server_killed_while_people_save_loses_and_doubles_nothing(app):
    lab = Lab(app, people=2, pool=200)

    async def kill():
        await asyncio.sleep(2)
        app.kill()
        await asyncio.to_thread(app.start)

    logs = run(lab.together(seconds=5, meanwhile=kill()))
    assert max(one for log in logs for one in log.saves) > 1  # one was under way
    assert annotators.checked(app.url, lab.project, logs) == (0, 0)


def test_a_save_arrives_once_a_locked_database_is_free(app):
    lab = Lab(app, people=1)

    def lock(held):
        with closing(sqlite3.connect(app.url.removeprefix("sqlite:///"), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            held.set()
            time.sleep(5)
            other.execute("ROLLBACK")

    async def save():
        window, held = lab.window(), threading.Event()
        await window.open()
        thread = threading.Thread(target=lock, args=(held,))
        thread.start()
        held.wait()
        seconds = await window.save(tags(window), 1)
        thread.join()
        await window.close()
        return seconds

    assert run(save()) > 4
    assert [revision.seq for revision in lab.revisions()] == [1]


def test_two_windows_of_one_person_on_one_item_both_save_and_see_each_other(app):
    lab = Lab(app, people=1)

    async def save():
        left, right = lab.window(), lab.window()
        await left.open()
        await right.open()
        assert left.data["item"] == right.data["item"]
        for seq, tag in enumerate(("NOUN", "VERB", "X"), start=1):
            await asyncio.gather(left.save(tags(left, tag), seq), right.save(tags(right, tag), seq))
        await left.save(tags(left, "NOUN"), 4)
        await right.save(tags(right, "VERB"), 5)
        assert right.data["acks"] == {left.client: 4, right.client: 5}
        await left.close()
        await right.close()

    run(save())
    assert sorted(revision.seq for revision in lab.revisions()) == [1, 1, 2, 2, 3, 3, 4, 5]


def test_two_people_annotate_one_sentence_each_for_themselves(app):
    lab = Lab(app, people=2, pool=1, double_share=1.0)

    async def save():
        windows = [lab.window(0), lab.window(1)]
        for window, tag in zip(windows, ("NOUN", "VERB"), strict=True):
            await window.open()
            assert window.data["annotation"] is None
            await window.save(tags(window, tag), 1, done=True)
        for window in windows:
            await window.close()
        return len(tags(windows[0])["upos"])

    words = run(save())
    saved = {revision.annotator: revision.annotation for revision in lab.revisions()}
    assert saved == {lab.names[0]: {"upos": ["NOUN"] * words}, lab.names[1]: {"upos": ["VERB"] * words}}


def test_a_link_to_anothers_item_opens_ones_own_and_saving_it_is_refused(app):
    lab = Lab(app, people=2)
    theirs = lab.items(0)[0].id

    async def save():
        window = lab.window(1, item=theirs)
        await window.open()
        assert window.data["item"] == lab.items(1)[0].id
        event = {"item": theirs, "client": window.client, "seq": 1, "annotation": tags(window), "done": False}
        await window.send(event | {"seen": 0, "edits": 1, "seconds": 1.0, "go": None})
        await window.until(lambda: window.errors, 20)
        await window.close()
        return window.errors

    assert f"assigned to {lab.names[0]}" in run(save())[0]
    assert lab.revisions() == []


def test_a_full_disk_is_named_and_the_save_arrives_once_there_is_room(new_url, tmp_path):
    app = App(tmp_path, "--users", url=new_url("postgresql"))
    lab = Lab(app, people=1)
    app.start()

    async def save(store):
        window = lab.window()
        await window.open()
        empty = fill_up(store)
        saving = asyncio.create_task(window.save(tags(window), 1))
        await window.until(lambda: window.errors, 20)
        assert not window.is_saved(window.data["item"], 1)
        empty()
        await saving
        await window.close()
        return window.errors[0]

    try:
        with closing(Store.open(app.url)) as store:
            said = run(save(store))
    finally:
        app.kill()
    assert "kept in this window" in said and "disk of the database is full" in said
    assert [revision.seq for revision in lab.revisions()] == [1]


@pytest.fixture
def small_disk(tmp_path):
    """A folder that is a disk of six megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    if shutil.which("mount") is None or subprocess.run([*MOUNT, str(place)], capture_output=True).returncode:
        pytest.skip("this user may mount no disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_disk_that_is_really_full_is_named_on_every_page_and_takes_the_save_once_there_is_room(small_disk, tmp_path):
    app = App(tmp_path, "--users", url=f"sqlite:///{small_disk}/fewshot.db")
    lab = Lab(app, people=2)
    app.start()

    async def save():
        window, other = lab.window(0), lab.window(1)
        await window.open()
        await window.save(tags(window), 1)
        filler = small_disk / "recordings"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        saving = asyncio.create_task(window.save(tags(window, "VERB"), 2))
        await window.until(lambda: window.errors, 20)
        await other.open()
        assert not other.data and "disk of the database is full" in other.errors[0]
        assert not window.is_saved(window.data["item"], 2)
        filler.unlink()
        await saving
        await window.close()
        await other.close()
        return window.errors[0]

    try:
        said = run(save())
    finally:
        app.kill()
    assert "kept in this window" in said and "disk of the database is full" in said
    assert [revision.seq for revision in lab.revisions()] == [1, 2]
    assert not app.has_failed()


def test_a_review_that_is_asked_twice_for_the_next_example_goes_one_further(app):
    lab = Lab(app, people=2, pool=3, double_share=1.0, role="curator")
    with closing(Store.open(app.url)) as store:
        words = {row.id: len(row.content["words"]) for row in store.examples(lab.project)}
        for person, tag in enumerate(("NOUN", "VERB")):
            for item in lab.items(person):
                tagged = {"upos": [tag] * words[item.example_id]}
                store.save(item.id, lab.names[person], "tests", 1, tagged, done=True, seconds=1.0, edits=1)

    async def asked_twice():
        window = Window(app.address, lab.project, lab.tokens[0], page="review")
        await window.open()
        first = window.data["item"]
        event = {"item": first, "client": window.client, "seq": 0, "annotation": None, "done": False, "go": "next"}
        await window.send(event)
        await window.until(lambda: window.data["item"] != first, 60)
        second, runs = window.data["item"], window.runs
        await window.send(event)
        await window.until(lambda: window.runs > runs, 60)
        shown = window.data["item"]
        await window.close()
        return second, shown

    second, shown = run(asked_twice())
    assert shown == second
