"""What the running app answers beside pages: the cookie of a session, and files, for whom they are."""

import re
from contextlib import closing
from http.client import HTTPConnection

import pytest
from load import annotators

from annotate import accounts
from annotate.components import cookie
from annotate.server import routes, uploads
from annotate.store import Store

BOUNDARY = "xxx"


@pytest.fixture(scope="module")
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
def test_the_cookie_of_a_session_is_read_by_no_script(served, lab):
    status, said, _ = ask(served, "POST", "/session", lab[1].encode(), Origin=served.address)
    assert status == 204
    parts = {part.partition("=")[0].strip().lower(): part.partition("=")[2] for part in said.split(";")}
    assert parts[cookie.NAME] == lab[1]
    assert "httponly" in parts and parts["samesite"].lower() == "strict" and parts["path"] == "/"
    assert "secure" not in parts
    assert int(parts["max-age"]) == accounts.DAYS * 86400


@pytest.mark.app
def test_behind_tls_the_cookie_is_sent_over_nothing_else(served, lab):
    said = ask(served, "POST", "/session", lab[1].encode(), Origin="https://lab.example", Host="lab.example")[1]
    assert said is None  # the app listens to this machine alone, so this is somebody else's name
    said = ask(served, "POST", "/session", lab[1].encode(), Origin="https://localhost", Host="localhost")[1]
    assert "secure" in said.lower()


@pytest.mark.app
def test_signing_out_has_the_browser_forget(served):
    status, said, _ = ask(served, "POST", "/session", b"", Origin=served.address)
    assert status == 204
    assert re.search(r"max-age=0", said, re.IGNORECASE)


@pytest.mark.app
@pytest.mark.parametrize("body", [b"x", b"\xff\x00", b"x" * 100_000], ids=["nobody's", "no text", "long"])
def test_what_is_no_session_becomes_no_cookie(served, lab, body):
    status, said, _ = ask(served, "POST", "/session", body, Origin=served.address)
    assert status == (413 if len(body) > routes.LONGEST else 403)
    assert said is None


@pytest.mark.app
@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
def test_a_page_of_another_site_or_port_signs_nobody_in_or_out(served, lab, origin):
    for body in (lab[1].encode(), b""):
        status, said, _ = ask(served, "POST", "/session", body, Origin=origin)
        assert (status, said) == (403, None)


def upload(served, session, size=1000, kept="", said=None):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\n'.encode()
    body = head + b"x" * size + f"\r\n--{BOUNDARY}--\r\n".encode()
    headers = {"Content_Type": f"multipart/form-data; boundary={BOUNDARY}", "Origin": served.address}
    headers["Cookie"] = f"{cookie.NAME}={kept}; _streamlit_xsrf=1|1|1|1"
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


class Request:
    """As `uploads.refused` sees one."""

    def __init__(self, size):
        self.headers = {} if size is None else {"Content-Length": size}
        self.cookies = {}


def test_all_files_together_have_a_size(monkeypatch):
    monkeypatch.delenv("FEWSHOT_USERS", raising=False)
    monkeypatch.setattr(uploads, "uploaded_bytes", lambda: uploads.MOST - 1000)
    assert uploads.refused(Request("1000"))[0] == 0
    assert uploads.refused(Request("1001"))[0] == 413
    assert uploads.refused(Request("600"), coming=401)[0] == 413
    assert {uploads.refused(Request(size))[0] for size in (None, "", "-1", "1e3", "٣")} == {411}
