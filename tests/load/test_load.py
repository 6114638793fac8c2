"""Several people in the running app, and what breaks while they save: nothing is lost, nothing is there twice."""

import asyncio
import shutil
import sqlite3
import subprocess
from contextlib import AsyncExitStack, closing, suppress
from itertools import count

import pytest
from load import annotators
from load.client import Window, run
from serving import App
from storing import fill_up
from waiting import wait_until

from annotate.store import Store

pytestmark = pytest.mark.system

NAMES = count()
MOUNT = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs"]


class Lab:
    """A new project in a running app, and windows of whoever works on it."""

    def __init__(self, app, people, pool=10, **settings):
        self.app = app
        self.names = [f"person {next(NAMES)}" for _ in range(people)]
        self.project, self.tokens = annotators.prepare(app.url, self.names, pool, **settings)

    def window(self, person=0, **settings):
        return Window(self.app.address, self.project, self.tokens[person], **settings)

    def revisions(self):
        with closing(Store.open(self.app.url)) as store:
            return [revision for item in store.items(self.project) for revision in store.history(item.id)]

    def items(self, person):
        with closing(Store.open(self.app.url)) as store:
            return store.items(self.project, annotator=self.names[person])


def tags(window, tag="NOUN"):
    return {"upos": [tag] * len(window.data["example"]["words"])}


def test_five_people_save_at_once_and_nothing_is_lost_or_doubled(served):
    lab, saved = Lab(served, people=5, pool=10, double_share=1.0), {}

    async def work():
        async with AsyncExitStack() as open_windows:
            windows = [await open_windows.enter_async_context(lab.window(person)) for person in range(5)]
            assert [window.data["annotation"] for window in windows] == [None] * 5
            await asyncio.gather(*(annotators.annotate(window, saved, items=2) for window in windows))

    run(work())
    assert len(saved) == 5 * 2 * annotators.STEPS
    assert annotators.lost_and_doubled(served.url, lab.project, saved) == (0, 0)


def test_a_server_killed_while_saves_are_under_way_loses_and_doubles_nothing(served):
    lab, saved = Lab(served, people=2, pool=20), {}

    async def kill_while_saving(windows, is_stored):
        before = len(lab.revisions())
        events = [window.event(annotators.tags_of_step(window, 1), 1) for window in windows]
        for window, event in zip(windows, events, strict=True):
            await window.send(event)
        if is_stored:
            await asyncio.to_thread(wait_until, lambda: len(lab.revisions()) == before + len(windows))
        served.kill()
        await asyncio.to_thread(served.start)
        for window, event in zip(windows, events, strict=True):  # the editors know of no acknowledgement
            await window.open()
            await window.answered(event | {"seen": window.seen})
            assert window.is_saved(event["item"], 1)
            saved[event["item"], window.client, 1] = event["annotation"]
        await asyncio.gather(*(annotators.annotate(window, saved, first_step=2) for window in windows))

    async def work():
        async with lab.window(0) as one, lab.window(1) as other:
            for is_stored in (False, True):
                await asyncio.gather(annotators.annotate(one, saved), annotators.annotate(other, saved))
                await kill_while_saving([one, other], is_stored)

    run(work())
    assert len(saved) == 2 * 4 * annotators.STEPS
    assert annotators.lost_and_doubled(served.url, lab.project, saved) == (0, 0)


def test_a_save_arrives_once_a_locked_database_is_free(served):
    lab = Lab(served, people=1)

    async def save():
        async with lab.window(resend=0.5) as window:
            with closing(sqlite3.connect(served.url.removeprefix("sqlite:///"), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                saving = asyncio.create_task(window.save(tags(window), 1))
                await window.until(lambda: window.sent == 3)
                assert not window.is_saved(window.data["item"], 1)
                other.execute("ROLLBACK")
            await saving

    run(save())
    assert [revision.seq for revision in lab.revisions()] == [1]


def test_two_windows_of_one_person_on_one_item_both_save_and_see_each_other(served):
    lab = Lab(served, people=1)

    async def save():
        async with lab.window() as left, lab.window() as right:
            assert left.data["item"] == right.data["item"]
            for seq, tag in enumerate(("NOUN", "VERB", "X"), start=1):
                await asyncio.gather(left.save(tags(left, tag), seq), right.save(tags(right, tag), seq))
            await left.save(tags(left, "NOUN"), 4)
            await right.save(tags(right, "VERB"), 5)
            assert right.data["acks"] == {left.client: 4, right.client: 5}

    run(save())
    assert sorted(revision.seq for revision in lab.revisions()) == [1, 1, 2, 2, 3, 3, 4, 5]


def test_a_link_to_anothers_item_opens_ones_own_and_saving_it_is_refused(served):
    lab = Lab(served, people=2)
    theirs = lab.items(0)[0].id

    async def save():
        async with lab.window(1, item=theirs) as window:
            assert window.data["item"] == lab.items(1)[0].id
            await window.answered(window.event(tags(window), 1, item=theirs))
            return window.errors

    assert f"assigned to {lab.names[0]}" in run(save())[0]
    assert lab.revisions() == []


class SmallDisk:
    """A database on a disk of six megabytes."""

    def __init__(self, folder):
        self.folder, self.filler = folder, folder / "filler"
        self.url = f"sqlite:///{folder}/fewshot.db"

    def fill(self):
        with suppress(OSError), self.filler.open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass

    def empty(self):
        self.filler.unlink()


class SmallServer:
    """A database server that says that its disk is full."""

    def __init__(self, url):
        self.url = url

    def fill(self):
        store = Store.open(self.url)
        ends = fill_up(store)
        self.empty = lambda: (ends(), store.close())


@pytest.fixture(params=["sqlite", "postgresql"])
def small(request, tmp_path):
    """A place for a database whose disk a test can fill."""
    if request.param == "postgresql":
        yield SmallServer(request.getfixturevalue("new_url")("postgresql"))
        return
    folder = tmp_path / "small"
    folder.mkdir()
    if shutil.which("mount") is None or subprocess.run([*MOUNT, str(folder)], capture_output=True).returncode:
        pytest.skip("this user may mount no disk")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_named_and_the_save_arrives_once_there_is_room(small, tmp_path):
    app = App(tmp_path, "--users", url=small.url)
    lab = Lab(app, people=2)
    app.start()

    async def save():
        async with lab.window(0) as window:
            await window.save(tags(window), 1)
            small.fill()
            saving = asyncio.create_task(window.save(tags(window, "VERB"), 2))
            await window.until(lambda: window.errors)
            if isinstance(small, SmallDisk):
                async with lab.window(1) as other:
                    assert not other.data and "disk of the database is full" in other.errors[0]
            assert not window.is_saved(window.data["item"], 2)
            small.empty()
            await saving
            return window.errors[0]

    try:
        error = run(save())
    finally:
        app.kill()
    assert "kept in this window" in error and "disk of the database is full" in error
    assert [revision.seq for revision in lab.revisions()] == [1, 2]
    assert not app.has_failed()


def test_a_review_that_is_asked_twice_for_the_next_example_goes_one_further(served):
    lab = Lab(served, people=2, pool=3, double_share=1.0, role="curator")
    with closing(Store.open(served.url)) as store:
        words = {row.id: len(row.content["words"]) for row in store.examples(lab.project)}
        for person, tag in enumerate(("NOUN", "VERB")):
            for item in lab.items(person):
                tagged = {"upos": [tag] * words[item.example_id]}
                store.save(item.id, lab.names[person], "tests", 1, tagged, done=True, seconds=1.0, edits=1)

    async def ask_twice():
        async with lab.window(page="review") as window:
            first = window.data["item"]
            event = {"item": first, "client": window.client, "seq": 0, "annotation": None, "done": False, "go": "next"}
            await window.answered(event)
            second = window.data["item"]
            await window.answered(event)
            return first, second, window.data["item"]

    first, second, shown = run(ask_twice())
    assert first != second == shown
