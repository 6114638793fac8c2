import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from annotate.server.messages import ALLOWED, OPERATION, filter_messages

OPERATIONS = ("install_skills", "dismiss_skills_nudge", None)
DROPPED = (
    *(f"{OPERATION}.{name}" for name in OPERATIONS),
    "clear_cache",
    "set_run_on_save",
    "load_git_info",
    "debug_shutdown_runtime",
    "debug_disconnect_websocket",
)


def message(name):
    sent, (name, _, payload) = BackMsg(), name.partition(".")
    if name == OPERATION:
        sent.backend_operation_request.request_id = "1"
        if payload != "None":
            getattr(sent.backend_operation_request, payload).SetInParent()
    elif name in ("rerun_script", "file_urls_request"):
        getattr(sent, name).SetInParent()
    else:
        setattr(sent, name, True)
    return sent.SerializeToString()


def passed_on(*messages, kind="websocket"):
    """Return the messages that the app behind the middleware gets."""
    coming = [{"type": f"{kind}.receive", "bytes": each} for each in messages] + [{"type": f"{kind}.disconnect"}]
    got = []

    async def receive():
        return coming.pop(0)

    async def app(scope, receive, send):
        while (event := await receive())["type"] == f"{kind}.receive":
            got.append(event["bytes"])

    with pytest.raises(StopIteration):  # nothing here waits: one step runs to the end, beside any loop of Playwright
        filter_messages(app)({"type": kind}, receive, None).send(None)
    return got


def test_every_message_of_streamlit_is_let_through_or_dropped_by_name():
    def names(message):
        return {field.name for field in message.fields if field.containing_oneof}

    operations = names(BackMsg.DESCRIPTOR.fields_by_name[OPERATION].message_type) | {None}
    known = names(BackMsg.DESCRIPTOR) - {OPERATION} | {f"{OPERATION}.{name}" for name in operations}
    assert known == {*ALLOWED, *DROPPED}


def test_what_pages_send_is_let_through_and_what_is_no_message_is_left_to_streamlit_to_refuse():
    sent = [*(message(name) for name in sorted(ALLOWED)), b"\xff\xff", None]
    assert passed_on(*sent) == sent


def test_messages_that_no_page_sends_are_dropped_and_the_next_one_arrives():
    for name in DROPPED:
        assert passed_on(message(name), message("rerun_script")) == [message("rerun_script")], name
