"""Whom the running app answers: no page of another site, whatever name that lets resolve to this machine."""

import socket
import sys
from contextlib import closing
from http.client import HTTPConnection

import pytest
from serving import App
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from storing import made_project
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from annotate.components import frame
from annotate.server import hosts
from annotate.store import Store

SECRET = "Nobody else's business"


class Plain(App):
    """The app as ``streamlit run app.py`` starts it."""

    @property
    def command(self):
        flags = {"server.port": self.port, "server.headless": "true", "browser.gatherUsageStats": "false"}
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.fileWatcherType", "none"]
        return command + [f"--{name}={value}" for name, value in flags.items()]


@pytest.fixture(scope="module", params=[App, Plain], ids=["fewshot app", "streamlit run"])
def app(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("app")
    started = request.param(folder)
    store = Store.open(started.url)
    made_project(store, name=SECRET)
    store.close()
    started.start()
    yield started
    started.kill()
    assert "Traceback" not in started.log()


def get(app, path, host):
    with closing(HTTPConnection("127.0.0.1", app.port, timeout=60)) as connection:
        connection.request("GET", path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def shown(app, host, origin):
    """Return what a window is shown, as bytes; nothing where it is not let in."""
    url, found, message = f"ws://{host}/_stcore/stream", b"", BackMsg()
    message.rerun_script.query_string = ""
    to = {"sock": socket.create_connection(("127.0.0.1", app.port)), "subprotocols": ["streamlit"], "max_size": None}
    try:
        with connect(url, origin=origin, **to) as window:
            window.send(message.SerializeToString())
            for frame_ in window:
                found += frame_
                if ForwardMsg.FromString(frame_).WhichOneof("type") == "script_finished":
                    break
    except WebSocketException:
        return b""
    return found


@pytest.mark.app
def test_own_addresses_are_answered(app):
    for host in (f"127.0.0.1:{app.port}", f"localhost:{app.port}"):
        assert get(app, "/", host)[0] == 200
        assert SECRET.encode() in shown(app, host, f"http://{host}")
    assert SECRET.encode() in shown(app, f"127.0.0.1:{app.port}", None)  # no browser


@pytest.mark.app
def test_another_name_of_this_machine_and_a_page_of_another_site_see_nothing(app):
    for name in ("evil.example", "127.0.0.1.evil.example"):
        host = f"{name}:{app.port}"
        assert SECRET.encode() not in shown(app, host, f"http://{host}")
        if not isinstance(app, Plain):
            assert shown(app, host, f"http://{host}") == b""
            for path in ("/", "/_stcore/health", "/_stcore/host-config", "/media/x", "/annotate"):
                assert get(app, path, host) == (403, hosts.REFUSED + "\n")
    for origin in ("http://evil.example", "http://localhost:1", "http://127.0.0.1", "null"):
        assert SECRET.encode() not in shown(app, f"127.0.0.1:{app.port}", origin)


def test_nobody_is_told_metrics():
    client = TestClient(hosts.check_host(PlainTextResponse("told")), "http://localhost")
    for path, status in (("/_stcore/metrics", 404), ("/base/_stcore/metrics/", 404), ("/_stcore/health", 200)):
        answer = client.get(path)
        assert (answer.status_code, answer.text == "told") == (status, status == 200)


@pytest.fixture
def listening(monkeypatch):
    """Sets options of Streamlit, and whether people sign in."""
    monkeypatch.setattr(hosts.socket, "gethostname", lambda: "Lab")

    def listening(users=False, **options):
        monkeypatch.setenv(frame.USERS, "1" if users else "")
        known = {f"{'browser' if name == 'serverAddress' else 'server'}.{name}": of for name, of in options.items()}
        monkeypatch.setattr(hosts.st, "get_option", lambda name: known.get(name, config.get_option(name)))

    return listening


ANSWERED = ["127.0.0.1", "[::1]:8501", "192.168.1.7:8501", "LocalHost.", "lab:8501", "lab.local"]
REFUSED = ["lab.evil.example", "", "evil.example:99999", "127.0.0.1@evil.example", "evil.example/127.0.0.1"]


HOSTS = [
    *((host, {}, True) for host in ANSWERED),
    *((host, {}, False) for host in REFUSED),
    ("notes.uni.edu", {"serverAddress": "Notes.uni.edu"}, True),
    ("x.uni.edu", {"allowedHosts": ["*.uni.edu"]}, True),
    ("uni.edu.evil.example", {"allowedHosts": ["*.uni.edu"]}, False),
    ("lab7", {"address": "lab7"}, True),
    ("evil.example", {"address": "0.0.0.0"}, False),
    ("evil.example", {"address": "127.0.0.1", "users": True}, False),
    ("notes.uni.edu", {"address": "0.0.0.0", "users": True}, True),
]


def test_a_host_is_an_address_or_a_name_of_this_app(listening):
    for host, options, answered in HOSTS:
        listening(**options)
        assert hosts.is_refused({"Host": host}, acts=False) != answered, (host, options)


def test_a_page_is_of_the_same_place_or_one_that_is_allowed(listening):
    listening(corsAllowedOrigins=["https://partner.example"])
    for host, origin, answered in (
        ("localhost:8501", "http://localhost:8501", True),
        ("localhost:8501", "http://LOCALHOST:8501", True),
        ("localhost", "https://localhost", True),
        ("localhost:8501", "http://127.0.0.1:8501", False),
        ("localhost:8501", "http://localhost:8888", False),
        ("localhost:8501", "http://evil.example", False),
        ("localhost:8501", "http://localhost:8501@evil.example", False),
        ("localhost:8501", "null", False),
        ("localhost:8501", "", False),
        ("localhost:8501", "https://partner.example", True),
    ):
        assert hosts.is_refused({"Host": host, "Origin": origin}, acts=True) != answered, (host, origin)
