"""Saves: editors put their annotations here, by the protocol of ``docs/developers/saving.md``."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from annotate import language
from annotate.components import cookie, frame
from annotate.editing import messages, saving, session, view
from annotate.editing.state import state
from annotate.language import _
from annotate.store import REVIEW, SHOTS, ConflictError, GoneError, Item, Project, StoreError, UnavailableError
from annotate.worker import queue
from fewshot.errors import FewshotError

PATH = "items/{item}/revisions/{client}/{seq}"
"""Path of a page's revision of an item."""

MAX_BODY_BYTES = messages.MAX_ANNOTATION_CHARACTERS + 10_000


class SignedOutError(FewshotError):
    """A save without a session."""


STATUSES = {
    SignedOutError: 401,
    saving.NotAllowedError: 403,
    ConflictError: 409,
    GoneError: 410,
    UnavailableError: 503,
    FewshotError: 422,
}
"""HTTP status by error; the first class that fits counts."""

NEWS = ("annotation", "done", "acks", "revision", "problems", "example", "following")
"""What a conflict tells of the newest version, see `view.view`."""


async def answer(request: Request) -> Response:
    """Store an annotation; answer with its number and revision, or why it was not stored."""
    locale = request.headers.get("Accept-Language")
    language.OUTSIDE.set(language.preferred(request.cookies.get(language.COOKIE), locale))
    status, body = _status_of_headers(request), b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                status = 413
                break
    except ClientDisconnect:
        status = 400
    if status:
        return JSONResponse({"error": _("this save was refused; reload the page")}, status)
    return await run_in_threadpool(_save, request.cookies.get(cookie.session_name(), ""), request.path_params, body)


def _status_of_headers(request: Request) -> int:
    """Return the status for a request that no page of the app sends, else 0.

    `check_host` has compared host and origin.
    """
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return 403
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return 0 if kind == "application/json" else 415


def _save(token: str, path: dict[str, str], body: bytes) -> Response:
    store, item, project = frame.store(), None, None
    try:
        person = frame.known_as(token)
        if person is None:
            raise SignedOutError(_("your session has ended; sign in again in another window, and this is saved"))
        event = messages.check_save(_event(path, body))
        project = saving.project_of(store, event["scope"])
        frame.require_member(project, person)
        item = saving.own_item(store, project, person.name, event["item"])
        if item.purpose == REVIEW and person.role not in frame.CURATORS:
            raise saving.NotAllowedError(_("only curators decide between annotators"))
        saved = saving.receive(store, project, item, event)
        values = view.values(project, state(store, project, item)) if saved.is_outdated else {}
    except FewshotError as error:
        return _refused(error, project, item)
    newest = {"acknowledged": saved.newest.seq, "revision": saved.newest.revision}
    content = {**newest, "done": saved.done, "problems": view.warnings(saved.problems), "reason": saved.reason} | values
    learns = saved.done and item.purpose == SHOTS
    return JSONResponse(content, background=BackgroundTask(_learn, project, item.task) if learns else None)


def _event(path: dict[str, str], body: bytes) -> Any:
    """Return the message of a request; FewshotError if the body is no JSON object."""
    try:
        event = json.loads(body)
        numbers = {name: int(path[name]) for name in ("item", "seq")}
    except (ValueError, RecursionError):
        raise FewshotError(messages.INVALID_MESSAGE.format("no JSON")) from None
    return {**event, **numbers, "client": path["client"]} if isinstance(event, dict) else event


def _refused(error: FewshotError, project: Project | None, item: Item | None) -> Response:
    content: dict[str, Any] = {"error": str(error)}
    if isinstance(error, ConflictError) and project and item:
        newest = view.view(project, session.open_item(frame.store(), project, frame.store().item(item.id)))
        content["newest"] = {name: newest[name] for name in NEWS}
    return JSONResponse(content, next(status for kind, status in STATUSES.items() if isinstance(error, kind)))


def _learn(project: Project, task: str) -> None:
    """Let the model learn from a finished item; if that fails, the next one asks again."""
    with suppress(StoreError, OSError, NotImplementedError):
        queue.learn(frame.store(), project, task)
