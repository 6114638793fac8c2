"""A server of a language model that does what a test says."""

import json
import threading
from collections import namedtuple
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fewshot.llm.forms import form_of

AGAIN = "This cannot be used"
"""What the turn begins with that asks a second time."""


Hang = namedtuple("Hang", "seconds")
"""Instead of a response: nothing, for some seconds."""

Cut = namedtuple("Cut", "data")
"""Instead of a response: some bytes of one that promises more, then the end of the connection."""


class Scripted:
    """Answers each request with what a function makes of it, and keeps all requests.

    The function takes the request and the number of requests before it; it returns the body of a response (a mapping,
    or bytes), a tuple of status, headers and body, or one of the classes above.
    """

    def __init__(self, script):
        self.script, self.requests, self.headers = script, [], []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                scripted.headers.append((self.path, dict(self.headers)))
                scripted.requests.append(request)
                scripted.respond(self, scripted.script(request, len(scripted.requests) - 1))

            def do_GET(self):
                self.send_error(404)  # as servers may that list no models

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.over = threading.Event()

    def respond(self, handler, response):
        if isinstance(response, Hang):
            self.over.wait(response.seconds)
            handler.close_connection = True
            return
        if isinstance(response, Cut):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(response.data) + 100))
            handler.end_headers()
            handler.wfile.write(response.data)
            handler.close_connection = True
            return
        status, headers, body = response if isinstance(response, tuple) else (200, {}, response)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {**headers, "Content-Length": len(data)}.items():
            handler.send_header(name, str(value))
        handler.end_headers()
        with suppress(OSError):  # the client had enough
            handler.wfile.write(data)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@contextmanager
def serving(script):
    """Serve for a while, and yield the server."""
    scripted = Scripted(script)
    thread = threading.Thread(target=scripted.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.over.set()
        scripted.server.shutdown()
        scripted.server.server_close()


def response(text, read=100, written=10, **more):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return {"model": "tiny-2026", "system_fingerprint": "fp1", "choices": [choice], "usage": usage, **more}


def asked(request):
    """The question of a request: what the last turn says that is no complaint about an answer."""
    turns = [turn["content"] for turn in request["messages"] if turn["role"] == "user"]
    return next(turn for turn in reversed(turns) if not turn.startswith(AGAIN))


def gold(task, examples):
    """From the questions of examples to their gold answers, as objects."""
    form = form_of(task)
    return {form.question(example): form.answer(example) for example in examples}


def from_gold(task, examples):
    answers = gold(task, examples)
    return lambda request, _: response(json.dumps(answers[asked(request)]))
