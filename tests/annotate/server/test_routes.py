"""What the running app answers beside pages: the cookie of a session, and files, for whom they are."""

import re
from contextlib import closing
from http.client import HTTPConnection

import pytest
from load import annotators
from serving import with_accounts

from annotate import accounts
from annotate.components import cookie
from annotate.server import routes, uploads
from annotate.store import Store

BOUNDARY = "xxx"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with with_accounts(tmp_path_factory.mktemp("lab")) as served:
        yield served


@pytest.fixture(scope="module")
def lab(app):
    """The project of the annotator ana, and what a browser of hers keeps."""
    project, (kept,) = annotators.prepare(app.url, ["ana"], 4)
    return project, kept


def ask(app, method, path, body=b"", **headers):
    connection = HTTPConnection("127.0.0.1", app.port, timeout=20)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read()
    return answer.status, answer.getheader("Set-Cookie"), text


def test_the_cookie_of_a_session_is_read_by_no_script(app, lab):
    status, said, _ = ask(app, "POST", "/session", lab[1].encode(), Origin=app.address)
    assert status == 204
    parts = {part.partition("=")[0].strip().lower(): part.partition("=")[2] for part in said.split(";")}
    assert parts[cookie.NAME] == lab[1]
    assert "httponly" in parts and parts["samesite"].lower() == "strict" and parts["path"] == "/"
    assert "secure" not in parts
    assert int(parts["max-age"]) == accounts.DAYS * 86400


def test_behind_tls_the_cookie_is_sent_over_nothing_else(app, lab):
    said = ask(app, "POST", "/session", lab[1].encode(), Origin="https://lab.example", Host="lab.example")[1]
    assert said is None  # the app listens to this machine alone, so this is somebody else's name
    said = ask(app, "POST", "/session", lab[1].encode(), Origin="https://localhost", Host="localhost")[1]
    assert "secure" in said.lower()


def test_signing_out_has_the_browser_forget(app):
    status, said, _ = ask(app, "POST", "/session", b"", Origin=app.address)
    assert status == 204
    assert re.search(r"max-age=0", said, re.IGNORECASE)


@pytest.mark.parametrize("body", [b"x", b"\xff\x00", b"x" * 100_000], ids=["nobody's", "no text", "long"])
def test_what_is_no_session_becomes_no_cookie(app, lab, body):
    status, said, _ = ask(app, "POST", "/session", body, Origin=app.address)
    assert status == (413 if len(body) > routes.LONGEST else 403)
    assert said is None


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
def test_a_page_of_another_site_or_port_signs_nobody_in_or_out(app, lab, origin):
    for body in (lab[1].encode(), b""):
        status, said, _ = ask(app, "POST", "/session", body, Origin=origin)
        assert (status, said) == (403, None)


def upload(app, session, size=1000, kept="", said=None):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\n'.encode()
    body = head + b"x" * size + f"\r\n--{BOUNDARY}--\r\n".encode()
    headers = {"Content_Type": f"multipart/form-data; boundary={BOUNDARY}", "Origin": app.address}
    headers["Cookie"] = f"{cookie.NAME}={kept}; _streamlit_xsrf=1|1|1|1"
    if said is not None:
        headers["Content_Length"] = said
    return ask(app, "PUT", f"/_stcore/upload_file/{session}/1", body, **headers)


def test_nobody_uploads_before_they_have_signed_in(app, lab):
    for kept in ("", "forged"):
        status, _, text = upload(app, "any", kept=kept)
        assert (status, text) == (403, b"sign in before you upload a file\n")
    assert upload(app, "any", kept=lab[1])[2] != b"sign in before you upload a file\n"
    with closing(Store.open(app.url)) as store:
        ended = accounts.open_session(store, "ana")
        accounts.close_session(store, ended)
    assert upload(app, "any", kept=ended)[0] == 403


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
