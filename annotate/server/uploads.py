"""Whose files the app takes: those of browsers that are known where people sign in, and not more than memory holds."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from annotate.components import cookie, frame
from annotate.internals import uploaded_bytes

MOST = 1_000_000_000
"""Bytes of all files together that the app holds for the windows that are open."""

UPLOADS = "/_stcore/upload_file/"
"""Where Streamlit takes files."""


class KnownUploads:
    """Refuses files that `refused` refuses, before a byte of them is read.

    Args:
        app: what answers all other requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._coming = 0  # bytes of files that were let in and are not held yet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or UPLOADS not in scope["path"] or scope["method"] not in ("PUT", "POST"):
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        code, why = await run_in_threadpool(refused, request, self._coming)
        if code:
            await PlainTextResponse(f"{why}\n", status_code=code)(scope, receive, send)
            return
        size = int(request.headers["Content-Length"])
        self._coming += size
        try:
            await self.app(scope, receive, send)
        finally:
            self._coming -= size


def refused(request: Request, coming: int = 0) -> tuple[int, str]:
    """Return the status and the reason with which a file is refused, 0 where it is taken.

    Args:
        coming: bytes of other files that are on their way.
    """
    if frame.known_as(request.cookies.get(cookie.NAME, "")) is None:
        return 403, "sign in before you upload a file"
    length = request.headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal()):
        return 411, "a file whose size is not said is not taken"
    if uploaded_bytes() + coming + int(length) > MOST:
        return 413, "the app holds as many files as it can; close windows that have some open, or try again later"
    return 0, ""
