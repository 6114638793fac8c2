"""Several people in the running app, and what breaks while they save: nothing is lost, nothing is there twice."""

import shutil
import sqlite3
import subprocess
from contextlib import ExitStack, closing, suppress
from itertools import count

import pytest
import storing
from load import annotators
from load.client import Window, together
from load.page import drawn
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
        self.store = Store.open(app.url)

    def window(self, person=0):
        return Window(self.app, self.store, self.project, self.names[person], self.tokens[person])

    def revisions(self):
        items = self.store.items(self.project.id)
        return [revision for item in items for revision in storing.history(self.store, item.id)]


@pytest.fixture
def lab():
    """Makes labs, whose databases are closed at the end."""
    with ExitStack() as opened:

        def lab(*given, **settings):
            made = Lab(*given, **settings)
            opened.callback(made.store.close)
            return made

        yield lab


def tags(window, tag="NOUN"):
    return {"upos": [tag] * window.words}


def test_five_people_save_at_once_and_nothing_is_lost_or_doubled(served, lab):
    five, saved = lab(served, people=5, pool=10, double_share=1.0), {}
    windows = [five.window(person) for person in range(5)]
    together(lambda window: annotators.annotate(window, saved, items=2), windows)
    assert len(saved) == 5 * 2 * annotators.STEPS
    assert annotators.lost_and_doubled(served.url, five.project.id, saved) == (0, 0)


def test_a_server_killed_while_saves_are_under_way_loses_and_doubles_nothing(served, lab):
    two, saved = lab(served, people=2, pool=20), {}
    windows = [two.window(0), two.window(1)]

    def kill_while_saving(is_stored):
        before = len(two.revisions())
        begun = [window.begin(annotators.tags_of_step(window, 1), 1) for window in windows]
        if is_stored:
            wait_until(lambda: len(two.revisions()) == before + len(windows))
        served.kill()
        served.start()
        for connection in begun:  # the editors know of no acknowledgement
            connection.close()
        together(lambda window: annotators.annotate(window, saved), windows)

    for is_stored in (False, True):
        together(lambda window: annotators.annotate(window, saved), windows)
        kill_while_saving(is_stored)
    assert len(saved) == 2 * 4 * annotators.STEPS
    assert annotators.lost_and_doubled(served.url, two.project.id, saved) == (0, 0)


def test_a_save_arrives_once_a_locked_database_is_free(served, lab):
    one = lab(served, people=1)
    window = one.window()
    with closing(sqlite3.connect(served.url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = [window.begin(tags(window), 1) for _ in range(2)]
        assert one.revisions() == []
        other.execute("ROLLBACK")
    for connection in begun:
        with closing(connection):
            assert connection.getresponse().status == 200
    assert [revision.seq for revision in one.revisions()] == [1]


def test_two_windows_of_one_person_on_one_item_both_save_and_see_each_other(served, lab):
    one = lab(served, people=1)
    left, right = one.window(), one.window()
    assert left.item == right.item
    for seq, tag in enumerate(("NOUN", "VERB", "X"), start=1):
        together(lambda window, seq=seq, tag=tag: window.save(tags(window, tag), seq), [left, right])
    left.save(tags(left, "NOUN"), 4)
    assert right.put(tags(right, "VERB"), 5)[1]["newest"]["acks"] == {left.client: 4, right.client: 3}
    right.save(tags(right, "VERB"), 5)
    assert sorted(revision.seq for revision in one.revisions()) == [1, 1, 2, 2, 3, 3, 4, 5]


def test_a_link_to_anothers_item_opens_ones_own(served, lab):
    two = lab(served, people=2)
    theirs, own = two.window(0).item, two.window(1).item
    query = f"project={two.project.id}&item={theirs.id}"
    assert drawn(served, two.tokens[1], name="annotate", query=query).data["item"] == own.id


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


def test_a_full_disk_is_named_and_the_save_arrives_once_there_is_room(small, lab, tmp_path):
    app = App(tmp_path, "--users", url=small.url)
    two = lab(app, people=2)
    app.start()
    try:
        window = two.window(0)
        window.save(tags(window), 1)
        small.fill()
        status, answer = window.put(tags(window, "VERB"), 2)
        if isinstance(small, SmallDisk):
            query = f"project={two.project.id}"
            page = drawn(app, two.tokens[1], name="annotate", query=query)
            assert not page.data and "disk of the database is full" in page.errors[0]
        small.empty()
        window.save(tags(window, "VERB"), 2)
    finally:
        app.kill()
    assert status == 503 and "disk of the database is full" in answer["error"]
    assert [revision.seq for revision in two.revisions()] == [1, 2]
    assert not app.has_failed()
