"""Content Security Policy: pages of the app load nothing from other servers."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "img-src 'self' data: blob:; media-src 'self' data: blob:; object-src 'none'; frame-ancestors 'self'"
"""Content Security Policy (W3C, level 3): images and sounds of this server only, no framing.

Scripts are not restricted, since Streamlit compiles some of them in the page.
"""


def add_policy(app: ASGIApp) -> ASGIApp:
    """Return an app that adds the header of the `POLICY` to each HTML page of another app."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("Content-Type", "").startswith("text/html"):
                    headers["Content-Security-Policy"] = POLICY
            await send(message)

        await app(scope, receive, with_policy if scope["type"] == "http" else send)

    return answer
