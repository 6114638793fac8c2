import re
from contextlib import closing
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest
from load import annotators
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from annotate import accounts
from annotate.components import cookie, editor, frame
from annotate.language import catalogue
from annotate.server import uploads
from annotate.server.routes import NO_DATABASE, answer_without_database, middleware, routes
from annotate.store import GoneError, Store, UnavailableError

BOUNDARY = "xxx"


@pytest.fixture(scope="session")  # as `served`: a worker may leave the module and come back
def lab(served):
    """The project of the annotator rosa, and what a browser of hers keeps."""
    project, (kept,) = annotators.prepare(served.url, ["rosa"], 4)
    return project, kept


def ask(served, method, path, body=b"", **headers):
    with closing(HTTPConnection("127.0.0.1", served.port, timeout=60)) as connection:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Set-Cookie"), answer.read()


@pytest.mark.app
def test_the_cookie_of_a_session_is_read_by_no_script_and_forgotten_at_the_end(served, lab):
    status, said, _ = ask(served, "POST", "/session", lab[1].encode(), Origin=served.address)
    assert status == 204
    parts = {part.partition("=")[0].strip().lower(): part.partition("=")[2] for part in said.split(";")}
    assert parts[cookie.session_name(served.port)] == lab[1]
    assert "httponly" in parts and parts["samesite"].lower() == "strict" and parts["path"] == "/"
    assert "secure" not in parts
    assert cookie.session_name(served.port) != cookie.session_name(served.port + 1), "two apps, two sessions"
    assert int(parts["max-age"]) == accounts.SESSION_DAYS * 86400
    said = ask(served, "POST", "/session", lab[1].encode(), Origin="https://lab.example", Host="lab.example")[1]
    assert said is None, "the app listens to this machine alone, so this is somebody else's name"
    said = ask(served, "POST", "/session", lab[1].encode(), Origin="https://localhost", Host="localhost")[1]
    assert "secure" in said.lower(), "behind TLS it is sent over nothing else"
    status, said, _ = ask(served, "POST", "/session", b"", Origin=served.address)
    assert status == 204
    assert re.search(r"max-age=0", said, re.IGNORECASE), "signing out has the browser forget"


@pytest.mark.app
def test_what_is_no_session_or_comes_from_another_site_or_port_signs_nobody_in_or_out(served, lab):
    for body, status in ((b"x", 403), (b"\xff\x00", 403), (b"x" * 100_000, 413)):
        assert ask(served, "POST", "/session", body, Origin=served.address)[:2] == (status, None)
    for origin in ("http://evil.example", "http://127.0.0.1:1", "null"):
        for body in (lab[1].encode(), b""):
            assert ask(served, "POST", "/session", body, Origin=origin)[:2] == (403, None)


def upload(served, session, size=1000, kept="", said=None):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\n'.encode()
    body = head + b"x" * size + f"\r\n--{BOUNDARY}--\r\n".encode()
    headers = {"Content_Type": f"multipart/form-data; boundary={BOUNDARY}", "Origin": served.address}
    headers["Cookie"] = f"{cookie.session_name(served.port)}={kept}; _streamlit_xsrf=1|1|1|1"
    if said is not None:
        headers["Content_Length"] = said
    return ask(served, "PUT", f"/_stcore/upload_file/{session}/1", body, **headers)


@pytest.mark.app
def test_nobody_uploads_before_they_have_signed_in(served, lab):
    for kept in ("", "forged"):
        status, _, text = upload(served, "any", kept=kept)
        assert (status, text) == (403, b"sign in before you upload a file\n")
    assert upload(served, "any", kept=lab[1])[2] != b"sign in before you upload a file\n"
    with closing(Store.open(served.url)) as store:
        ended = accounts.open_session(store, "rosa")
        accounts.close_session(store, ended)
    assert upload(served, "any", kept=ended)[0] == 403


def test_where_the_database_is_away_every_route_says_so_in_one_line(monkeypatch, caplog):
    def away():
        raise UnavailableError("postgresql://lab: cannot connect to the database")

    monkeypatch.setenv(frame.USERS, "1")
    monkeypatch.setattr(frame, "store", away)
    origin = "http://localhost:8501"
    client = TestClient(Starlette(routes=routes(), middleware=middleware()), origin)
    for method, path in (("POST", "session"), ("PUT", "items/1/revisions/a/1"), ("PUT", "_stcore/upload_file/a/1")):
        headers = {"Cookie": f"{cookie.session_name()}=x", "Origin": origin, "Content-Type": "application/json"}
        answer = client.request(method, f"/{path}", content="x", headers=headers)
        assert (answer.status_code, answer.text) == (503, f"{NO_DATABASE}\n")
        assert caplog.messages[-1] == f"{method} /{path}: postgresql://lab: cannot connect to the database"


@pytest.mark.parametrize(("error", "begins"), [(GoneError("no project 1"), False), (UnavailableError("away"), True)])
def test_a_deleted_project_is_not_a_database_that_is_away_and_an_answer_begins_once(error, begins):
    async def app(scope, receive, send):
        if begins:
            await PlainTextResponse("half of it")(scope, receive, send)
        raise error

    client = TestClient(answer_without_database(app), "http://localhost:8501")
    with pytest.raises(type(error), match=str(error)):
        client.get("/")


def test_texts_of_languages_that_the_app_does_not_have_are_english_and_are_not_kept():
    client = TestClient(Starlette(routes=routes()), "http://localhost:8501")
    get = lambda name: client.get(f"/{editor.path()}/messages/{name}.json")  # noqa: E731
    assert get("de").json() and get("en").json() == {}
    kept = catalogue.cache_info().currsize
    assert [get(name).json() for name in ("xx", "..", "a" * 1000)] == [{}] * 3
    assert catalogue.cache_info().currsize == kept


def test_all_files_together_have_a_size(monkeypatch):
    def refused(size, **given):
        headers = {} if size is None else {"Content-Length": size}
        return uploads.reason_to_refuse(SimpleNamespace(headers=headers, cookies={}), **given)[0]

    monkeypatch.delenv("FEWSHOT_USERS", raising=False)
    monkeypatch.setattr(uploads, "uploaded_bytes", lambda: uploads.MAX_TOTAL_BYTES - 1000)
    assert [refused("1000"), refused("1001"), refused("600", coming=401)] == [0, 413, 413]
    assert {refused(size) for size in (None, "", "-1", "1e3", "٣")} == {411}
