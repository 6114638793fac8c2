"""A web server on this machine that misbehaves on request."""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass
class FaultyServer:
    """Serves `files`; each GET consumes one of `faults` ("" is none)."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: deque[str] = field(default_factory=deque)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    bytes_sent: int = 0
    url: str = ""
    pause: threading.Event | None = None
    asked: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ranges(self) -> list[str]:
        return [asked for method, _, asked in self.requests if method == "GET"]


class _Handler(BaseHTTPRequestHandler):
    faulty: FaultyServer

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._note()
        self.send_response(200 if self.path in self.faulty.files else 404)
        self.end_headers()

    def do_GET(self) -> None:
        self._note()
        with self.faulty.lock:
            fault, _, size = (self.faulty.faults.popleft() if self.faulty.faults else "").partition(":")
        if self.faulty.pause:
            self.faulty.asked.set()
            self.faulty.pause.wait(60)
        if fault.isdigit():
            self.send_error(int(fault))
        elif self.path not in self.faulty.files:
            self.send_error(404)
        elif fault == "hang up":
            self.close_connection = True
        else:
            self._file(fault, int(size or 0))

    def _note(self) -> None:
        with self.faulty.lock:
            self.faulty.requests.append((self.command, self.path, self.headers.get("Range", "")))

    def _file(self, fault: str, size: int) -> None:
        whole = self.faulty.files[self.path]
        tag = f'"{hashlib.md5(whole).hexdigest()}"'
        start = self._start(fault, tag)
        if start and start >= len(whole):
            self.send_error(416)
            return
        body = whole[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        if not fault.startswith("no version"):
            self.send_header("ETag", tag)
        self.send_header("Content-Type", "text/html" if fault == "html" else "text/plain")
        if fault != "no length":
            self.send_header("Content-Length", str(len(body) + (size if fault == "promise" else 0)))
        self.end_headers()
        body = body[:size] if fault.endswith("cut") else body
        with self.faulty.lock:  # before the client can have all of it
            self.faulty.bytes_sent += len(body)
        self.wfile.write(body)

    def _start(self, fault: str, tag: str) -> int:
        asked = self.headers.get("Range")
        if not asked or fault == "ignore range":
            return 0
        if fault != "ignore condition" and self.headers.get("If-Range") not in (None, tag):
            return 0
        return int(asked.removeprefix("bytes=").rstrip("-"))


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    faulty = FaultyServer()
    handler = type("Handler", (_Handler,), {"faulty": faulty})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    faulty.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield faulty
    http.shutdown()
    http.server_close()
    thread.join()
