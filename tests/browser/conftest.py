"""The real app in a process of its own, which all tests of a run share, and Debian's Chromium in front of it."""

import shutil
import warnings
from contextlib import closing, contextmanager, suppress

import pytest
from browser import moves
from serving import App, without_torch

from annotate import accounts
from annotate.store import Store

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PEOPLE = {"anna": "annotator", "ben": "annotator", "ada": "admin"}
"""Who signs in at the lab's app, and their roles."""

ORGANISATION = {
    "ana": {"email": "ana@uni.edu", "email_verified": True},
    "eve": {"email": "eve@uni.edu", "email_verified": True},
}
"""What the organisation's provider of OpenID Connect says of everybody."""

SECRETS = """
[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "correct horse battery staple"
client_id = "fewshot"
client_secret = "secret"
server_metadata_url = "http://localhost:{port}/.well-known/openid-configuration"
"""


@contextmanager
def running(folder, *arguments, before=lambda app: None):
    """A running app with an empty database; no page may have shown a traceback when it ends."""
    app = App(folder, *arguments)
    before(app)
    app.start()
    try:
        yield app
    finally:
        app.stop()
    assert not app.has_failed(), app.log()


@pytest.fixture(scope="session")
def shared_app(chromium, tmp_path_factory):
    def configure(app):
        app.environment |= without_torch(app.folder)

    with running(tmp_path_factory.mktemp("app"), before=configure) as app:
        yield app


@pytest.fixture
def app(shared_app, chromium):
    """The app of one person, without a project; its jobs end at once and compute nothing."""
    yield from for_one_test(shared_app, chromium)


@pytest.fixture
def served(app):
    """The same."""
    return app


@pytest.fixture(scope="session")
def shared_lab(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    with provider() as port:

        def configure(app):
            if port:
                (folder / ".streamlit").mkdir()
                (folder / ".streamlit" / "secrets.toml").write_text(SECRETS.format(app=app.address, port=port))

        with running(folder, "--users", before=configure) as app:
            yield app


@contextmanager
def provider():
    """Run the organisation's provider of OpenID Connect and yield its port, None where it is not installed."""
    with warnings.catch_warnings(record=True):  # of what it imports
        try:
            import oidc_provider_mock as mock
        except ImportError:
            yield None
            return
    people = [mock.User(sub=name, claims=claims) for name, claims in ORGANISATION.items()]
    with mock.run_server_in_thread(user_claims=people) as server:
        yield server.server_port


@pytest.fixture
def lab(shared_lab, chromium):
    """An app where people sign in: those of `PEOPLE`, and an address of the organisation."""
    with closing(Store.open(shared_lab.url)) as store:
        for name, role in {**PEOPLE, "ana@uni.edu": "annotator"}.items():
            if store.user(name) is None:
                password = accounts.hash_password(moves.PASSWORD) if name in PEOPLE else ""
                store.add_user(name, password, role, oidc=not password)
            store.set_role(name, role)
            store.end_sessions(name)
    yield from for_one_test(shared_lab, chromium)


def for_one_test(app, chromium):
    """Yield an app, then close what is open of it and delete every project; no page may have shown a traceback."""
    start = len(app.log())
    yield app
    for context in chromium.contexts:
        context.close()
    if app.process.poll() is not None:
        app.start()
    with closing(Store.open(app.url)) as store:
        for project in store.projects(archived=None):
            store.delete_project(project.id)
    assert not app.has_failed(start), app.log()[start:]


@pytest.fixture
def store(request):
    """The database of the app that the test uses."""
    app = request.getfixturevalue("lab" if "lab" in request.fixturenames else "app")
    with closing(Store.open(app.url)) as opened:
        yield opened


@pytest.fixture(scope="session")
def chromium():
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with playwright.sync_playwright() as started, pytest.MonkeyPatch.context() as patch:
        playwright.expect.set_options(timeout=moves.PATIENCE)
        for name in ("click", "fill", "set_input_files"):
            patch.setattr(playwright.Locator, name, moves.settled(getattr(playwright.Locator, name)))
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def window(chromium):
    """Opens a window of a person of their own: one that shares no cookie and no storage with another."""
    opened = []

    def open_window(**options):
        options = {"viewport": {"width": 1400, "height": 900}, "accept_downloads": True, **options}
        opened.append(moves.watched(chromium.new_context(**options)))
        return opened[-1].new_page()

    yield open_window
    for context in opened:
        context.close()


@pytest.fixture
def page(window):
    """A window."""
    return window()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Leave a picture of each window when a test failed."""
    report = yield
    if report.when == "call" and report.failed and "chromium" in item.funcargs:
        with suppress(Exception):  # the browser itself may be what failed
            pages = [page for context in item.funcargs["chromium"].contexts for page in context.pages]
            for number, page in enumerate(pages):
                picture = item.funcargs["tmp_path"] / f"failed-{number}.png"
                page.screenshot(path=picture)
                report.sections.append(("screen", str(picture)))
    return report
