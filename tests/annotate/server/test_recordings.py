"""Recordings over HTTP: a part of one is answered, and nobody gets at another file; pages name a policy."""

import time

import pytest
import sounds
import storing
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from storing import made_items, made_project

from annotate import accounts
from annotate.components import cookie, frame, recordings
from annotate.editing import session
from annotate.server import policy
from annotate.server.routes import routes
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Document, Sentence


@pytest.fixture
def client(store, monkeypatch):
    monkeypatch.setattr(frame, "store", lambda: store)
    page = Route("/", lambda _request: HTMLResponse("<p>page</p>"))
    return TestClient(policy.add_policy(Starlette(routes=[*routes(), page])))


def sentence(file):
    return Sentence("s", "mar", ("mar",), recording=file and Recording(file, 0.25, 1.5))


def recorded(store, *names, example=sentence("rice.wav"), task="pos"):
    """Make a project of an example with some recordings; return it with what its editor is told."""
    project = made_project(
        store, storing.split_rows([example], ()), kind=example.kind, tasks=(task,), labels={task: ["NOUN"]}
    )
    for name in names:
        sounds.keep(store, project, name, sounds.tone(1.0))
    (item,) = made_items(store, project, [(store.lengths(project.id, "pool")[0][0], task, "ana")])
    return project, recordings.heard(project, session.open_item(store, project, item))


def test_name_begin_and_end_are_told_and_nothing_without_a_recording(store, client):
    _, told = recorded(store, "rice.wav", example=sentence("RICE.mp3"))
    assert (told["name"], told["begin"], told["end"]) == ("rice.wav", 0.25, 1.5)
    for example, task in ((sentence(None), "pos"), (sentence("../rice/sea.wav"), "pos"), (Document("d", "x"), "topic")):
        assert recorded(store, "rice.wav", example=example, task=task)[1] is None


def test_an_address_is_good_for_two_days_in_this_process_and_ends_with_its_recording_and_its_project(
    store, client, tmp_path, monkeypatch
):
    (project, told), now = recorded(store, "rice.wav"), time.time()
    _, signature, name = told["url"].rsplit("/", 2)

    def status(days, url=told["url"]):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: now + days * recordings.DAY)
            return client.get(url).status_code

    assert [status(days) for days in (0, 1, 2)] == [200, 200, 404]
    assert status(0, f"/{recordings.PATH}/{'9' * 30}/{signature}/{name}") == 404  # no project's number
    with monkeypatch.context() as patch:
        patch.setattr(recordings, "KEY", bytes(32))
        assert status(0) == 404
    file = next(tmp_path.rglob("rice.wav"))
    file.rename(file.with_name("other.wav"))
    assert status(0) == 404
    file.with_name("other.wav").rename(file)
    assert status(0) == 200
    store.delete_project(project.id)
    assert status(0) == 404


def test_a_part_is_answered_and_nobody_gets_at_another_file_or_without_the_page(store, client):
    _, told = recorded(store, "rice.wav", "other.wav")
    other, _ = recorded(store, "rice.wav")
    url, whole = f"/{told['url']}", sounds.tone(1.0)
    answer = client.get(url)
    assert (answer.status_code, answer.headers["Content-Type"], answer.content) == (200, "audio/wav", whole)
    part = client.get(url, headers={"Range": "bytes=1000-1999"})
    assert (part.status_code, part.content) == (206, whole[1000:2000])
    start, signature, _ = url.rsplit("/", 2)
    for wrong in (
        f"{start}/{signature}/other.wav",
        f"{start}/{'0' * 64}/rice.wav",
        f"{start}/{signature}%C3%A9/rice.wav",
        f"{start}/{signature}/..%2F..%2Ffewshot.db",
        f"{start}/{signature}/%2Fetc%2Fpasswd",
        f"/{recordings.PATH}/{other.id}/{signature}/rice.wav",
        f"/{recordings.PATH}/999/{signature}/rice.wav",
    ):
        assert client.get(wrong).status_code == 404, wrong


def test_a_recording_is_answered_to_those_who_are_in_its_project_now(store, client, monkeypatch):
    monkeypatch.setenv(frame.USERS, "1")
    _, told = recorded(store, "rice.wav")
    url = f"/{told['url']}"
    for name, role in (("ana", "annotator"), ("cleo", "annotator"), ("carl", "curator")):
        store.add_user(name, "hash", role)
    kept = {name: accounts.open_session(store, name) for name in ("ana", "cleo", "carl")}

    def status(name):
        return client.get(url, headers={"Cookie": f"{cookie.session_name()}={kept.get(name, '')}"}).status_code

    assert {name: status(name) for name in (*kept, "nobody")} == {"ana": 200, "cleo": 404, "carl": 200, "nobody": 404}
    store.set_active("ana", False)
    assert status("ana") == 404


def test_a_page_loads_pictures_of_this_server_alone(store, client):
    assert client.get("/").headers["Content-Security-Policy"] == policy.POLICY
    assert "img-src 'self'" in policy.POLICY
    assert "Content-Security-Policy" not in client.get("/nothing").headers
