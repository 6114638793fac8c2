"""Which messages of a browser reach Streamlit: those that the app's own pages send, by name; all others are dropped.

Streamlit answers some messages for whoever opens a WebSocket, signed in or not: ``clear_cache`` would drop what all
windows share.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotate.internals import message_name

OPERATION = "backend_operation_request"
ALLOWED = frozenset({
    "rerun_script", "stop_script", "app_heartbeat", "file_urls_request",
    f"{OPERATION}.deferred_file", f"{OPERATION}.dataframe_chunk",
})  # fmt: skip
"""Names of the messages (fields of Streamlit's BackMsg) that pages of the app need: widgets, files, long tables."""


class KnownMessages:
    """Drops messages of WebSockets that are not among `ALLOWED`.

    Args:
        app: what gets all others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def known() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or is_allowed(message.get("bytes")):
                    return message

        await self.app(scope, known if scope["type"] == "websocket" else receive, send)


def is_allowed(data: bytes | None) -> bool:
    """Return whether a message of a WebSocket reaches Streamlit; what cannot be read is left to Streamlit to refuse."""
    name = message_name(data or b"")
    return name is None or name in ALLOWED
