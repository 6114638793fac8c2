"""What a hostile annotator can send as an editor: refused in one line, and nothing of it is stored."""

from math import inf, nan

import pytest
import storing
from desk import message, receive

from annotate.editing import session
from fewshot.corpora.documents import alignment
from fewshot.corpora.types import Article, Paragraph, Question, Sentence
from fewshot.errors import FewshotError

TAGS = {"upos": ["NOUN", "VERB", "X"]}
HUGE = "x" * 2_000_000
DEEP = []
for _ in range(500):
    DEEP = [DEEP]

ANYTHING = [None, True, -1, 1.5, nan, inf, 2**31, 10**400, "", "1", "<b>", "\ud800", "a\0", HUGE, [], [[]], {}]
ANYTHING.append({"a": 1})

HARMLESS = {"suggestion": [None], "left": [True], "client": ["1", "<b>"], "done": [True], "seconds": [1.5]}
HARMLESS |= {"annotation": [{}, {"a": 1}], "changed": [None, {}]}
"""Of the values above, those that an editor may send in a field."""

REQUIRED = ["item", "client", "seq", "scope", "seen", "annotation", "done", "edits", "seconds"]


@pytest.fixture
def item(desk):
    return desk.draw((0, "pos", "ana"), (1, "pos", "ben"))[0]


@pytest.fixture
def refused(store, project):
    """Sends a message that is refused in one short line and stores nothing; returns the line."""

    def stored():
        with store.reading() as db:
            rows = [db.exec_driver_sql(f"SELECT * FROM {name}").fetchall() for name in ("revisions", "comments")]
            return [*rows, db.exec_driver_sql("SELECT id, status, flagged FROM items").fetchall()]

    def refused(event, annotator="ana"):
        before = stored()
        with pytest.raises(FewshotError) as error:
            receive(store, project, annotator, event)
        assert len(str(error.value).splitlines()) == 1 and len(str(error.value)) < 500
        assert stored() == before
        return str(error.value)

    return refused


def test_what_is_no_message_is_refused(store, project, item, refused):
    for event in (*ANYTHING, {"item": 1}, {"seq": 0}):
        refused(event)
    for name in REQUIRED:
        refused({key: value for key, value in message(store, project, item, TAGS).items() if key != name})
    for client in ("change 1a2b3c4d UPOS X", "undone change 1a2b3c4d UPOS X"):  # of many annotations
        assert "'client' is invalid" in refused(message(store, project, item, TAGS, client=client))


@pytest.mark.parametrize("field", [*REQUIRED, "suggestion", "changed", "left"])
def test_a_field_that_holds_anything_is_refused_or_harmless(store, project, item, refused, field):
    for value in ANYTHING:
        event = message(store, project, item, TAGS, done=False) | {field: value}
        if any(type(value) is type(one) and value == one for one in HARMLESS.get(field, [])):
            receive(store, project, "ana", event)
            assert store.latest(item.id).annotation == ({} if field == "annotation" else TAGS)
        else:
            refused(event)


WORDS = {"words": ["voy", "al", "mar"], "ranges": []}


IMPOSSIBLE = (
    {"upos": ["NOUN"]},
    {"upos": [1, 2, 3]},
    {"upos": "NOUN"},
    ["NOUN", "VERB", "X"],
    "NOUN",
    *({"upos": ["NOUN", "VERB", tag]} for tag in ("a\tb", "a\nb", "a\0", "\ud800", HUGE, DEEP)),
    {"upos": [True, "VERB", "X"]},
    {"upos": {"0": "NOUN"}},
    {"upos": ["X", "X"], "words": ["a\tb", "c"], "ranges": []},
    TAGS | {"words": ["voy", "al", 3], "ranges": []},
    TAGS | {"words": 3, "ranges": []},
    *(TAGS | WORDS | {"ranges": [wrong]} for wrong in ([1.5, 2, "al"], [1, 2], [1, 2, DEEP], ["1", "2", "al"])),
    TAGS | WORDS | {"ranges": [[1, 9, "almar"]]},
    TAGS | {"words": ["voy", "al", "mar"]},
)


def test_an_annotation_that_no_file_could_hold_is_refused(store, project, item, refused):
    for annotation in IMPOSSIBLE:
        assert refused(message(store, project, item, annotation)), repr(annotation)[:60]


def test_a_control_character_of_the_example_is_no_fault_of_an_annotation(new_desk):
    signs = "\f\b\x7f"
    desk = new_desk([Sentence(repr(sign), f"vo{sign}y al", (f"vo{sign}y", "al")) for sign in signs], "pos")
    for item, sign in zip(desk.draw(*((place, "pos", "ana") for place in range(3))), signs, strict=True):
        repaired = {"upos": ["X"] * 3, "words": ["vo", f"{sign}y", "al"], "ranges": []}
        assert desk.save(item, repaired) == repaired
        with pytest.raises(FewshotError, match="control character"):
            desk.send(item, repaired | {"upos": ["X", "X", "X\x01"]})


def test_a_head_that_is_no_word_is_refused(store, project, desk, refused):
    (tree,) = desk.draw((0, "dep", "ana"))
    for head in (4, -2, 10**30, True, 0.0):
        refused(message(store, project, tree, {"heads": [head, 0, 1], "deprels": ["root", "dep", "dep"]}))


def test_only_columns_of_the_task_are_stored(desk, item):
    junk = {"heads": [0, 1, 1], "note": HUGE[:1000], "__proto__": {"x": 1}}
    assert desk.save(item, TAGS | junk) == TAGS


def test_only_answers_to_questions_of_the_item_are_stored(store, new_desk):
    article = Article("t", (Paragraph("voy al mar", (Question("q1", "?"), Question("q2", "?"))),))
    desk = new_desk([article], "qa")
    (item,) = desk.draw((0, "qa", "ana"))
    good = {"text": "mar", "start": 7}
    sent = {"answers": {"q1": [good | {"html": "<b>"}], "other": [good], "q2": []}}
    assert desk.save(item, sent) == {"answers": {"q1": [good], "q2": []}}
    for wrong in ({"q1": [{"text": "mar"}]}, {"q1": "mar"}, {"q1": [good | {"start": "7"}]}, [good], "q1", 3):
        with pytest.raises(FewshotError):
            desk.send(item, {"answers": wrong})
    assert len(storing.history(store, item.id)) == 1


def test_items_of_others_nobody_and_another_project_are_refused(store, project, new_desk, desk, refused):
    other = new_desk([Sentence("x", "voy", ("voy",))], "pos", name="other")
    bens, nobodys = desk.draw((0, "pos", "ben"), (1, "pos"))
    (strange,) = other.draw((0, "pos", "ana"))
    reasons = {bens.id: "assigned to ben", nobodys.id: "", strange.id: "is not of project Japanese", 999: ""}
    for number, reason in reasons.items():
        assert reason in refused(message(store, project, bens, TAGS) | {"item": number})


def test_older_messages_sent_again_change_nothing(store, project, desk):
    pos, dep = desk.draw((0, "pos", "ana"), (0, "dep", "ana"))
    repaired = {"upos": ["VERB", "ADP", "DET", "NOUN"], "words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    old = message(store, project, pos, repaired)
    receive(store, project, "ana", old)
    desk.send(pos, TAGS | WORDS)
    desk.send(dep, {"heads": [0, 3, 1], "deprels": ["root", "case", "obl"]})
    assert receive(store, project, "ana", old).done
    assert (desk.latest(pos), len(storing.history(store, pos.id)), desk.status(dep)) == (TAGS, 2, "done")


@pytest.fixture
def edits(monkeypatch):
    """The sizes of the tables in which the fewest edits between two texts were looked for."""
    sizes, real = [], alignment._edits
    monkeypatch.setattr(alignment, "_edits", lambda old, new: sizes.append(len(old) * len(new)) or real(old, new))
    return sizes


def test_words_of_another_text_are_refused_before_they_are_compared(store, project, item, refused, edits):
    for words in (["a"] * 9_000, ["x" * 100] * 200):
        annotation = {"upos": ["_"] * len(words), "words": words, "ranges": []}
        assert "a sentence with room for" in refused(message(store, project, item, annotation))
    assert edits == []


def test_the_words_of_a_long_sentence_are_compared_in_few_steps(new_desk, edits):
    words = tuple(f"w{n}" for n in range(3_000))
    desk = new_desk([Sentence("x", " ".join(words), words)], "pos")
    (item,) = desk.draw((0, "pos", "ana"))
    other = ["y" + word[::-1] for word in words]
    made = desk.save(item, {"upos": ["_"] * len(other), "words": other, "ranges": []}, done=False)
    assert made["words"] == other
    assert sum(edits) <= 2 * alignment.MAX_STEPS


def test_no_more_seconds_are_kept_than_have_passed_since_the_item_was_opened(store, project, desk, item, later):
    later(0)
    assert session.start(store, project, "pos", "ana").id == item.id

    def kept(passed, seconds, client):
        later(passed)
        desk.send(item, TAGS, seconds=seconds, client=client)
        return sum(row.seconds for row in store.progress(project.id, "ana"))

    assert kept(60, 3_600_000.0, "page") == 60
    assert kept(60, 3_600_000.0, "another page") == 60
    assert kept(100, 80.0, "page") == 80
    assert kept(100, 500.0, "a third page") == 100
    store.release(item.id, "ana")
    later(10_000)  # elsewhere meanwhile
    assert store.claim(item.id, "ana")
    assert [kept(10_030, 10_000.0, f"page {number}") for number in range(3)] == [130] * 3


def test_an_item_that_was_never_opened_took_no_longer_than_since_it_was_drawn(store, desk, later):
    (item,) = desk.draw((2, "pos", "ana"))
    later(100)
    desk.send(item, TAGS, seconds=1e9)
    assert 90 < store.latest(item.id).seconds <= 100
