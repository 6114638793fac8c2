"""What the app's server answers beside Streamlit: the editors' files and texts, recordings, and a session's cookie."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from streamlit import get_option

from annotate import accounts
from annotate.components import cookie, editor, frame, recordings
from annotate.language import messages
from annotate.server.hosts import OwnNames
from annotate.server.messages import KnownMessages
from annotate.server.policy import OwnPictures
from annotate.server.uploads import KnownUploads

LONGEST = 200
"""Most bytes of what a browser keeps of a session."""


def routes() -> list[BaseRoute]:
    """Return what is answered at which path, below that of the app."""
    base = get_option("server.baseUrlPath").strip("/")
    paths = editor.path(), cookie.SESSION, recordings.PATH
    editors, session, sound = (f"/{base}/{path}".replace("//", "/") for path in paths)
    return [
        Route(f"{editors}/messages/{{language}}.json", _texts),
        Mount(editors, StaticFiles(directory=editor.FOLDER, follow_symlink=True)),
        Route(session, _keep_session, methods=["POST"]),
        Route(f"{sound}/{{project:int}}/{{signature}}/{{name}}", recordings.answer),
    ]


def middleware() -> list[Middleware]:
    """Return what sees requests before anything else does, the first one first."""
    return [Middleware(OwnNames), Middleware(OwnPictures), Middleware(KnownUploads), Middleware(KnownMessages)]


def _texts(request: Request) -> Response:
    return JSONResponse(messages(request.path_params["language"]))


async def _keep_session(request: Request) -> Response:
    """Let the browser keep a session that there is, where no script of a page can read it; an empty one is forgotten.

    A WebSocket sets no cookies, so the page hands over what Streamlit has told it.
    """
    kept = b""
    async for chunk in request.stream():
        kept += chunk
        if len(kept) > LONGEST:
            return Response(status_code=413)
    token = kept.decode("ascii", "replace")
    if token and not await run_in_threadpool(lambda: accounts.known(frame.store(), token)):
        return Response(status_code=403)
    response = Response(status_code=204)
    response.set_cookie(
        cookie.NAME, token, max_age=accounts.DAYS * 86400 if token else 0, httponly=True, samesite="strict",
        secure=request.headers.get("Origin", "").startswith("https:"),
    )  # fmt: skip
    return response
