import pytest
from storing import save

from annotate.editing import content
from annotate.quality import comments


@pytest.fixture
def items(desk):
    """The first sentence for ana and ben, the second for ana, the third for nobody yet."""
    return desk.draw((0, "pos", "ana"), (0, "pos", "ben"), (1, "pos", "ana"), (2, "pos"))


def test_the_newest_comment_comes_first_and_mere_flags_last(store, project, ids, items):
    for item in items[1:3]:
        store.flag(item.id, True)
    store.add_comment(ids[0], "pos", "ana", "first")
    store.add_comment(ids[2], "pos", "eva", "second")
    nobodys, both, flag = comments.threads(store, project)
    assert [thread.example_id for thread in (nobodys, both, flag)] == [ids[2], ids[0], ids[1]]
    assert (both.annotators, [item.annotator for item in both.flagged]) == (["ana", "ben"], ["ben"])
    assert (nobodys.annotators, nobodys.flagged) == ([], [])
    store.add_comment(ids[0], "pos", "ben", "third")
    newest, *_ = comments.threads(store, project)
    assert (newest.example_id, newest.task) == (ids[0], "pos")
    assert [comment.text for comment in newest.comments] == ["first", "third"]


def test_only_the_flags_of_a_thread_are_taken_away(store, project, items):
    for item in items[:3]:
        store.flag(item.id, True)
    thread = comments.threads(store, project)[0]
    comments.unflag(store, thread)
    assert [store.item(item.id).flagged for item in items[:3]] == [False, False, True]


def test_annotations_stand_side_by_side_at_the_words_they_are_about(store, project, ids, items):
    store.add_comment(ids[0], "pos", "ana", "?")
    (thread,) = comments.threads(store, project)
    example = content.from_json(next(store.examples(project.id, ids=[ids[0]])).content)
    assert comments.compare(store, thread, example) == []
    save(store, items[0], 1, note="ok")
    repaired = {"upos": ["VERB", "ADP", "DET", "NOUN"], "words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    store.save(items[1].id, "ben", "page", 1, repaired, False, 1.0, 1)
    rows = comments.compare(store, thread, example)
    assert [(row["where"], row["what"], row["ana"], row["ben"]) for row in rows if row["what"] != "note"] == [
        ("1 voy", "upos", "NOUN", "VERB"),
        ("2 al", "upos", "_", "_"),
        ("2 al", "words", "al", "a el"),
        ("3 mar", "upos", "", "NOUN"),
    ]
