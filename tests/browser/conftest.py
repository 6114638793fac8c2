"""The real app in a process of its own, and Debian's Chromium in front of it."""

import shutil

import pytest
from serving import App

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def app(tmp_path):
    """A running app with an empty database; no page may have shown a traceback when the test ends."""
    served = App(tmp_path)
    served.start()
    yield served
    served.kill()
    assert "Traceback" not in served.log(), served.log()


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
def page(chromium, app):
    """A window that shows the app."""
    context = chromium.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    window = context.new_page()
    window.set_default_timeout(20_000)
    window.goto(app.address)
    yield window
    context.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Leave a picture of what was on the screen when a test failed."""
    report = yield
    if report.when == "call" and report.failed and "page" in item.funcargs:
        picture = item.funcargs["tmp_path"] / "failed.png"
        item.funcargs["page"].screenshot(path=picture)
        report.sections.append(("screen", str(picture)))
    return report
