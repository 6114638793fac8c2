"""What counts as a failure of an app that tests have run."""

import pytest
from serving import App

LEFT = """Exception in ASGI application
Traceback (most recent call last):
  File "/site-packages/streamlit/web/server/starlette/starlette_websocket.py", line 516, in _websocket_endpoint
    data = await websocket.receive_bytes()
starlette.websockets.WebSocketDisconnected: WebSocket is not connected. Need to call "accept" first.

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/annotate/server/hosts.py", line 47, in __call__
    await self.app(scope, receive, send)
starlette.websockets.WebSocketDisconnected: Cannot call "send" once a close message has been sent.
"""
OURS = 'Exception in ASGI application\nTraceback (most recent call last):\n  File "hosts.py"\nKeyError: 1\n'


@pytest.mark.parametrize(
    ("log", "failed"),
    [("URL: http://127.0.0.1\n", False), (LEFT, False), (LEFT + LEFT, False), (OURS + LEFT, True), (LEFT + OURS, True)],
)
def test_a_browser_that_leaves_while_it_is_connected_is_no_failure(tmp_path, log, failed):
    (tmp_path / "app.log").write_text(log)
    assert App(tmp_path).has_failed() == failed
