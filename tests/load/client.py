"""A browser window without a browser: it speaks Streamlit's protocol and saves as ``runtime.js`` does."""

import asyncio
import contextlib
import json
import secrets
import time

import websockets
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from annotate.components import cookie

RESEND = 2.5
"""Seconds after which the editor sends again what is not acknowledged; see ``runtime.js``."""

EDITOR = "fewshot.editor"


class Window:
    """An annotator's open page.

    Args:
        address: of the server, ``http://127.0.0.1:8501``.
        project: id of the project.
        token: what the browser keeps of whoever signed in; see `annotate.accounts.open_session`.
        item: id of the item that the link names.
        page: which page, by its address.

    Attributes:
        data: what the editor was told last, see `annotate.editing.view`; None while no item is shown.
        errors: texts of the error boxes that the page showed, newest last.
        received: bytes that the server has sent.
    """

    def __init__(self, address, project, token, item="", page="annotate"):
        self.stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
        self.query = f"project={project}&item={item}"
        self.headers = {"Cookie": f"{cookie.NAME}={token}"}
        self.client = secrets.token_hex(8)
        self.socket = self.reader = self.data = self.trigger = None
        self.name = page
        self.fragment = self.page = ""
        self.errors = []
        self.news = asyncio.Condition()
        self.runs = self.received = 0

    async def open(self, patience=60.0):
        """Connect, and wait until the page is drawn; again where the server goes away meanwhile."""
        ends, runs = time.perf_counter() + patience, self.runs
        while self.runs == runs:
            if time.perf_counter() > ends:
                raise TimeoutError(f"{self.name} is not drawn")
            try:
                self.socket = await websockets.connect(
                    self.stream, subprotocols=["streamlit"], additional_headers=self.headers, max_size=None
                )
                self.reader = asyncio.create_task(self._read(self.socket))
                self.fragment, self.page, self.data = "", "", None
                await self._run()
                await self.until(lambda: self.runs > runs or self.reader.done(), patience)
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(0.2)

    async def close(self):
        if self.reader:
            self.reader.cancel()
            await self.socket.close()

    async def until(self, condition, seconds):
        """Wait until the server has sent what makes the condition true; TimeoutError after some seconds."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(condition), seconds)

    async def save(self, annotation, seq, done=False, go=None, patience=60.0):
        """Send an annotation again and again until it is acknowledged; return the seconds that this took."""
        item, started = self.data["item"], time.perf_counter()
        event = {"item": item, "client": self.client, "seq": seq, "annotation": annotation, "done": done}
        event |= {"edits": seq, "seconds": 1.0, "go": go}
        while not self.is_saved(item, seq):
            if time.perf_counter() - started > patience:
                raise TimeoutError(f"save {seq} of item {item} is not acknowledged")
            await self._deliver(event | {"seen": self.seen}, lambda: self.is_saved(item, seq))
        return time.perf_counter() - started

    async def next(self, annotation, seq):
        """Ask for the next item as the editor does once all is acknowledged; return the seconds that this took."""
        item, started = self.data["item"], time.perf_counter()
        event = {"item": item, "client": self.client, "seq": seq, "annotation": annotation, "done": True}
        event["seen"] = self.seen
        while self.data and self.data["item"] == item:
            await self._deliver(
                event | {"edits": seq, "seconds": 1.0, "go": "next"}, lambda: self.data and self.data["item"] != item
            )
        return time.perf_counter() - started

    @property
    def seen(self):
        """Id of the newest revision of the item that the page was told of."""
        return self.data["revision"]["id"] if self.data and self.data["revision"] else 0

    def is_saved(self, item, seq):
        """Whether the server has acknowledged a sequence number of an item."""
        return self.data is not None and self.data["item"] == item and self.data["acks"].get(self.client, 0) >= seq

    async def send(self, event):
        """Send an event of the editor once."""
        await self._run((self.trigger, json.dumps([{"event": "save", "value": event}])))

    async def _deliver(self, event, arrived):
        try:
            await self.send(event)
            await self.until(lambda: arrived() or self.reader.done(), RESEND)
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
                await self._take(message)
        async with self.news:
            self.news.notify_all()

    def _draw(self, delta):
        element = delta.new_element
        if element.alert.format == element.alert.ERROR:
            self.errors.append(element.alert.body)
        if element.bidi_component.component_name == EDITOR:
            self.data, self.fragment = json.loads(element.bidi_component.json), delta.fragment_id
            self.trigger = _make_trigger_id(element.bidi_component.id, "events")

    async def _take(self, message):
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._draw(message.delta)
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self.runs += 1
        else:
            return
        async with self.news:
            self.news.notify_all()
