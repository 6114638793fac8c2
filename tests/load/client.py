"""A browser window without a browser: it speaks Streamlit's protocol and saves as ``runtime.js`` does."""

import asyncio
import contextlib
import json
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import websockets
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from waiting import wait_until

from annotate.components import cookie

RESEND = 2.5
"""Seconds after which the editor sends again what is not acknowledged; see ``runtime.js``."""

PATIENCE = 200.0
"""Seconds after which a test fails that waits for the server."""

EDITOR = "fewshot.editor"


def run(work):
    """Run a coroutine in a thread of its own: browser tests leave an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(asyncio.wait_for(work, 4 * PATIENCE))).result()


class Window:
    """An annotator's open page.

    Args:
        address: of the server, ``http://127.0.0.1:8501``.
        project: id of the project.
        token: what the browser keeps of whoever signed in; see `annotate.accounts.open_session`.
        item: id of the item that the link names.
        page: which page, by its address.
        resend: seconds after which an event is sent again that was not acknowledged.

    Attributes:
        data: what the editor was told last, see `annotate.editing.view`; None while no item is shown.
        errors: texts of the error boxes that the page showed, newest last.
        runs: how often the server has drawn the page to the end.
        sent: how many events were sent.
        received: bytes that the server has sent.
    """

    def __init__(self, address, project, token, item="", page="annotate", resend=RESEND):
        self.address, self.stream = address, f"{address.replace('http', 'ws', 1)}/_stcore/stream"
        self.query = f"project={project}&item={item}"
        self.headers = {"Cookie": f"{cookie.NAME}={token}"}
        self.client, self.resend = secrets.token_hex(8), resend
        self.socket = self.reader = self.data = self.trigger = None
        self.name = page
        self.fragment = self.page = ""
        self.errors = []
        self.news = asyncio.Condition()
        self.runs = self.received = self.sent = 0

    async def __aenter__(self):
        await self.open()
        return self

    async def __aexit__(self, *raised):
        await self.close()

    async def open(self):
        """Connect, and wait until the page is drawn; again where the server goes away meanwhile."""
        runs = self.runs
        while self.runs == runs:
            await asyncio.to_thread(wait_until, self.is_listened_to)
            with contextlib.suppress(OSError, websockets.WebSocketException):
                self.socket = await websockets.connect(
                    self.stream, subprotocols=["streamlit"], additional_headers=self.headers, max_size=None
                )
                self.reader = asyncio.create_task(self._read(self.socket))
                self.fragment, self.page, self.data = "", "", None
                await self._run()
                await self.until(lambda: self.runs > runs or self.reader.done())

    def is_listened_to(self):
        place = urlsplit(self.address)
        with contextlib.suppress(OSError), socket.create_connection((place.hostname, place.port), PATIENCE):
            return True
        return False

    async def close(self):
        if self.reader:
            self.reader.cancel()
            await self.socket.close()

    async def until(self, condition, seconds=PATIENCE):
        """Wait until what the server has sent, or was sent, makes the condition true; TimeoutError after some time."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(condition), seconds)

    def event(self, annotation, seq, **changes):
        """Return what the editor sends to save an annotation of the shown item."""
        event = {"item": self.data["item"], "client": self.client, "seq": seq, "annotation": annotation, "done": False}
        return event | {"edits": seq, "seconds": 1.0, "go": None, "seen": self.seen} | changes

    async def save(self, annotation, seq, done=False):
        """Send an annotation again and again until it is acknowledged."""
        item = self.data["item"]
        event = self.event(annotation, seq, done=done)
        while not self.is_saved(item, seq):
            await self._deliver(event | {"seen": self.seen}, lambda: self.is_saved(item, seq))

    async def next(self, annotation, seq):
        """Ask for the next item as the editor does once all is acknowledged."""
        item, event = self.data["item"], self.event(annotation, seq, done=True, go="next")
        while self.data and self.data["item"] == item:
            await self._deliver(event, lambda: self.data and self.data["item"] != item)

    @property
    def seen(self):
        """Id of the newest revision of the item that the page was told of."""
        return self.data["revision"]["id"] if self.data and self.data["revision"] else 0

    def is_saved(self, item, seq):
        """Return whether the server has acknowledged a sequence number of an item."""
        return self.data is not None and self.data["item"] == item and self.data["acks"].get(self.client, 0) >= seq

    async def send(self, event):
        await self._run((self.trigger, json.dumps([{"event": "save", "value": event}])))
        async with self.news:
            self.sent += 1
            self.news.notify_all()

    async def answered(self, event):
        runs = self.runs
        await self.send(event)
        await self.until(lambda: self.runs > runs or self.reader.done())

    async def _deliver(self, event, has_arrived):
        try:
            await self.send(event)
            await self.until(lambda: has_arrived() or self.reader.done(), self.resend)
        except TimeoutError:
            pass
        except websockets.ConnectionClosed:
            await self.reader  # ends once all that had arrived is read; asking again and again would keep it from that
        if self.reader.done():
            await self.open()

    async def _run(self, trigger=None):
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id, state.page_script_hash = self.query, self.fragment, self.page
        state.page_name = "" if self.page else self.name
        if trigger:
            widget = state.widget_states.widgets.add()
            widget.id, widget.json_trigger_value = trigger
        await self.socket.send(message.SerializeToString())

    async def _read(self, socket):
        with contextlib.suppress(websockets.ConnectionClosed):
            async for frame in socket:
                self.received += len(frame)
                message = ForwardMsg()
                message.ParseFromString(frame)
                async with self.news:
                    self._take(message)
                    self.news.notify_all()
        async with self.news:
            self.news.notify_all()

    def _take(self, message):
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._draw(message.delta)
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.runs += 1  # one that is drawn anew at once is not over: what is sent meanwhile is lost

    def _draw(self, delta):
        element = delta.new_element
        if element.alert.format == element.alert.ERROR:
            self.errors.append(element.alert.body)
        if element.bidi_component.component_name == EDITOR:
            self.data, self.fragment = json.loads(element.bidi_component.json), delta.fragment_id
            self.trigger = _make_trigger_id(element.bidi_component.id, "events")
