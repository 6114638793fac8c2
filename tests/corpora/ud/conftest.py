"""A web server on this machine that misbehaves on request."""

import hashlib
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class FaultyServer:
    """Serves `files`; each GET consumes one of `faults` ("" is none)."""

    def __init__(self):
        self.files, self.faults, self.requests, self.bytes_sent, self.pause = {}, deque(), [], 0, None
        self.asked, self.lock = threading.Event(), threading.Lock()
        handler = type("Handler", (_Handler,), {"faulty": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    @property
    def ranges(self):
        return [asked for method, _, asked in self.requests if method == "GET"]


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._note()
        self.send_response(200 if self.path in self.faulty.files else 404)
        self.end_headers()

    def do_GET(self):
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

    def _note(self):
        with self.faulty.lock:
            self.faulty.requests.append((self.command, self.path, self.headers.get("Range", "")))

    def _file(self, fault, size):
        whole = self.faulty.files[self.path]
        tag = f'"{hashlib.md5(whole).hexdigest()}"'
        start = self._start(fault, tag)
        if start and start >= len(whole):
            self.send_error(416)
            return
        body = whole[start:]
        self.send_response(206 if start else 200)
        headers = {"Content-Range": f"bytes {start}-{len(whole) - 1}/{len(whole)}"} if start else {}
        headers |= {} if fault.startswith("no version") else {"ETag": tag}
        headers |= {"Content-Type": "text/html" if fault == "html" else "text/plain"}
        if fault != "no length":
            headers["Content-Length"] = str(len(body) + (size if fault == "promise" else 0))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        body = body[:size] if fault.endswith("cut") else body
        with self.faulty.lock:  # before the client can have all of it
            self.faulty.bytes_sent += len(body)
        self.wfile.write(body)

    def _start(self, fault, tag):
        asked = self.headers.get("Range")
        if not asked or fault == "ignore range":
            return 0
        if fault != "ignore condition" and self.headers.get("If-Range") not in (None, tag):
            return 0
        return int(asked.removeprefix("bytes=").rstrip("-"))


@pytest.fixture
def server():
    faulty = FaultyServer()
    thread = threading.Thread(target=faulty.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield faulty
    faulty.http.shutdown()
    faulty.http.server_close()
    thread.join()
