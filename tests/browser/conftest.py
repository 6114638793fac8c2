"""The real app in a process of its own, and Debian's Chromium in front of it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ME = "tester"
"""Who annotates where nobody signs in."""

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class App:
    """The server; killing and starting it again keeps port and database."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.arguments = list(arguments)
        self.url = f"sqlite:///{folder}/fewshot.db"
        self.environment = os.environ | {"FEWSHOT_DB_URL": self.url, "HOME": str(folder), "LOGNAME": ME}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        command = [sys.executable, "-c", "from fewshot.cli import main; main()", "app", "--port", str(self.port)]
        with (self.folder / "app.log").open("a") as log:
            self.process = subprocess.Popen(
                command + self.arguments, cwd=ROOT, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1)
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError((self.folder / "app.log").read_text())

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log(self):
        return (self.folder / "app.log").read_text()


@contextmanager
def running(folder, *arguments):
    """A running app with an empty database; no page may have shown a traceback when it ends."""
    served = App(folder, *arguments)
    served.start()
    try:
        yield served
    finally:
        served.kill()
    assert "Traceback" not in served.log(), served.log()


@pytest.fixture
def app(chromium, tmp_path):
    """An app of the test's own, which it may kill."""
    with running(tmp_path) as served:
        yield served


@pytest.fixture(scope="module")
def served(chromium, tmp_path_factory):
    """An app that the tests of a module share, each with a project of its own."""
    with running(tmp_path_factory.mktemp("app")) as served:
        yield served


@pytest.fixture(scope="session")
def chromium():
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def window(chromium):
    """Opens a window of a person of their own: one that shares no cookie and no storage with another."""
    opened = []

    def open_window():
        context = chromium.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
        opened.append(context)
        made = context.new_page()
        made.set_default_timeout(20_000)
        return made

    yield open_window
    for context in opened:
        context.close()


@pytest.fixture
def page(window):
    """A window."""
    return window()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Leave a picture of what was on the screen when a test failed."""
    report = yield
    if report.when == "call" and report.failed and "page" in item.funcargs:
        picture = item.funcargs["tmp_path"] / "failed.png"
        item.funcargs["page"].screenshot(path=picture)
        report.sections.append(("screen", str(picture)))
    return report
