"""The protocol of saves, see docs/developers/saving.md: a table of messages to the route, without a browser."""

import json
from contextlib import closing

import pytest
import storing
from desk import message
from starlette.applications import Starlette
from starlette.testclient import TestClient
from storing import fill_up

from annotate import accounts
from annotate.components import cookie, frame
from annotate.server import saves
from annotate.server.hosts import check_host
from annotate.server.routes import routes
from annotate.store import Store
from annotate.worker import queue
from fewshot.corpora.types import Sentence

TAGS, OTHER, GAP = ({"upos": tags} for tags in (["NOUN", "VERB", "X"], ["X", "X", "X"], ["NOUN", "_", "X"]))
HOST = "http://localhost:8501"


class Lab:
    """A server at which ana (an annotator, like ben) and carl (a curator) are signed in, and items of theirs."""

    def __init__(self, store, desk, monkeypatch):
        self.store, self.desk, self.monkeypatch = store, desk, monkeypatch
        self.item, self.bens = desk.draw((0, "pos", "ana"), (1, "pos", "ben"))
        (self.review,) = desk.draw((2, "pos", "ana"), purpose="review")
        for name, role in (("ana", "annotator"), ("ben", "annotator"), ("carl", "curator")):
            store.add_user(name, "hash", role)
        self.tokens = {name: accounts.open_session(store, name) for name in ("ana", "ben", "carl")}
        self.serve(store)

    def serve(self, store):
        self.monkeypatch.setattr(frame, "store", lambda: store)
        self.client = TestClient(check_host(Starlette(routes=routes())), HOST)

    def put(self, who="ana", body=None, headers=None, **changes):
        """Save tags of ana's item as an editor does; return the status and what is answered."""
        event = message(self.store, self.desk.project, self.item, TAGS) | {"seq": 1, "done": False} | changes
        path = "/items/{item}/revisions/{client}/{seq}".format(**event)
        headers = {"Content-Type": "application/json", "Origin": HOST} | (headers or {})
        headers["Cookie"] = f"{cookie.session_name()}={self.tokens.get(who, '')}"
        sent = {name: value for name, value in event.items() if name not in ("item", "client", "seq")}
        answer = self.client.put(path, content=json.dumps(sent) if body is None else body, headers=headers)
        is_json = answer.headers["Content-Type"].startswith("application/json")
        return answer.status_code, answer.json() if is_json else answer.text

    def stored(self):
        return [(one.client, one.seq, one.annotation) for one in storing.history(self.store, self.item.id)]


@pytest.fixture
def lab(store, desk, monkeypatch):
    monkeypatch.setenv(frame.USERS, "1")
    return Lab(store, desk, monkeypatch)


def test_a_save_is_answered_with_its_number_and_revision(lab):
    status, answer = lab.put()
    newest = lab.store.latest(lab.item.id)
    assert status == 200
    assert answer == {"acknowledged": 1, "revision": newest.id, "done": False, "problems": [], "reason": ""}
    assert (newest.annotation, newest.annotator) == (TAGS, "ana")
    assert lab.put(seq=2, done=True)[1]["done"]
    status, answer = lab.put(seq=3, done=True, annotation=GAP)
    assert (status, answer["done"]) == (200, False) and "'al'" in answer["reason"]


def test_a_save_is_answered_with_values_that_another_task_has_set_since_the_page_saw_it(lab):
    (tree,) = lab.desk.draw((0, "dep", "ana"))
    assert "annotation" not in lab.put()[1]
    seen = lab.store.latest(lab.item.id).id
    corrected = {"heads": [0, 1, 1], "deprels": ["root", "obj", "obj"], "upos": [None, "AUX", None]}
    lab.desk.send(tree, corrected | {"misc": ["Gloss=go", None, None]})
    for _ in ("an answer that is lost", "the repeated message"):
        answer = lab.put(seq=2, seen=seen, annotation={"upos": ["X", "VERB", "X"]}, changed={"upos": [0]})[1]
        assert answer["annotation"]["upos"] == ["X", "AUX", "X"] == lab.store.latest(lab.item.id).annotation["upos"]
        assert (answer["annotation"]["words"], answer["example"]["misc"][0]) == (answer["example"]["words"], "Gloss=go")
    assert "annotation" not in lab.put(seq=3, seen=answer["revision"])[1]


SEQUENCES = {
    "in order": ([(1, TAGS), (2, OTHER)], [1, 2], [TAGS, OTHER]),
    "some are lost": ([(3, TAGS), (7, OTHER)], [3, 7], [TAGS, OTHER]),
    "doubled": ([(1, TAGS), (1, TAGS)], [1, 1], [TAGS]),
    "a number twice": ([(1, TAGS), (1, OTHER)], [1, 1], [TAGS]),
    "late": ([(2, TAGS), (1, OTHER)], [2, 2], [TAGS]),
    "reordered": ([(1, TAGS), (3, OTHER), (2, GAP)], [1, 3, 3], [TAGS, OTHER]),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_saves_of_one_page_are_stored_in_the_order_of_their_numbers(lab, name):
    sent, acknowledged, stored = SEQUENCES[name]
    answers = [lab.put(seq=seq, annotation=annotation, seen=0) for seq, annotation in sent]
    assert [(status, answer["acknowledged"]) for status, answer in answers] == [(200, seq) for seq in acknowledged]
    assert [annotation for *_, annotation in lab.stored()] == stored
    assert answers[-1][1]["revision"] == lab.store.latest(lab.item.id).id


def test_a_page_that_has_not_seen_the_newest_version_gets_it_and_stores_nothing(lab):
    lab.put(client="another page", annotation=OTHER, done=True)
    status, answer = lab.put(seen=0)
    assert status == 409 and "another window" in answer["error"]
    newest = answer["newest"]
    assert set(newest) == set(saves.NEWS)
    assert (newest["annotation"]["upos"], newest["done"]) == (OTHER["upos"], True)
    assert newest["revision"] == {"id": lab.store.latest(lab.item.id).id, "client": "another page"}
    assert lab.put(seen=newest["revision"]["id"])[0] == 200


def test_saves_go_on_after_a_restart_of_the_server(lab, url):
    lab.put()
    with closing(Store(url)) as again:
        lab.serve(again)
        assert lab.put(seen=0)[1]["acknowledged"] == 1
        assert lab.put(seq=2, annotation=OTHER)[0] == 200
    assert [seq for _, seq, _ in lab.stored()] == [1, 2]


def sign_out(lab):
    lab.store.end_sessions("ana")


def shut_out(lab):
    lab.store.set_active("ana", False)


def take_out(lab):
    lab.store.set_project_people(lab.desk.project.id, ["ben"])


def delete_project(lab):
    lab.store.delete_project(lab.desk.project.id)


def join(lab):
    lab.store.save(lab.bens.id, "ben", "page", 1, TAGS, False, 1.0, 1)
    with lab.store.writing() as db:
        db.exec_driver_sql(f"UPDATE items SET status = 'joined' WHERE id = {lab.item.id}")


REFUSED = {
    "without a cookie": ({"who": "nobody"}, 401),
    "by another person": ({"who": "ben"}, 403),
    "by a curator of another's item": ({"who": "carl"}, 403),
    "of a review by somebody who is no curator": ({"item": "review"}, 403),
    "of an item that does not exist": ({"item": 999}, 410),
    "of an older project with this id": ({"scope": "1 20200101000000"}, 410),
    "of no project": ({"scope": "x"}, 410),
    "of tags for other words": ({"annotation": {"upos": ["X"]}}, 422),
    "of half a character": ({"annotation": {"upos": ["X", "X", "\ud800"]}}, 422),
    "of a client like a change of many": ({"client": "change 1a"}, 422),
    "of a number out of range": ({"seq": 2**31}, 422),
    "of a number that is none": ({"seq": "x"}, 422),
    "of a number with many digits": ({"seq": "9" * 5000}, 422),
    "without JSON": ({"body": b"{"}, 422),
    "of other bytes": ({"body": b"\xff\xfe\x00"}, 422),
    "of a list": ({"body": b"[]"}, 422),
    "of deep JSON": ({"body": b"[" * 100_000}, 422),
    "without its fields": ({"body": b"{}"}, 422),
    "too large": ({"body": b" " * (saves.MAX_BODY_BYTES + 1)}, 413),
    "of another content type": ({"headers": {"Content-Type": "text/plain"}}, 415),
    "from another site": ({"headers": {"Origin": "http://evil.example"}}, 403),
    "from another port": ({"headers": {"Origin": "http://localhost:8888"}}, 403),
    "from a page without an origin": ({"headers": {"Origin": "null"}}, 403),
    "to another name": ({"headers": {"Host": "evil.example"}}, 403),
    "across sites": ({"headers": {"Sec-Fetch-Site": "cross-site"}}, 403),
    "from a sibling site": ({"headers": {"Sec-Fetch-Site": "same-site"}}, 403),
}


def refusal(lab, **changes):
    """Return the status of a save of which nothing is stored, and whose reason is one short line."""
    status, answer = lab.put(**changes)
    error = answer if isinstance(answer, str) else answer.get("error", "")
    assert error and len(error.splitlines()) == 1 and len(error) < 500, answer
    with lab.store.reading() as db:
        owners = {annotator for (annotator,) in db.exec_driver_sql("SELECT annotator FROM revisions")}
    assert owners <= {"ben"}
    return status


def test_a_save_is_refused_and_nothing_of_it_is_stored(lab):
    found = {}
    for name, (changes, _) in REFUSED.items():
        item = {"item": lab.review.id} if changes.get("item") == "review" else {}
        found[name] = refusal(lab, **changes | item)
    assert found == {name: status for name, (_, status) in REFUSED.items()}


@pytest.mark.parametrize(
    ("before", "status"),
    [(sign_out, 401), (shut_out, 401), (take_out, 403), (delete_project, 410), (join, 410)],
)
def test_a_save_is_refused_after_its_person_project_or_item_is_gone(lab, before, status):
    before(lab)
    assert refusal(lab) == status


def test_an_item_of_another_project_is_refused(lab, new_desk):
    other = new_desk([Sentence("x", "voy", ("voy",))], "pos", name="other")
    (item,) = other.draw((0, "pos", "ana"))
    status, answer = lab.put(item=item.id, annotation={"upos": ["X"]})
    assert status == 422 and "is not of project Japanese" in answer["error"]
    assert other.latest(item) is None


def test_a_database_that_is_full_is_named_and_the_save_arrives_later(lab):
    empty = fill_up(lab.store)
    huge = {"upos": ["NOUN", "VERB", "X"], "misc": ["Note=" + "x" * 100_000, None, None]}
    status, answer = lab.put(annotation=huge)
    empty()
    assert status == 503 and "disk of the database is full" in answer["error"]
    assert lab.put()[0] == 200


def test_without_sign_in_the_user_of_this_machine_saves(lab, monkeypatch):
    monkeypatch.delenv(frame.USERS)
    monkeypatch.setattr(frame, "_local_name", lambda: "ana")
    assert lab.put(who="nobody")[0] == 200
    monkeypatch.setattr(frame, "_local_name", lambda: "somebody else")
    assert lab.put(who="nobody", seq=2)[0] == 403


def test_an_error_is_in_the_language_of_the_browser(lab):
    sign_out(lab)
    assert "Sitzung" in lab.put(headers={"Accept-Language": "de-AT,de;q=0.9"})[1]["error"]


def test_a_save_extends_the_lease_unless_its_window_has_left_and_the_model_learns_from_what_is_done(lab, monkeypatch):
    claimed, learned = [], []
    monkeypatch.setattr(lab.store, "claim", lambda item, annotator: claimed.append((item, annotator)))
    monkeypatch.setattr(queue, "learn", lambda store, project, task: learned.append((project.name, task)))
    lab.put(left=True)
    assert claimed == []
    lab.put(seq=2)
    assert (claimed, learned) == ([(lab.item.id, "ana")], [])
    lab.put(seq=3, done=True)
    assert learned == [("Japanese", "pos")]
