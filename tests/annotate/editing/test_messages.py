"""What a hostile annotator can send as an editor: refused in one line, and nothing of it is stored."""

from datetime import timedelta
from math import inf, nan
from time import perf_counter

import pytest
from storing import made_items, made_project

from annotate.editing import content, session
from annotate.store import NewItem
from fewshot.corpora.types import Article, Paragraph, Question, Sentence
from fewshot.errors import FewshotError

TAGS = {"upos": ["NOUN", "VERB", "X"]}
SAVE = {"client": "page", "seq": 1, "seen": 0, "annotation": TAGS, "done": False, "edits": 1, "seconds": 1.0}
SAVE |= {"suggestion": None}
SENTENCE = Sentence("x", "voy", ("voy",))
HUGE = "x" * 2_000_000
MARKUP = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![x](http://evil.example/x.png)", "$x$ **b**"]


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


ANYTHING = [None, True, -1, 1.5, nan, inf, 2**31, 10**400, "", "1", "<b>", "\ud800", "a\0", HUGE, [], [[]], {}]
ANYTHING.append({"a": 1})


@pytest.fixture
def rows(store):
    """Returns what is stored."""

    def rows():
        with store.reading() as db:
            kept = {}
            for table in ("revisions", "comments", "suggestions"):
                kept[table] = db.exec_driver_sql(f"SELECT * FROM {table}").fetchall()
            kept["items"] = db.exec_driver_sql("SELECT id, status, flagged FROM items").fetchall()
            return kept

    return rows


@pytest.fixture
def item(store, project, ids):
    return made_items(store, project, [(ids[0], "pos", "ana"), (ids[1], "pos", "ben")])[0]


def refused(store, project, event, annotator="ana"):
    with pytest.raises(FewshotError) as error:
        session.receive(store, project, annotator, event)
    text = str(error.value)
    assert len(text.splitlines()) == 1
    assert len(text) < 500
    return text


@pytest.mark.parametrize("event", [*ANYTHING, {"item": 1}, {"seq": 0}], ids=lambda value: repr(value)[:20])
def test_what_is_no_message_is_refused(store, project, item, rows, event):
    before = rows()
    refused(store, project, event)
    assert rows() == before


@pytest.mark.parametrize("field", ["item", *SAVE, "go"])
@pytest.mark.parametrize("value", ANYTHING, ids=lambda value: repr(value)[:20])
def test_a_field_that_holds_anything_is_refused_or_harmless(store, project, item, rows, field, value):
    before = rows()
    allowed = {
        "suggestion": [None], "go": [None], "client": ["1", "<b>"], "done": [True], "seconds": [1.5],
    }.get(field, [])  # fmt: skip
    event = {"item": item.id, **SAVE, field: value}
    if any(value is one for one in allowed) or (field == "annotation" and value == {}):
        session.receive(store, project, "ana", event)
    elif field == "annotation" and value == {"a": 1}:
        session.receive(store, project, "ana", event)
        assert store.latest(item.id).annotation == {}
    else:
        refused(store, project, event)
        assert rows() == before


@pytest.mark.parametrize("client", ["change 1a2b3c4d UPOS X", "undone change 1a2b3c4d UPOS X"])
def test_no_page_is_called_as_a_change_of_many_annotations(store, project, item, rows, client):
    before = rows()
    assert "'client' is no name" in refused(store, project, {"item": item.id, **SAVE, "client": client})
    assert rows() == before


@pytest.mark.parametrize("left_out", ["item", *(name for name in SAVE if name != "suggestion")])
def test_a_message_without_a_field_is_refused(store, project, item, rows, left_out):
    before = rows()
    refused(store, project, {name: of for name, of in ({"item": item.id} | SAVE).items() if name != left_out})
    assert rows() == before


@pytest.mark.parametrize(
    "annotation",
    [
        {"upos": ["NOUN", "VERB", "a\tb"]},
        {"upos": ["NOUN", "VERB", "a\nb"]},
        {"upos": ["NOUN", "VERB", "a\0"]},
        {"upos": ["NOUN", "VERB", "\ud800"]},
        {"upos": ["NOUN", "VERB", HUGE]},
        {"upos": ["NOUN", "VERB", deep(500)]},
        {"upos": [True, "VERB", "X"]},
        {"upos": {"0": "NOUN"}},
        {**TAGS, "words": ["voy", "al", 3], "ranges": []},
        {**TAGS, "words": ["voy", "al", "mar"], "ranges": [[1.5, 2, "al"]]},
        {**TAGS, "words": ["voy", "al", "mar"], "ranges": [[1, 2]]},
        {**TAGS, "words": ["voy", "al", "mar"], "ranges": [[1, 2, deep(500)]]},
        {**TAGS, "words": ["voy", "al", "mar"], "ranges": [["1", "2", "al"]]},
        {**TAGS, "words": ["voy", "al", "mar"]},
    ],
    ids=lambda value: repr(value)[:60],
)
def test_an_annotation_that_no_file_could_hold_is_refused(store, project, item, rows, annotation):
    before = rows()
    refused(store, project, {"item": item.id, **SAVE, "annotation": annotation})
    assert rows() == before


@pytest.mark.parametrize("heads", [[4, 0, 1], [-2, 0, 1], [10**30, 0, 1], [True, 0, 1], [0.0, 0, 1]], ids=str)
def test_a_head_that_is_no_word_is_refused(store, project, ids, rows, heads):
    tree = made_items(store, project, [(ids[0], "dep", "ana")])[0]
    before = rows()
    annotation = {"heads": heads, "deprels": ["root", "dep", "dep"]}
    refused(store, project, {"item": tree.id, **SAVE, "annotation": annotation})
    assert rows() == before


def test_of_an_annotation_only_what_its_task_has_is_stored(store, project, item):
    junk = {"heads": [0, 1, 1], "note": HUGE[:1000], "__proto__": {"x": 1}}
    session.receive(store, project, "ana", {"item": item.id, **SAVE, "annotation": TAGS | junk})
    assert store.latest(item.id).annotation == TAGS


def test_of_answers_only_those_to_its_questions_are_stored(store):
    article = Article("t", (Paragraph("voy al mar", (Question("q1", "?"), Question("q2", "?"))),))
    rows = [("pool", "t", 3, content.to_json(article))]
    project = made_project(store, rows, tasks=("qa",), kind="articles", labels={"qa": []})
    key = store.lengths(project.id, "pool")[0][0]
    item = made_items(store, project, [(key, "qa", "ana")])[0]
    good = {"text": "mar", "start": 7}
    answers = {"answers": {"q1": [good | {"html": MARKUP[0]}], "other": [good], "q2": []}}
    session.receive(store, project, "ana", {"item": item.id, **SAVE, "annotation": answers})
    assert store.latest(item.id).annotation == {"answers": {"q1": [good], "q2": []}}
    for wrong in ({"q1": [{"text": "mar"}]}, {"q1": "mar"}, {"q1": [good | {"start": "7"}]}, [good], "q1", 3):
        refused(store, project, {"item": item.id, **SAVE, "seq": 9, "annotation": {"answers": wrong}})
    assert len(store.history(item.id)) == 1


@pytest.mark.parametrize("go", [None, "next", "back", "skip"])
@pytest.mark.parametrize("seq", [0, 1])
def test_items_of_others_nobody_and_another_project_are_refused(store, project, ids, rows, go, seq):
    bens, nobodys = made_items(store, project, [NewItem(ids[0], "pos", "ben"), NewItem(ids[1], "pos")])
    other = made_project(store, [("pool", "x", 1, content.to_json(SENTENCE))], name="other", people=["ana"])
    elsewhere = made_items(store, other, [(store.lengths(other.id, "pool")[0][0], "pos", "ana")])[0]
    before = rows()
    for item_id in (bens.id, nobodys.id, elsewhere.id, 999):
        refused(store, project, {"item": item_id, **SAVE, "seq": seq, "go": go})
    assert rows() == before


def test_older_messages_sent_again_change_nothing(store, project, ids, rows):
    pos, dep = made_items(store, project, [(ids[0], "pos", "ana"), (ids[0], "dep", "ana")])
    repaired = {"upos": ["VERB", "ADP", "DET", "NOUN"], "words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    old = {"item": pos.id, **SAVE, "annotation": repaired}
    back = {**TAGS, "words": ["voy", "al", "mar"], "ranges": []}
    session.receive(store, project, "ana", old)
    session.receive(store, project, "ana", {"item": pos.id, **SAVE, "seq": 2, "annotation": back, "done": True})
    tree = {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]}
    session.receive(store, project, "ana", {"item": dep.id, **SAVE, "annotation": tree, "done": True})
    before = rows()
    assert session.receive(store, project, "ana", old).status == "done"
    assert rows() == before


@pytest.mark.parametrize("text", MARKUP)
def test_a_label_of_markup_is_never_done(store, project, item, text):
    event = {"item": item.id, **SAVE, "annotation": {"upos": [text, "VERB", "X"]}, "done": True}
    refused(store, project, event)
    assert not store.latest(item.id).done


def test_words_of_another_text_are_refused_and_long_ones_are_soon_compared(store, project, item, rows):
    before = rows()
    for words in (["a"] * 90_000, ["x" * 100] * 2_000):
        annotation = {"upos": ["_"] * len(words), "words": words, "ranges": []}
        started = perf_counter()
        event = {"item": item.id, **SAVE, "annotation": annotation}
        assert "a sentence that has room for" in refused(store, project, event)
        assert perf_counter() - started < 5
    assert rows() == before


def test_the_words_of_a_long_sentence_are_compared_in_seconds(store):
    """An annotator may send other words for all of it; what took an hour would keep everybody else waiting."""
    words = tuple(f"w{n}" for n in range(8_000))
    rows = [("pool", "x", len(words), content.to_json(Sentence("x", " ".join(words), words)))]
    project = made_project(store, rows, labels={"pos": ["NOUN", "VERB", "X"], "dep": ["root"]})
    item = made_items(store, project, [(store.lengths(project.id, "pool")[0][0], "pos", "ana")])[0]
    other = ["y" + word[::-1] for word in words]
    annotation = {"upos": ["_"] * len(other), "words": other, "ranges": []}
    started = perf_counter()
    session.receive(store, project, "ana", {"item": item.id, **SAVE, "annotation": annotation})
    assert perf_counter() - started < 30
    assert store.latest(item.id).annotation["words"] == other


def test_no_more_seconds_are_kept_than_have_passed_since_the_item_was_opened(store, project, item, monkeypatch):
    began, passed = store.now(), [0]
    monkeypatch.setattr(store, "now", lambda: began + timedelta(seconds=passed[0]))
    assert session.start(store, project, "pos", "ana").id == item.id

    def sent(seconds, client="page", **changes):
        seq = len(store.history(item.id)) + 1
        newest = store.latest(item.id)
        event = {"item": item.id, **SAVE, "seq": seq, "seconds": seconds, "client": client}
        event["seen"] = newest.id if newest else 0
        session.receive(store, project, "ana", event | changes)
        return sum(row.seconds for row in store.progress(project.id, "ana"))

    passed[0] = 60
    assert sent(3_600_000.0) == 60
    assert sent(3_600_000.0, "another page") == 60
    passed[0] = 100
    assert sent(80.0) == 80
    assert sent(500.0, "a third page") == 100
    store.release(item.id, "ana")
    passed[0] = 10_000  # somewhere else meanwhile
    assert store.claim(item.id, "ana")
    passed[0] = 10_030
    assert sent(10_000.0) == 130
    for page in range(5):
        assert sent(10_000.0, f"page {page}") == 130


def test_what_was_never_opened_took_no_longer_than_since_it_was_drawn(store, project, ids, monkeypatch):
    began = store.now()
    item = made_items(store, project, [(ids[2], "pos", "ana")])[0]
    monkeypatch.setattr(store, "now", lambda: began + timedelta(seconds=100))
    session.receive(store, project, "ana", {"item": item.id, **SAVE, "seconds": 1e9})
    assert 90 < store.latest(item.id).seconds <= 100
