"""A window without a browser: it saves over HTTP as ``saves.js`` does, and goes on as the annotate page does."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

from waiting import wait_until

from annotate.components import cookie
from annotate.editing import session

PATIENCE = 200.0
"""Seconds after which a request fails."""

TEMPORARY = (0, 401, 500, 503)
"""Statuses after which the editor sends a revision again; 0: no answer."""


def together(work, arguments):
    """Call `work` with each argument in a thread of its own; return the results."""
    with ThreadPoolExecutor(len(arguments)) as threads:
        return list(threads.map(work, arguments))


class Window:
    """An annotator's open window.

    Args:
        app: the running app.
        store: its database.
        project: on which the annotator works.
        name: of the annotator.
        token: what the browser keeps of whoever signed in; see `annotate.accounts.open_session`.

    Attributes:
        opened: the shown item, see `session.open_item`; None if nothing is left.
        seen: id of the newest revision of the item that the window knows.
    """

    def __init__(self, app, store, project, name, token):
        self.app, self.store, self.project, self.name, self.token = app, store, project, name, token
        self.client = secrets.token_hex(8)
        self.show(session.start(store, project, project.tasks[0], name))

    def show(self, item):
        self.opened = item and session.open_item(self.store, self.project, item)
        self.seen = self.opened.revision.id if item and self.opened.revision else 0

    @property
    def item(self):
        return self.opened.item

    @property
    def words(self):
        return len(self.opened.example.words)

    def next(self):
        """Go on to the next item."""
        item = self.store.item(self.item.id)
        self.show(session.go(self.store, self.project, item, "next"))

    def request(self, annotation, seq, done=False, **changes):
        """Return path and body of a save."""
        body = {"scope": self.project.scope, "seen": self.seen, "annotation": annotation, "done": done}
        body |= {"edits": seq, "seconds": 1.0} | changes
        return f"/items/{self.item.id}/revisions/{self.client}/{seq}", json.dumps(body)

    def begin(self, annotation, seq, **changes):
        """Send a save; return the connection on which the answer comes."""
        connection = HTTPConnection("127.0.0.1", self.app.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json", "Origin": self.app.address}
        headers["Cookie"] = f"{cookie.session_name(self.app.port)}={self.token}"
        path, body = self.request(annotation, seq, **changes)
        connection.request("PUT", path, body, headers)
        return connection

    def put(self, annotation, seq, **changes):
        """Send a save once; return status and answer, 0 and nothing where none comes."""
        with suppress(OSError, HTTPException), closing(self.begin(annotation, seq, **changes)) as connection:
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        return 0, {}

    def save(self, annotation, seq, **changes):
        """Send a save until it is stored, over the newest version where another window has saved; return the answer."""
        while True:
            status, answer = wait_until(lambda: self._final(annotation, seq, changes))
            if status != 409:
                assert status == 200, answer
                self.seen = answer["revision"]
                return answer
            self.seen = answer["newest"]["revision"]["id"]

    def _final(self, annotation, seq, changes):
        status, answer = self.put(annotation, seq, **changes)
        return None if status in TEMPORARY else (status, answer)
