"""What is imported is declared, and bounded by what was tested; what libraries do not promise stands in one place."""

import ast
import sys
import tomllib
from functools import partial
from importlib.metadata import packages_distributions, version
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit
from packaging.requirements import Requirement
from packaging.version import Version
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner
from streamlit.runtime.state import SafeSessionState
from streamlit.testing.v1 import AppTest

from annotate import internals

TESTED = f"streamlit {streamlit.__version__}; it was tested with 1.67"

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("postgres", "ray", "llm", "tensorboard", "analyze", "romanize", "segmentation")
"""What users install beside the rest; the others are for whoever works on this."""

NEEDED = [Requirement(each) for each in PROJECT["dependencies"]]
OPTIONAL = [Requirement(each) for extra in EXTRAS for each in PROJECT["optional-dependencies"][extra]]
OURS = {"fewshot", "annotate", "samplers"}
YEARS = {"regex"}
"""Packages whose versions are dates, of which none says that something has changed."""

SAFE_FROM = {
    "filelock": "3.20.3",  # CVE-2026-22701
    "jinja2": "3.1.6",  # CVE-2025-27516
    "orjson": "3.11.6",  # CVE-2025-67221
    "protobuf": "6.33.5",  # CVE-2026-0994
    "ray": "2.56",  # CVE-2026-41486, CVE-2026-57516
    "starlette": "1.0.1",  # CVE-2026-48710
    "torch": "2.10",  # CVE-2026-24747
    "transformers": "5.10",  # CVE-2026-9856
}
"""The first version without a hole that was known when the bound was chosen."""

PRIVATE = {".env", ".streamlit", "*.db", "*.backup", "runs", ".git"}
"""What may stand beside a checkout, and is in no image: passwords, annotations, results."""

INTERNALS = {
    "streamlit.web": "annotate/internals.py",
    "streamlit.runtime": "annotate/internals.py",
    "streamlit.proto": "annotate/internals.py",
    "conllu.parser": "fewshot/corpora/documents/rows.py",
}
"""Parts of libraries that they may change in any version, and the module that alone may use them."""


def imports(path):
    """Yield the modules that a file imports, but for those that it tries to."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


IMPORTS = {
    str(path.relative_to(ROOT)): set(imports(path)) for top in OURS for path in sorted((ROOT / top).rglob("*.py"))
}


TYPES = {"_typeshed"}
"""Modules that exist for type checkers alone."""


def test_each_library_that_is_imported_is_declared():
    declared = {each.name.replace("_", "-").lower() for each in (*NEEDED, *OPTIONAL)}
    known = packages_distributions()
    tops = {name.split(".")[0] for names in IMPORTS.values() for name in names} - OURS - set(sys.stdlib_module_names)
    owners = {top: {name.replace("_", "-").lower() for name in known.get(top, [top])} for top in tops}
    assert {top for top, names in owners.items() if not names & declared} == TYPES


def test_each_library_is_bounded_and_the_installed_version_fits():
    wrong = []
    for needed in (*NEEDED, *OPTIONAL):
        bounds = {each.operator for each in needed.specifier}
        wrong += [] if bounds == ({">="} if needed.name in YEARS else {">=", "<"}) else [f"{needed}: bounds"]
        try:
            installed = version(needed.name)
        except ModuleNotFoundError:
            continue
        fits = needed.specifier.contains(installed, prereleases=True)
        wrong += [] if fits else [f"{needed}: {installed} is installed"]
    assert not wrong


def test_no_bound_admits_a_version_with_a_known_hole():
    lowest = {each.name: Version(_lowest(each)) for each in (*NEEDED, *OPTIONAL) if each.name in SAFE_FROM}
    assert lowest.keys() == SAFE_FROM.keys()
    assert not {name for name, version in lowest.items() if version < Version(SAFE_FROM[name])}


def _lowest(needed):
    return next(each.version for each in needed.specifier if each.operator == ">=")


def test_the_image_has_the_versions_of_the_lock_and_nothing_private():
    locked = ("uv export -q --locked", "--no-deps --require-hashes -r")
    for name in ("Containerfile", ".ci/run"):
        assert all(part in (ROOT / name).read_text(encoding="utf-8") for part in locked), name
    left_out, untracked = (
        {line.removeprefix("**/").strip("/") for line in (ROOT / name).read_text(encoding="utf-8").split()}
        for name in (".dockerignore", ".gitignore")
    )
    of_the_site = {"docs/generated", "fewshot.pot"}  # left out with their folder and kind
    assert not (PRIVATE | untracked) - of_the_site - left_out


def test_internals_of_libraries_are_used_in_one_module():
    users = {
        part: {path for path, names in IMPORTS.items() if any(f"{name}.".startswith(f"{part}.") for name in names)}
        for part in INTERNALS
    }
    assert not {part: paths for part, paths in users.items() if not paths <= {INTERNALS[part]}}


def test_streamlit_still_has_what_it_does_not_promise(monkeypatch):
    """Fails with a version of Streamlit of which `annotate.internals` has to be looked through."""
    from streamlit import config, runtime
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec
    from streamlit.web import bootstrap
    from streamlit.web.server.starlette.starlette_routes import BASE_ROUTE_UPLOAD_FILE

    from annotate.server import uploads

    assert callable(bootstrap.load_config_options), TESTED
    assert f"/{BASE_ROUTE_UPLOAD_FILE.strip('/')}/" == uploads.UPLOADS, TESTED
    assert config.get_option("server.maxUploadSize"), TESTED
    held = MemoryUploadedFileManager("/upload")
    held.add_file("one", UploadedFileRec("1", "a.txt", "text/plain", b"12345"))
    held.add_file("two", UploadedFileRec("2", "b.txt", "text/plain", b"123"))
    with monkeypatch.context() as patch:
        patch.setattr(runtime, "get_instance", lambda: type("Runtime", (), {"uploaded_file_mgr": held}))
        assert internals.uploaded_bytes() == 8, TESTED
    assert isinstance(runtime.Runtime.uploaded_file_mgr, property), TESTED

    def draw():
        import streamlit as st

        from annotate import internals

        st.text(f"{internals.in_script()} {internals.in_fragment()} {internals.held_files(['none'])}")
        internals.release_files()

    page = AppTest.from_function(draw).run()
    assert not page.exception, TESTED
    assert [one.value for one in page.text] == ["True False set()"], TESTED
    assert not internals.in_script() and not internals.in_fragment(), TESTED


@pytest.fixture
def ran(monkeypatch):
    """The pages of runs and requests that reach Streamlit after `internals.keep_page`."""
    pages = []
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda _runner, asked: pages.append(asked.page_script_hash))
    monkeypatch.setattr(AppSession, "request_rerun", lambda _session, client: pages.append(client.page_script_hash))
    internals.keep_page()
    return pages


def test_a_fragment_of_another_page_runs_on_the_page_that_is_open(ran):
    runner = SimpleNamespace(_pages_manager=PagesManager("app.py"))
    for page, asked in (
        ("", RerunData(page_script_hash="first", fragment_id_queue=["menu"])),  # nothing was drawn before
        ("open", RerunData(page_script_hash="before", fragment_id_queue=["menu"])),
        ("open", RerunData(page_script_hash="chosen")),
    ):
        runner._pages_manager.set_current_page_script_hash(page)
        ScriptRunner._run_script(runner, asked)
    assert ran == ["first", "open", "chosen"], TESTED


def test_what_asks_runs_after_what_the_page_has_drawn_is_sent_and_in_order(ran):
    waiting = [partial(ran.append, "drawn")]
    loop = SimpleNamespace(call_soon_threadsafe=lambda call, *given: waiting.append(partial(call, *given)))
    request = partial(AppSession.request_rerun, SimpleNamespace(_event_loop=loop))
    request(ClientState(page_script_hash="fragment", fragment_id="menu"))
    request(ClientState(page_script_hash="page"))
    for call in waiting:
        call()
    assert ran == ["drawn", "fragment", "page"], TESTED


def test_streamlit_keeps_nothing_of_widgets_that_are_gone():
    def draw():
        import streamlit as st

        from annotate import internals

        internals.forget_stale_widgets()
        item = st.session_state["item"] = st.session_state.get("item", 0) + 1
        st.toggle("stays", key="stays")
        st.button("goes", key=f"goes {item}", on_click=print, args=(item,))

    page = AppTest.from_function(draw).run()
    page.toggle(key="stays").set_value(True)
    for _ in range(5):
        page.run()
    state = page.session_state._state
    while isinstance(state, SafeSessionState):
        state = state._state
    held = {one.callback_args for one in state._new_widget_state.widget_metadata.values() if one.callback_args}
    assert held == {(5,), (6,)}, TESTED
    assert page.toggle(key="stays").value is True
