"""Check of the host names by which browsers reach the app, and of the pages that send requests.

A page of another site can point its own name at this machine and then read the app's answers (DNS rebinding). Its
requests still have that name in ``Host``, and ``Origin`` names the page that opens a WebSocket.
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
    "fewshot refuses requests to this host name and from pages of other sites. Open it by its address, such as "
    "http://127.0.0.1:8501; to use another name, start it with fewshot app --name NAME."
)

METRICS = "/_stcore/metrics"
"""Path at which Streamlit publishes statistics; the app answers 404."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""


def check_host(app: ASGIApp) -> ASGIApp:
    """Return middleware that answers 403 to requests which `is_refused`, and 404 to `METRICS`."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "http" and scope["path"].rstrip("/").endswith(METRICS):
            await PlainTextResponse("not found\n", status_code=404)(scope, receive, send)
            return
        acts = kind == "websocket" or scope.get("method") not in SAFE_METHODS
        if kind == "lifespan" or not is_refused(Headers(scope=scope), acts):
            await app(scope, receive, send)
        elif kind == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await PlainTextResponse(REFUSED + "\n", status_code=403)(scope, receive, send)

    return answer


def is_refused(headers: Mapping[str, str], acts: bool) -> bool:
    """Return whether a request is for another host, or acts on behalf of another site's page.

    Requests without ``Host`` or ``Origin`` do not come from a browser's page, and are accepted.

    Args:
        headers: of the request; keys in any case.
        acts: whether it opens a WebSocket or changes something; a page cannot read other sites' answers.
    """
    host, origin = headers.get("Host"), headers.get("Origin")
    foreign = host is not None and not _is_own(host)
    if not acts or origin is None or foreign:
        return foreign
    return _place(origin) != _place(f"//{host}") and origin not in st.get_option("server.corsAllowedOrigins")


def _is_own(host: str) -> bool:
    """Return whether a host is this app's: an IP address, which needs no name server, or a known name.

    If users sign in to a server on a network, any name is accepted: their cookie is sent only to the name they use.
    """
    name = _place(f"//{host}").rpartition(":")[0].strip("[]").rstrip(".")
    listens = st.get_option("server.address") or "0.0.0.0"
    if frame.signed_in() and not _is_loopback(listens):
        return True
    machine = socket.gethostname().lower()
    configured = [*st.get_option("server.allowedHosts"), st.get_option("browser.serverAddress"), listens]
    own = (pattern.strip().lower().rstrip(".") for pattern in configured if pattern)
    patterns = ["localhost", machine, f"{machine}.local", *own]
    return _is_address(name) or any(fnmatchcase(name, pattern) for pattern in patterns)


def _place(url: str) -> str:
    """Return ``host:port`` of a URL in lower case, the port empty if missing; empty for an invalid URL."""
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
