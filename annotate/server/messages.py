"""Filter of browser messages: only messages that the app's own pages send reach Streamlit.

Streamlit answers some messages without a sign-in: ``clear_cache`` would drop data that all windows share.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotate.internals import message_name

OPERATION = "backend_operation_request"
ALLOWED = frozenset({
    "rerun_script", "stop_script", "app_heartbeat", "file_urls_request",
    f"{OPERATION}.deferred_file", f"{OPERATION}.dataframe_chunk",
})  # fmt: skip
"""Messages (fields of Streamlit's BackMsg) for widgets, files and long tables."""


def filter_messages(app: ASGIApp) -> ASGIApp:
    """Return middleware that drops messages of WebSockets that are not in `ALLOWED`."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def known() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or is_allowed(message.get("bytes")):
                    return message

        await app(scope, known if scope["type"] == "websocket" else receive, send)

    return answer


def is_allowed(data: bytes | None) -> bool:
    """Return whether a WebSocket message reaches Streamlit; Streamlit itself refuses invalid messages."""
    name = message_name(data or b"")
    return name is None or name in ALLOWED
