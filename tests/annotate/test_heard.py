"""What an editor is told of a recording, and for how long its address is good."""

import time

import pytest
import sounds
from starlette.requests import Request
from storing import made_items, made_project

from annotate.components import frame, recordings
from annotate.editing import session
from annotate.exchange import pool
from annotate.store import NewItem
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Document, Sentence


@pytest.fixture
def heard(store, monkeypatch):
    """What is told of an example whose project has a recording mar.wav, and the project."""
    monkeypatch.setattr(frame, "store", lambda: store)

    def heard(example, task="pos"):
        project = made_project(
            store, pool.both([example], ()), kind=example.kind, tasks=(task,), labels={task: ["NOUN"]}
        )
        sounds.keep(store, project, "mar.wav")
        (item,) = made_items(store, project, [NewItem(store.lengths(project.id, "pool")[0][0], task, "ana")])
        return recordings.heard(project, session.open_item(store, project, item))

    return heard


def sentence(file):
    return Sentence("s", "mar", ("mar",), recording=file and Recording(file, 0.25, 1.5))


def status(url):
    _, project, signature, name = url.split("/")
    path = {"project": int(project), "signature": signature, "name": name}
    return recordings.answer(Request({"type": "http", "headers": [], "path_params": path})).status_code


def test_name_address_begin_and_end_are_told_and_nothing_without_a_recording(heard):
    told = heard(sentence("MAR.mp3"))
    assert (told["name"], told["begin"], told["end"]) == ("mar.wav", 0.25, 1.5)
    assert status(told["url"]) == 200
    assert heard(sentence(None)) is heard(sentence("../mar/river.wav")) is heard(Document("d", "mar"), "topic") is None


def test_an_address_is_good_today_and_tomorrow_and_in_this_process_alone(heard, monkeypatch):
    url, now = heard(sentence("mar.wav"))["url"], time.time()
    for days, found in ((1, 200), (2, 404)):
        monkeypatch.setattr(time, "time", lambda days=days: now + days * recordings.DAY)
        assert status(url) == found
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(recordings, "KEY", bytes(32))
    assert status(url) == 404


def test_an_address_ends_with_its_recording_and_its_project(heard, store, tmp_path):
    url = heard(sentence("mar.wav"))["url"]
    _, project, *rest = url.split("/")
    assert status("/".join(["", "9" * 30, *rest])) == 404  # a number that no project can have
    next(tmp_path.rglob("mar.wav")).unlink()
    assert status(url) == 404
    store.delete_project(int(project))
    assert status(url) == 404
