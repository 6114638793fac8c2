"""Send one web request, and turn every failure into an error with advice."""

from __future__ import annotations

import errno
import socket
import ssl
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from fewshot.errors import FewshotError

_CHUNK_BYTES = 1 << 16
_HEADERS = {"User-Agent": "fewshot (https://pypi.org/project/fewshot/)", "Accept-Encoding": "identity"}
_RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
_UNREACHABLE = frozenset({errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})


class DownloadError(FewshotError):
    """A file could not be fetched."""


class NotFoundError(DownloadError):
    """The server has no such file."""


class NoNetworkError(DownloadError):
    """The server cannot be reached."""


class TransientError(DownloadError):
    """A temporary fault that a later attempt may not meet."""


class RangeError(DownloadError):
    """The server does not have the requested part: the file has changed since the download began."""


@dataclass(frozen=True, slots=True)
class Source:
    """A download: URL, destination and settings.

    Args:
        url: http or https address.
        destination: path of the finished file; its folder is created.
        what: name of the file's owner for messages, e.g. ``UD_Japanese-GSD r2.16``.
        timeout: seconds without an answer after which a request fails.
    """

    url: str
    destination: Path
    what: str
    timeout: float

    @property
    def host(self) -> str:
        """The name of the server."""
        return urlsplit(self.url).netloc

    @property
    def by_hand(self) -> str:
        """Advice for a user without this connection."""
        return f"put the file {self.destination.name} into the folder {self.destination.parent}"


def request(source: Source, headers: dict[str, str], method: str = "GET") -> HTTPResponse:
    """Send a request (``GET`` or ``HEAD``) and return the answer; its body has not been read.

    Raises:
        NotFoundError: HTTP 404 and 410.
        RangeError: HTTP 416, when a range was requested.
        NoNetworkError: the name cannot be resolved, or the connection is refused.
        TransientError: no answer in time, a broken connection, or a server fault (5xx).
        DownloadError: any other refusal.
    """
    if not source.url.lower().startswith(("http://", "https://")):
        raise DownloadError(f"{source.what}: {source.url} is not an http or https address")
    try:
        asked = Request(source.url, headers=_HEADERS | headers, method=method)
        response: HTTPResponse = urlopen(asked, timeout=source.timeout)
        return response
    except HTTPError as error:
        with error:
            raise _status_error(source, error.code, str(error.reason), "Range" in headers) from None
    except (OSError, HTTPException) as error:
        reason: Any = error.reason if isinstance(error, URLError) else error
        message = f"{source.what}: cannot reach {source.host} ({_describe(reason)})"
        if _is_unreachable(reason):
            raise NoNetworkError(f"{message}; without a network, {source.by_hand}") from None
        raise TransientError(f"{message}; try again later, or {source.by_hand}") from None
    except ValueError as error:
        raise DownloadError(f"{source.what}: {source.url} is not a web address ({error})") from None


def read_chunk(response: HTTPResponse, source: Source, done: int, total: int | None) -> bytes:
    """Return the next bytes of an answer's body, empty at its end.

    Args:
        done: bytes so far, including earlier attempts, for messages.
        total: all bytes, None when unknown.

    Raises:
        TransientError: when the connection breaks.
    """
    try:
        return response.read(_CHUNK_BYTES)
    except (OSError, HTTPException) as error:
        raise cut_off(source, done, total, _describe(error)) from None


def cut_off(source: Source, done: int, total: int | None, reason: str) -> TransientError:
    """Return the error for an interrupted download."""
    of_total = "" if total is None else f" of {total}"
    return TransientError(
        f"{source.what}: {source.destination.name} was cut off after {done}{of_total} bytes ({reason}); "
        "what arrived is kept: do the same again to continue"
    )


def version(response: HTTPResponse) -> str:
    """Return what identifies this version of the file: a strong ETag, else the date, else an empty string."""
    tag = str(response.headers.get("ETag", ""))
    return tag if tag.startswith('"') else str(response.headers.get("Last-Modified", ""))


def _status_error(source: Source, status: int, reason: str, ranged: bool) -> DownloadError:
    answer = f"HTTP {status} {reason}".strip()
    if status in (404, 410):
        name = source.destination.name
        return NotFoundError(f"{source.what}: {name} was not found at {source.url} ({answer}); check name and release")
    error = TransientError if status in _RETRIED_STATUSES else RangeError if status == 416 and ranged else DownloadError
    return error(f"{source.what}: {source.host} answered {answer} for {source.url}; try later, or {source.by_hand}")


def _is_unreachable(reason: object) -> bool:
    if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError):
        return True
    return isinstance(reason, OSError) and reason.errno in _UNREACHABLE


def _describe(reason: object) -> str:
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__
