"""Recordings over HTTP: a part of one is answered, and nobody gets at another file; pages name a policy."""

import pytest
import sounds
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from storing import made_items, made_project

from annotate import accounts
from annotate.components import cookie, frame, recordings
from annotate.editing import session
from annotate.exchange import pool
from annotate.server import policy
from annotate.server.routes import routes
from fewshot.corpora.recordings import Recording
from fewshot.corpora.types import Sentence


@pytest.fixture
def client(store, monkeypatch):
    monkeypatch.setattr(frame, "store", lambda: store)
    page = Route("/", lambda _request: HTMLResponse("<p>page</p>"))
    return TestClient(policy.PolicyHeader(Starlette(routes=[*routes(), page])))


def recorded(store, *names):
    """Make a project with a sentence that is heard, and return it with what its editor is told."""
    example = Sentence("s", "mar", ("mar",), recording=Recording("rice.wav", 0.25, 1.5))
    project = made_project(store, pool.both([example], ()), tasks=("pos",))
    for name in names:
        sounds.keep(store, project, name, sounds.tone(1.0))
    (item,) = made_items(store, project, [(store.lengths(project.id, "pool")[0][0], "pos", "ana")])
    return project, recordings.heard(project, session.open_item(store, project, item))


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
        return client.get(url, headers={"Cookie": f"{cookie.NAME}={kept.get(name, '')}"}).status_code

    assert {name: status(name) for name in (*kept, "nobody")} == {"ana": 200, "cleo": 404, "carl": 200, "nobody": 404}
    store.set_active("ana", False)
    assert status("ana") == 404


def test_a_page_loads_pictures_of_this_server_alone(store, client):
    assert client.get("/").headers["Content-Security-Policy"] == policy.POLICY
    assert "img-src 'self'" in policy.POLICY
    assert "Content-Security-Policy" not in client.get("/nothing").headers
