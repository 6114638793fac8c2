"""Recordings for browsers: by a signed address, valid for a day, that pages give to members.

A browser asks for the stretch that it plays alone, so that an hour of sound is no matter. An address is signed with a
key of this process, so that nobody can make up another, and answered to those who are in the project now.
"""

from __future__ import annotations

import hmac
import secrets
import time
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from annotate.components import cookie, frame
from annotate.editing import saving, session
from annotate.exchange import recordings
from annotate.store import Project
from fewshot.corpora.recordings import join_recordings
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

PATH = "recordings"
"""Path of the route; project, signature and name follow it."""

KEY = secrets.token_bytes(32)
DAY = 86400
HEADERS = {
    "Cache-Control": "private, max-age=3600",
    "Cross-Origin-Resource-Policy": "same-origin",  # no page of another site may play it
    "X-Content-Type-Options": "nosniff",
}


def heard(project: Project, opened: session.OpenItem) -> dict[str, Any] | None:
    """Return what an editor is told of where its sentence is heard; None where its recording is not here.

    Returns:
        ``name`` and ``url`` of the recording, ``begin`` and ``end`` in seconds; the last is None where that is its end.
    """
    example = opened.example
    if not isinstance(example, Sentence):
        return None
    joined = int((opened.annotation or {}).get("joined", 0))
    known = join_recordings(each.recording for each in (example, *example.following[:joined]))
    kept = recordings.kept(frame.store(), project) if known else {}
    name = recordings.find(kept, known.file) if known else None
    if known is None or name is None:
        return None
    url = f"{PATH}/{project.id}/{_signature(project, name, _today())}/{quote(name, safe='')}"
    return {"name": name, "url": url, "begin": known.begin, "end": known.end}


def answer(request: Request) -> Response:
    """Return a recording, or the requested part of it."""
    asked = request.path_params
    if len(str(asked["project"])) >= saving.MAX_DIGITS:
        return _nothing()
    try:
        project = frame.store().project(asked["project"])
        path = recordings.kept(frame.store(), project).get(asked["name"])
    except FewshotError:
        return _nothing()
    person = frame.known_as(request.cookies.get(cookie.session_name(), ""))
    if person is None or not frame.belongs(person, project):
        return _nothing()
    if path is None or not _is_signed(project, path.name, asked["signature"]):
        return _nothing()
    return FileResponse(path, media_type=recordings.KINDS[Path(path).suffix.lower()][0], headers=HEADERS)


def _nothing() -> Response:
    return PlainTextResponse("no such recording, or the page is of yesterday: open it again\n", status_code=404)


def _is_signed(project: Project, name: str, signature: str) -> bool:
    days = (_today(), _today() - 1)
    return any(hmac.compare_digest(_signature(project, name, day).encode(), signature.encode()) for day in days)


def _signature(project: Project, name: str, day: int) -> str:
    claim = f"{day} {project.id} {project.created.isoformat()} {name}"
    return hmac.new(KEY, claim.encode(), sha256).hexdigest()


def _today() -> int:
    return int(time.time() // DAY)
