"""By which names browsers may reach the app, and from which pages.

A page of another site can let its own name resolve to this machine and then read all that the app answers (DNS
rebinding). Its requests still carry that name in ``Host``, and ``Origin`` says which page opens a WebSocket.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from annotate.components import frame

REFUSED = (
    "fewshot does not answer to this name, or to a page of another site. Open it by its address, such as "
    "http://127.0.0.1:8501; for another name start it with fewshot app --name NAME."
)

METRICS = "/_stcore/metrics"
"""Where Streamlit tells everybody how many windows are open, and more; the app tells nobody."""

READING = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""


class OwnNames:
    """Refuses requests that `refused` refuses, before anything of the app sees them, and those for `METRICS`.

    Args:
        app: what answers all others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        kind = scope["type"]
        if kind == "http" and scope["path"].rstrip("/").endswith(METRICS):
            await PlainTextResponse("not found\n", status_code=404)(scope, receive, send)
            return
        acts = kind == "websocket" or scope.get("method") not in READING
        if kind == "lifespan" or not refused(Headers(scope=scope), acts):
            await self.app(scope, receive, send)
        elif kind == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await PlainTextResponse(REFUSED + "\n", status_code=403)(scope, receive, send)


def refused(headers: Mapping[str, str], acts: bool) -> bool:
    """Return whether a request names another host than this app, or acts in the name of another site's page.

    What names no host, or no page, comes from no browser.

    Args:
        headers: of the request; its keys in any case.
        acts: whether it opens a WebSocket or changes something; a page cannot read what another site answers it.
    """
    host, origin = headers.get("Host"), headers.get("Origin")
    foreign = host is not None and not _is_own(host)
    if not acts or origin is None or foreign:
        return foreign
    return _place(origin) != _place(f"//{host}") and origin not in st.get_option("server.corsAllowedOrigins")


def _is_own(host: str) -> bool:
    """Return whether a host is this app's: an address, which no name server can give away, or a name that it goes by.

    Where people sign in to a server of a network any name is: their cookie is sent to none but the one they know.
    """
    name = _place(f"//{host}").rpartition(":")[0].strip("[]").rstrip(".")
    listens = st.get_option("server.address") or "0.0.0.0"
    if frame.signed_in() and not _is_loopback(listens):
        return True
    machine = socket.gethostname().lower()
    given = [*st.get_option("server.allowedHosts"), st.get_option("browser.serverAddress"), listens]
    names = ["localhost", machine, f"{machine}.local", *(each.strip().lower().rstrip(".") for each in given if each)]
    return _is_address(name) or any(fnmatchcase(name, pattern) for pattern in names)


def _place(url: str) -> str:
    """Return host and port of a URL in lower case, empty where it has none; a port that is left out stays so."""
    try:
        parts = urlsplit(url)
        return f"{(parts.hostname or '').lower()}:{parts.port or ''}" if parts.username is None else ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _is_loopback(name: str) -> bool:
    return name == "localhost" or (_is_address(name) and ip_address(name).is_loopback)
