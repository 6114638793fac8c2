"""Downloads: whoever has lost the right to a file since the page was drawn gets none."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from serving import ROOT
from storing import on_both
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from annotate import accounts, internals
from annotate.components import frame
from fewshot.errors import FewshotError


@pytest.fixture
def drawn(store, monkeypatch):
    """Draws a button for a person; returns what Streamlit calls when the button is pressed."""
    monkeypatch.setenv(frame.USERS, "1")
    monkeypatch.setattr(frame, "store", lambda: store)

    def drawn(name, **options):
        made = []
        monkeypatch.setattr(frame.st, "session_state", {"token": accounts.open_session(store, name)})
        monkeypatch.setattr(frame.st, "download_button", lambda _label, make, _name, **_: made.append(make))
        frame.download("Backup", lambda: b"everything", "backup.gz", **options)
        return made[0]

    return drawn


@on_both
def test_a_file_is_made_for_who_has_the_right_when_it_is_made(store, drawn):
    admins = {"roles": ["admin"]}
    for name, role, options, lose, allowed in (
        ("demoted", "admin", admins, lambda name: store.set_role(name, "curator"), "admin"),
        ("shut out", "admin", admins, lambda name: store.set_active(name, False), "admin"),
        ("signed out", "admin", admins, store.end_sessions, "admin"),
        ("no curator", "curator", {}, lambda name: store.set_role(name, "annotator"), "curator or admin"),
    ):
        store.add_user(name, "hash", role)
        press = drawn(name, **options)
        assert press() == b"everything"
        lose(name)
        with pytest.raises(FewshotError, match=f"only {allowed} may download it"):
            press()


def test_every_download_asks():
    sources = [path for path in (ROOT / "annotate").rglob("*.py") if "download_button(" in path.read_text("utf-8")]
    assert [path.name for path in sources] == ["frame.py"]


def test_a_refused_download_is_one_line_in_the_log(caplog):
    def refuse():
        raise FewshotError("backup.gz: only admin may download it")

    internals.log_refused_downloads()
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))
    request = BackMsg().backend_operation_request
    request.deferred_file.file_id = manager.add_deferred(refuse, None, "1.(0)", file_name="x", element_id="x")
    handled = DeferredFileHandler(lambda: manager).handle(request, "session")
    with ThreadPoolExecutor(1) as thread:  # browser tests leave an event loop in this one
        assert thread.submit(asyncio.run, handled).result().error_msg
    record = caplog.records[-1]
    assert record.getMessage() == "no download: backup.gz: only admin may download it" and not record.exc_info
