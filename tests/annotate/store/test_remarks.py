import pytest
from storing import made_items, made_project, on_both, pool_ids

from annotate.store import ENCODER, LLM, StoreError


@on_both
def test_comments_come_oldest_first_and_one_that_no_database_should_keep_is_refused(store, project, pool):
    for text, why in (("x" * 10_001, "10,001 characters; write at most 10,000"), ("a\0b", r"U\+0000")):
        with pytest.raises(StoreError, match=why):
            store.add_comment(pool[0], "pos", "ana", text)
    first = store.add_comment(pool[0], "pos", "ana", "猫" * 10_000)
    second = store.add_comment(pool[0], "dep", "ben", "yes")
    store.add_comment(pool[1], "pos", "ben", "elsewhere")
    assert store.comments(pool[0]) == [first, second]
    assert (first.author, first.text, first.task) == ("ana", "猫" * 10_000, "pos")


@on_both
def test_items_that_are_flagged_or_spoken_of_come_with_what_was_said_of_their_task(store, project, pool):
    first = [(pool[0], "pos", "ana"), (pool[0], "pos", "ben"), (pool[0], "dep", "ana")]
    ana, ben, dep, flagged, _ = made_items(store, project, [*first, (pool[1], "pos"), (pool[2], "pos")])
    (review,) = made_items(store, project, [(pool[0], "pos", "eva")], purpose="review")
    other = made_project(store)
    (elsewhere,) = made_items(store, other, [(pool_ids(store, other)[0], "pos", "ana")])
    for item in (flagged, ben, review, elsewhere):
        store.flag(item.id, True)
    said = [store.add_comment(pool[0], task, "ana", text) for task, text in (("pos", "a"), ("dep", "b"), ("pos", "c"))]
    found = [(item.id, item.flagged, comment) for item, comment in store.flagged_or_commented(project.id)]
    assert found == [
        (ana.id, False, said[0]),
        (ana.id, False, said[2]),
        (ben.id, True, said[0]),
        (ben.id, True, said[2]),
        (dep.id, False, said[1]),
        (flagged.id, True, None),
    ]


@on_both
def test_the_newest_suggestion_of_each_source_counts(store, project, pool):
    other = made_project(store)
    stranger = pool_ids(store, other)[0]
    rows = [(pool[0], "pos", "mini", {"n": 1}), (pool[1], "pos", "mini", {"n": 2}), (stranger, "pos", "mini", {})]
    store.add_suggestions(rows)
    store.add_suggestions([(pool[0], "pos", "large", {"n": 3}), (pool[0], "dep", "large", {"n": 4})])
    assert store.suggestion(pool[0], "pos").model == "large"
    found = store.suggestions_of(project.id, "pos")
    assert {key: value.data["n"] for key, value in found.items()} == {pool[0]: 3, pool[1]: 2}
    assert store.suggestion(pool[2], "pos") is None
    store.add_suggestions([(pool[0], "pos", "asked", {"n": 5})], LLM)
    assert [store.suggestion(pool[0], "pos", source).data["n"] for source in (ENCODER, LLM)] == [3, 5]
    assert store.suggestions_of(project.id, "pos")[pool[0]].source == ENCODER
    assert store.suggestions_of(project.id, "pos", LLM)[pool[0]].source == LLM
    assert store.suggestions_for([pool[0]], "pos")[pool[0]].model == "large"
    store.accept(project.id, "pos", "a key", "ana")
    assert store.accepted(project.id, "pos")
    store.reject(project.id, "pos", "a key")
    assert not store.accepted(project.id, "pos")


@on_both
def test_suggestions_are_renewed_where_nobody_has_opened_the_example(store, project, pool):
    """Also not where another annotator of it has, nor in the test set; those of language models stay."""
    wanted = [*((pool[place], "pos", "ana") for place in range(5)), (pool[0], "pos", "ben")]
    opened, saved, skipped, *_ = made_items(store, project, wanted)
    made_items(store, project, [(pool[5], "pos", "ana")], purpose="test")
    keys = pool[:6]
    for source in (ENCODER, LLM):
        store.add_suggestions([(key, task, "old", {}) for key in keys for task in ("pos", "dep")], source)
    store.claim(opened.id, "ana")
    store.save(saved.id, "ana", "page", 1, {}, False, 1.0, 1, store.suggestion(pool[1], "pos").id)
    store.skip(skipped.id, "ana")
    assert [item.example_id for item in store.unopened_items(project.id, "pos")] == pool[3:5]
    store.renew_suggestions(project.id, "pos", "new", {key: {} for key in keys[:4]})
    found = [store.suggestion(key, "pos").model for key in keys]
    assert found == ["old", "old", "old", "new", "old", "old"]
    kept = [store.suggestion(pool[3], task, source).model for task, source in (("pos", LLM), ("dep", ENCODER))]
    assert kept == ["old", "old"]


def test_a_comment_is_answered_while_the_newest_one_is_somebody_elses(store, project, pool):
    made_items(store, project, [(pool[0], "pos", "ana"), (pool[1], "pos", "ana")])
    store.add_comment(pool[0], "pos", "ana", "a verb?")
    assert store.answered(project.id, "pos", "ana") == set()
    store.add_comment(pool[0], "pos", "eve", "a noun")
    store.add_comment(pool[1], "dep", "eve", "of another task")
    assert store.answered(project.id, "pos", "ana") == {pool[0]}
    store.add_comment(pool[0], "pos", "ana", "thanks")
    assert store.answered(project.id, "pos", "ana") == set()
