"""A client without an account: it asks the app to forget its caches and guesses passwords, in window after window."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

import websockets
from load.client import PATIENCE
from sqlalchemy import create_engine, text
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from annotate.components import cookie

AT_ONCE = 4
"""Windows that are open at the same time."""

REFUSED, THROTTLED = "The name or the password is wrong", "Too many wrong passwords"


@dataclass
class Report:
    """What an attack has seen: the error of each guess, and before each round and at last what the app `held`."""

    guesses: list[str] = field(default_factory=list)
    held: list[tuple[int, int]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def tried(self):
        """Return how many guesses were compared with a password."""
        return sum(error.startswith(REFUSED) for error in self.guesses)


class Page:
    """A window: what it shows of the last run, and the ids of its fields and buttons by their labels."""

    def __init__(self, socket):
        self.socket, self.errors, self.texts, self.ids = socket, [], [], {}

    async def run(self, **values):
        """Draw the page with values of fields, and a press of the button whose value is True."""
        message = BackMsg()
        message.rerun_script.query_string = ""
        for label, value in values.items():
            widget = message.rerun_script.widget_states.widgets.add(id=self.ids[label])
            setattr(widget, "trigger_value" if value is True else "string_value", value)
        self.errors, self.texts = [], []
        await self.socket.send(message.SerializeToString())
        async for frame in self.socket:
            told = ForwardMsg()
            told.ParseFromString(frame)
            kind = told.WhichOneof("type")
            if kind == "delta":
                self._draw(told.delta.new_element)
            elif kind == "script_finished" and told.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def _draw(self, element):
        if element.alert.body and element.alert.format == element.alert.ERROR:
            self.errors.append(element.alert.body)
        self.texts.append(element.markdown.body)
        for widget in (element.text_input, element.button):
            if widget.label:
                self.ids[widget.label] = widget.id


def window(app, token=""):
    """Connect to the app as a browser does that keeps a session, or nothing."""
    stream = f"{app.address.replace('http', 'ws', 1)}/_stcore/stream"
    headers = {"Cookie": f"{cookie.NAME}={token}"}
    return websockets.connect(stream, subprotocols=["streamlit"], additional_headers=headers, max_size=None)


async def shown(app, token):
    async with window(app, token) as socket:
        page = Page(socket)
        await asyncio.wait_for(page.run(), PATIENCE)
        return page.texts


async def guess(app, name, password):
    """Ask to clear all caches and guess a password, in a window of its own; return the error that the page shows."""
    async with asyncio.timeout(PATIENCE), window(app) as socket:
        page = Page(socket)
        await page.run()
        await socket.send(BackMsg(clear_cache=True).SerializeToString())
        await page.run(**{"Name": name, "Password": password, "Sign in": True})
        return " ".join(page.errors)


async def attack(app, name, rounds):
    """Guess somebody's password in some rounds of windows; return the `Report`."""
    report, begun = Report(), time.monotonic()
    for _ in range(rounds):
        report.held.append(held(app))
        words = [f"wrong horse {len(report.guesses) + number}" for number in range(AT_ONCE)]
        report.guesses += await asyncio.gather(*(guess(app, name, word) for word in words))
    report.held.append(held(app))
    report.seconds = time.monotonic() - begun
    return report


def held(app):
    """Return the open descriptors of the app, and its connections to PostgreSQL."""
    return len(list(Path(f"/proc/{app.process.pid}/fd").iterdir())), _connections(app.url)


def _connections(url):
    if url.startswith("sqlite"):
        return 0
    engine = create_engine(url)
    with engine.connect() as db:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        found = db.execute(text(query)).scalar_one()
    engine.dispose()
    return found
