"""The real app in a process of its own, and Debian's Chromium in front of it."""

import shutil
from contextlib import contextmanager

import pytest
from browser import moves
from serving import App

from annotate import accounts
from annotate.store import Store

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def running(folder, *arguments, before=lambda app: None):
    """A running app with an empty database; no page may have shown a traceback when it ends."""
    served = App(folder, *arguments)
    before(served)
    served.start()
    try:
        yield served
    finally:
        served.kill()
    assert not served.has_failed(), served.log()


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


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """An app where people sign in, with an annotator, another, and an admin."""
    with running(tmp_path_factory.mktemp("lab"), "--users") as served:
        store = Store.open(served.url)
        for name, role in (("anna", "annotator"), ("ben", "annotator"), ("ada", "admin")):
            store.add_user(name, accounts.hashed(moves.PASSWORD), role)
        store.close()
        yield served


@pytest.fixture(scope="session")
def chromium():
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as started:
        playwright.expect.set_options(timeout=moves.PATIENCE)
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
        made.set_default_timeout(moves.PATIENCE)
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
