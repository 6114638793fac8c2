"""Content Security Policy: pages of the app load nothing from other servers."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "img-src 'self' data: blob:; media-src 'self' data: blob:; object-src 'none'; frame-ancestors 'self'"
"""Content Security Policy (W3C, level 3): images and sounds of this server only, no framing.

Scripts are not restricted, since Streamlit compiles some of them in the page.
"""


class PolicyHeader:
    """Middleware that adds the `POLICY` to each page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("Content-Type", "").startswith("text/html"):
                    headers["Content-Security-Policy"] = POLICY
            await send(message)

        await self.app(scope, receive, with_policy if scope["type"] == "http" else send)
