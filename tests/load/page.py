"""A page without a browser: a websocket of Streamlit's protocol over which it is drawn, with values of its fields."""

import json

from load.client import PATIENCE
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from annotate.components import cookie


def window(app, token=""):
    """Connect to the app as a browser does that keeps a session, or nothing."""
    stream = f"{app.address.replace('http', 'ws', 1)}/_stcore/stream"
    headers = {"Cookie": f"{cookie.session_name(app.port)}={token}"}
    return connect(stream, subprotocols=["streamlit"], additional_headers=headers, max_size=None)


def drawn(app, token="", **address):
    """Return a page that was drawn once, in a window of its own; see `Page`."""
    with window(app, token) as socket:
        page = Page(socket, **address)
        page.run()
        return page


class Page:
    """A page: what it showed in the last run, and the ids of its fields and buttons by their labels.

    Args:
        name: which page, by its address.
        query: of the address.

    Attributes:
        data: what the editor was told, see `annotate.editing.view`; None without an editor.
        received: bytes that the server has sent.
    """

    def __init__(self, socket, name="", query=""):
        self.socket, self.name, self.query = socket, name, query
        self.ids, self.received = {}, 0
        self.errors, self.texts, self.data = [], [], None

    def run(self, **values):
        """Draw the page with values of fields, and a press of the button whose value is True."""
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = self.query, self.name
        for label, value in values.items():
            widget = message.rerun_script.widget_states.widgets.add(id=self.ids[label])
            setattr(widget, "trigger_value" if value is True else "string_value", value)
        self.errors, self.texts, self.data = [], [], None
        self.socket.send(message.SerializeToString())
        while not self._is_last(self.socket.recv(PATIENCE)):
            pass

    def _is_last(self, frame):
        self.received += len(frame)
        told = ForwardMsg.FromString(frame)
        kind = told.WhichOneof("type")
        if kind == "delta":
            self._draw(told.delta.new_element)
        return kind == "script_finished" and told.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _draw(self, element):
        if element.alert.body and element.alert.format == element.alert.ERROR:
            self.errors.append(element.alert.body)
        self.texts.append(element.markdown.body)
        if element.bidi_component.component_name == "fewshot.editor":
            self.data = json.loads(element.bidi_component.json)
        for widget in (element.text_input, element.button):
            if widget.label:
                self.ids[widget.label] = widget.id
