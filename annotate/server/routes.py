"""Middleware, and routes besides Streamlit's: editors, saves, recordings, the session cookie."""

from __future__ import annotations

import logging

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import get_option

from annotate import accounts
from annotate.components import cookie, editor, frame, recordings
from annotate.language import messages, nearest
from annotate.server import saves
from annotate.server.hosts import check_host
from annotate.server.messages import filter_messages
from annotate.server.policy import add_policy
from annotate.server.uploads import check_uploads
from annotate.store import UnavailableError

log = logging.getLogger(__name__)

MAX_TOKEN_BYTES = 200
"""Most bytes of a session token."""

NO_DATABASE = "the database cannot be used now; try again later"


def routes() -> list[BaseRoute]:
    """Return the routes below the app's base path."""
    base = get_option("server.baseUrlPath").strip("/")
    paths = editor.path(), cookie.SESSION, recordings.PATH, saves.PATH
    editors, session, sound, save = (f"/{base}/{path}".replace("//", "/") for path in paths)
    return [
        Route(f"{editors}/messages/{{language}}.json", _texts),
        Mount(editors, StaticFiles(directory=editor.FOLDER, follow_symlink=True)),
        Route(session, _keep_session, methods=["POST"]),
        Route(save, saves.answer, methods=["PUT"]),
        Route(f"{sound}/{{project:int}}/{{signature}}/{{name}}", recordings.answer),
    ]


def middleware() -> list[Middleware]:
    """Return the middleware, outermost first."""
    checks = check_host, add_policy, answer_without_database, check_uploads, filter_messages
    return [Middleware(check) for check in checks]


def answer_without_database(app: ASGIApp) -> ASGIApp:
    """Return middleware that answers 503 without a database; the log has the reason in one line."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await app(scope, receive, send_on)
        except UnavailableError as error:
            if scope["type"] != "http" or has_begun:
                raise
            log.error("%s %s: %s", scope.get("method", scope["type"]), scope["path"], error)
            await PlainTextResponse(NO_DATABASE + "\n", status_code=503)(scope, receive, send)

    return answer


def _texts(request: Request) -> Response:
    return JSONResponse(messages(nearest(request.path_params["language"])))


async def _keep_session(request: Request) -> Response:
    """Set the cookie of an existing session, unreadable for scripts; an empty token deletes the cookie.

    A WebSocket cannot set cookies, so the page posts the token that it got from Streamlit.
    """
    kept = b""
    async for chunk in request.stream():
        kept += chunk
        if len(kept) > MAX_TOKEN_BYTES:
            return Response(status_code=413)
    token = kept.decode("ascii", "replace")
    if token and not await run_in_threadpool(lambda: accounts.session_user(frame.store(), token)):
        return Response(status_code=403)
    response = Response(status_code=204)
    response.set_cookie(
        cookie.session_name(), token, accounts.SESSION_DAYS * 86400 if token else 0, httponly=True, samesite="strict",
        secure=request.headers.get("Origin", "").startswith("https:"),
    )  # fmt: skip
    return response
