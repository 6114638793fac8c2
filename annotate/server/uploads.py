"""Check of uploads: only from signed-in browsers, and within the memory limit."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from annotate.components import cookie, frame
from annotate.internals import uploaded_bytes

MAX_TOTAL_BYTES = 1_000_000_000
"""Most bytes of all uploaded files of open windows together."""

UPLOADS = "/_stcore/upload_file/"
"""Path of Streamlit's uploads."""


def check_uploads(app: ASGIApp) -> ASGIApp:
    """Return middleware that refuses uploads, see `reason_to_refuse`, before reading any of their bytes."""
    coming = 0  # bytes of accepted uploads in progress

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal coming
        if scope["type"] != "http" or UPLOADS not in scope["path"] or scope["method"] not in ("PUT", "POST"):
            await app(scope, receive, send)
            return
        request = Request(scope)
        code, why = await run_in_threadpool(reason_to_refuse, request, coming)
        if code:
            await PlainTextResponse(f"{why}\n", status_code=code)(scope, receive, send)
            return
        size = int(request.headers["Content-Length"])
        coming += size
        try:
            await app(scope, receive, send)
        finally:
            coming -= size

    return answer


def reason_to_refuse(request: Request, coming: int = 0) -> tuple[int, str]:
    """Return status and reason for refusing a file, or 0; `coming`: bytes of other uploads."""
    if frame.known_as(request.cookies.get(cookie.session_name(), "")) is None:
        return 403, "sign in before you upload a file"
    length = request.headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal()):
        return 411, "upload refused: the request has no Content-Length"
    if uploaded_bytes() + coming + int(length) > MAX_TOTAL_BYTES:
        return 413, "the memory for uploads is full; close windows with uploaded files, or try again later"
    return 0, ""
