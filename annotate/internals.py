"""Use of unstable parts of Streamlit; a test checks each and names the version."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from google.protobuf.message import DecodeError
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, get_script_run_ctx
from streamlit.runtime.state import SafeSessionState

from fewshot.errors import FewshotError


def load_settings(settings: Mapping[str, Any]) -> None:
    """Set options of Streamlit, with precedence over its files and environment variables."""
    from streamlit.web import bootstrap  # loads the server, which workers do not need

    bootstrap.load_config_options(dict(settings))


def message_name(data: bytes) -> str | None:
    """Return a WebSocket message's ``name`` or ``backend_operation_request.name``; None if invalid."""
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        return None
    name: str | None = message.WhichOneof("type")
    if name == "backend_operation_request":
        return f"{name}.{message.backend_operation_request.WhichOneof('payload')}"
    return name


def log_refused_downloads() -> None:
    """Log a refused download as one line, where Streamlit logs a traceback."""
    logging.getLogger("streamlit.runtime.backend_operation_handler").addFilter(_shorten)


def _shorten(record: logging.LogRecord) -> bool:
    cause = record.exc_info and record.exc_info[1] and record.exc_info[1].__cause__
    if isinstance(cause, FewshotError):
        record.msg, record.args, record.exc_info = f"no download: {cause}", (), None
    return True


def keep_page() -> None:
    """Let a fragment that asks while a page is being opened run after the page, and on it.

    A timer of a fragment can ask while a button leads to another page. Streamlit (1.67) would draw for the page before,
    so that the browser clears the new one; or, where the new page has just run, forget what it has drawn and not yet
    sent. Either way the page stays empty. All requests wait, so that they keep their order.
    """
    run, request = ScriptRunner._run_script, AppSession.request_rerun

    def run_here(runner: ScriptRunner, asked: RerunData) -> None:
        page = runner._pages_manager.current_page_script_hash
        run(runner, replace(asked, page_script_hash=page) if asked.fragment_id_queue and page else asked)

    def request_after_drawing(session: AppSession, client: ClientState | None) -> None:
        session._event_loop.call_soon_threadsafe(request, session, client)

    ScriptRunner._run_script = run_here  # type: ignore[method-assign, assignment]
    AppSession.request_rerun = request_after_drawing  # type: ignore[method-assign, assignment]


def in_script() -> bool:
    """Return whether this thread runs a page."""
    return get_script_run_ctx(suppress_warning=True) is not None


def in_fragment() -> bool:
    """Return whether this thread runs only fragments of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def uploaded_bytes() -> int:
    """Return the bytes of uploaded files held for open windows."""
    manager: Any = runtime.get_instance().uploaded_file_mgr
    return sum(len(file.data) for held in list(manager.file_storage.values()) for file in list(held.values()))


def held_files(ids: Iterable[str]) -> set[str]:
    """Return which of the given files this window still has."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or context.uploaded_file_mgr is None:
        return set()
    return {file.file_id for file in context.uploaded_file_mgr.get_files(context.session_id, list(ids))}


def release_files() -> None:
    """Free the memory of all files uploaded in this window."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and context.uploaded_file_mgr is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)


def forget_stale_widgets() -> None:
    """Free the memory of widgets that this window shows no more, whose callbacks Streamlit keeps.

    Streamlit forgets only their values. On a page whose widgets are named by item, they would add up over hours.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    state: Any = context.session_state
    while isinstance(state, SafeSessionState):  # Streamlit's own tests wrap it twice
        state = state._state
    widgets = state._new_widget_state
    for gone in widgets.widget_metadata.keys() - widgets.states.keys() - state._old_state.keys():
        del widgets.widget_metadata[gone]
