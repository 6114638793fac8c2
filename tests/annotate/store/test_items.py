from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from storing import made_items, save

from annotate.store import Edit, Progress, StoreError, items


@pytest.fixture
def item(store, project, pool):
    """One item of ana's."""
    return made_items(store, project, [(pool[0], "pos", "ana")])[0]


@pytest.fixture
def nobodys(store, project, pool):
    """One item that whoever comes first gets."""
    return made_items(store, project, [(pool[0], "pos")])[0]


@pytest.fixture
def later(store, monkeypatch):
    """Moves the store's clock."""
    return lambda seconds: monkeypatch.setattr(
        store, "now", lambda: type(store).now(store) + timedelta(seconds=seconds)
    )


def test_what_is_sent_twice_is_kept_once(store, item):
    assert [save(store, item, 1), save(store, item, 1, note="again")] == [1, 1]
    assert [revision.annotation["note"] for revision in store.history(item.id)] == [1]


def test_what_comes_late_adds_nothing_and_hears_what_is_stored(store, item):
    assert [save(store, item, seq) for seq in (3, 1, 2)] == [3, 3, 3]
    assert [revision.seq for revision in store.history(item.id)] == [3]


def test_two_pages_of_a_person_lose_nothing(store, item):
    save(store, item, 5, client="left", note="left")
    assert save(store, item, 1, client="right", note="right") == 1
    save(store, item, 4, client="left", note="late")
    assert [revision.annotation["note"] for revision in store.history(item.id)] == ["left", "right"]
    assert store.latest(item.id).client == "right"


def test_a_page_numbers_each_item_anew(store, project, pool, item):
    (other,) = made_items(store, project, [(pool[1], "pos", "ana")])
    save(store, item, 9)
    assert save(store, other, 1) == 1


def test_numbers_may_be_milliseconds(store, item):
    assert save(store, item, 1_900_000_000_000) == 1_900_000_000_000


def test_a_revision_comes_back_as_it_was_sent(store, item):
    store.add_suggestions([(item.example_id, "pos", "mini", {"confidence": [0.25]})])
    shown = store.suggestion(item.example_id, "pos")
    annotation = {"upos": ["NOUN", "_"], "heads": [-1, 0], "text": "猫\u200d\U0001f408 \\u0000"}
    store.save(item.id, "ana", "page", 1, annotation, True, 12.5, 3, shown.id)
    found = store.latest(item.id)
    assert (found.annotation, found.done, found.seconds, found.edits) == (annotation, True, 12.5, 3)
    assert (found.annotator, found.suggestion_id, found.item_id) == ("ana", shown.id, item.id)


def test_the_status_follows_what_is_saved(store, item):
    seen = []
    for seq, done in enumerate([True, False, True]):
        save(store, item, seq, done=done)
        seen.append(store.item(item.id).status)
    assert seen == ["done", "open", "done"]
    save(store, item, 0, done=False)  # late
    assert store.item(item.id).status == "done"


def test_nobody_saves_into_the_item_of_another(store, item):
    with pytest.raises(StoreError, match="item 1 is ana's, not ben's"):
        save(store, item, 1, annotator="ben")
    with pytest.raises(StoreError, match="is ana's"):
        store.skip(item.id, "ben")
    assert store.history(item.id) == [] and store.item(item.id) == item


def test_saving_makes_an_item_of_nobodys_ones_own(store, nobodys):
    save(store, nobodys, 1)
    assert store.item(nobodys.id).annotator == "ana"


def test_half_a_character_is_refused_with_a_reason(store, item):
    with pytest.raises(StoreError, match="half a character"):
        save(store, item, 1, note="\ud83d")


def test_skipped_and_flagged_items(store, project, item):
    store.skip(item.id, "ana")
    store.flag(item.id, True)
    found = store.item(item.id)
    assert (found.status, found.flagged) == ("skipped", True)
    assert store.next_item(project.id, "pos", "ana") is None
    store.flag(item.id, False)
    assert not store.item(item.id).flagged


def test_newest_revisions_of_a_project_come_in_one_go(store, project, pool):
    pos, dep, untouched = made_items(store, project, [(pool[0], t, "ana") for t in ("pos", "dep")] + [(pool[1], "pos")])
    for seq in (1, 2, 3):
        save(store, pos, seq)
    save(store, dep, 1)
    assert store.latest_of(project.id) == {pos.id: store.latest(pos.id), dep.id: store.latest(dep.id)}
    assert list(store.latest_of(project.id, task="pos")) == [pos.id]
    assert store.latest(untouched.id) is None


def test_first_revisions_come_in_one_go_and_those_that_were_finished_first(store, project, pool):
    first, other = made_items(store, project, [(pool[0], "pos", "ana"), (pool[1], "pos", "ana")])
    for seq, done in enumerate((False, True, False, True), start=1):
        save(store, first, seq, done)
    save(store, other, 1)
    assert {key: one.seq for key, one in store.first_of(project.id, "pos").items()} == {first.id: 1, other.id: 1}
    assert {key: one.seq for key, one in store.first_of(project.id, "pos", done=True).items()} == {first.id: 2}
    assert store.first_of(project.id, "dep") == {}


def test_each_open_page_is_told_its_own_newest_number(store, item):
    for client, seq in (("left", 1), ("right", 7), ("left", 2)):
        save(store, item, seq, client=client)
    assert store.acks(item.id) == {"left": 2, "right": 7}


def test_two_people_never_hold_one_item(store, nobodys):
    assert store.claim(nobodys.id, "ana")
    assert store.claim(nobodys.id, "ana")
    assert not store.claim(nobodys.id, "ben")
    store.release(nobodys.id, "ben")  # not theirs
    assert not store.claim(nobodys.id, "ben")
    store.release(nobodys.id, "ana")
    assert store.claim(nobodys.id, "ben")


def test_claiming_again_holds_longer(store, nobodys, later):
    store.claim(nobodys.id, "ana")
    later(250)
    store.claim(nobodys.id, "ana")
    later(500)
    assert not store.claim(nobodys.id, "ben")


def test_nobody_claims_the_item_of_another_whatever_the_lease(store, item, later):
    later(10_000)
    assert not store.claim(item.id, "ben")
    assert store.item(item.id).annotator == "ana"


def test_an_item_taken_and_left_untouched_is_free_again(store, nobodys, later):
    assert store.claim(nobodys.id, "ana")
    assert store.item(nobodys.id).annotator == "ana"
    later(299)
    assert not store.claim(nobodys.id, "ben")
    later(301)
    assert store.claim(nobodys.id, "ben")
    assert store.item(nobodys.id).annotator == "ben"


def test_a_clock_that_is_set_back_keeps_no_item_from_anybody(store, nobodys, later):
    assert store.claim(nobodys.id, "ana")
    later(-299)
    assert not store.claim(nobodys.id, "ben")
    later(-3600)
    assert store.claim(nobodys.id, "ben")
    assert not store.claim(nobodys.id, "ana")
    later(-7200)
    assert store.claim(nobodys.id, "ben")  # who has it open has it again by this clock
    assert not store.claim(nobodys.id, "ana")


def test_an_item_taken_and_saved_stays_ones_own(store, nobodys, later):
    store.claim(nobodys.id, "ana")
    save(store, nobodys, 1)
    later(301)
    assert not store.claim(nobodys.id, "ben")


def test_the_next_item_is_the_first_of_mine_or_nobodys(store, project, pool):
    items = made_items(store, project, [(pool[0], "pos", "ben"), (pool[1], "pos"), (pool[2], "pos", "ana")])
    assert store.next_item(project.id, "pos", "ana").id == items[1].id
    save(store, items[1], 1, done=True)
    assert store.next_item(project.id, "pos", "ana").id == items[2].id
    assert store.next_item(project.id, "dep", "ana") is None


def test_an_example_for_two_people_goes_to_two_people(store, project, pool):
    items = made_items(store, project, [(pool[0], "pos"), (pool[0], "pos"), (pool[0], "dep")])
    save(store, store.next_item(project.id, "pos", "ana"), 1, done=True)
    assert store.next_item(project.id, "pos", "ana") is None
    assert not store.claim(items[1].id, "ana")
    assert store.next_item(project.id, "pos", "ben").id == items[1].id
    assert store.next_item(project.id, "dep", "ana").id == items[2].id


def test_progress_counts_items_seconds_edits_and_tokens(store, project, pool):
    lengths = dict(store.lengths(project.id, "pool"))
    mine = [(pool[0], "pos", "ana"), (pool[1], "pos", "ana"), (pool[4], "pos", "ana")]
    a, b, came, c, _ = made_items(store, project, [*mine, (pool[2], "pos", "ben"), (pool[3], "pos")])
    for seq, done in ((1, False), (2, True)):
        save(store, a, seq, done=done, seconds=2.5 * seq, edits=2 * seq)
    save(store, b, 1, seconds=1.0, edits=4)
    save(store, came, 1, done=True, seconds=0.0, edits=0)
    store.skip(c.id, "ben")
    store.flag(c.id, True)
    first, last = lengths[pool[0]], lengths[pool[4]]
    ana = Progress("pos", "shots", "ana", 3, 2, 0, 0, 6.0, 8, first + last, 1, first)
    ben = Progress("pos", "shots", "ben", 1, 0, 1, 1, 0.0, 0, 0, 0, 0)
    assert store.progress(project.id) == [ana, ben, Progress("pos", "shots", None, 1, 0, 0, 0, 0.0, 0, 0, 0, 0)]
    assert store.progress(project.id, "ana") == [ana]


def test_pages_send_sums_and_those_of_several_pages_are_added(store, project, pool):
    first, second = made_items(store, project, [(pool[0], "pos", "ana"), (pool[1], "pos", "ana")])
    for client, seq, seconds, edits in (
        ("left", 1, 4.0, 2),
        ("right", 7, 1.0, 1),
        ("left", 3, 9.0, 5),
        ("right", 8, 2.5, 4),
    ):
        save(store, first, seq, client=client, seconds=seconds, edits=edits)
    save(store, second, 1, client="left", seconds=100.0, edits=50)
    save(store, first, 2, client="left", seconds=6.0, edits=3)  # late
    (row,) = store.progress(project.id)
    assert (row.seconds, row.edits) == (9.0 + 2.5 + 100.0, 5 + 4 + 50)


def test_who_annotated_an_example_may_review_it(store, project, pool):
    (mine,) = made_items(store, project, [(pool[0], "pos", "ana")])
    (review,) = made_items(store, project, [(pool[0], "pos")], purpose="review")
    save(store, mine, 1, done=True)
    assert store.claim(review.id, "ana")
    assert store.item(review.id).purpose == "review"


def test_reviews_are_nobodys_next_item(store, project, pool):
    made_items(store, project, [(pool[0], "pos"), (pool[1], "pos", "ana")], purpose="review")
    assert store.next_item(project.id, "pos", "ana") is None


def test_what_is_read_in_a_snapshot_is_of_one_moment(store, item):
    save(store, item, 1)
    with ThreadPoolExecutor(1) as other, store.snapshot():
        assert store.latest(item.id).seq == 1
        with store.snapshot():
            pass
        other.submit(save, store, item, 2).result()
        assert store.latest(item.id).seq == 1
    assert store.latest(item.id).seq == 2


@pytest.mark.parametrize("query", [items.LATEST, items.LAST])
def test_the_newest_revision_is_found_by_its_item_before_the_database_has_counted(store, project, pool, query):
    """What was imported a moment ago has no statistics yet, and is not read backwards for each item."""
    if store.is_sqlite:
        pytest.skip("SQLite has no such plan")
    first, *_ = made_items(store, project, [(example, "pos", "ana") for example in pool])
    store.change("import", "ana", [Edit(first.id, 0, {}, True)])
    with store.writing() as db:
        columns = "item_id, annotator, client, seq, annotation, done, seconds, edits, created"
        copied = columns.replace("seq", "number")
        rows = f"SELECT {copied} FROM revisions, generate_series(2, 20000) AS number"
        db.exec_driver_sql(f"INSERT INTO revisions ({columns}) {rows}")
    asked = query.params(item=first.id).compile(store.engine, compile_kwargs={"literal_binds": True})
    with store.reading() as db:
        plan = "\n".join(db.exec_driver_sql(f"EXPLAIN {asked}").scalars())
    assert "revisions_item_id_client_seq_key" in plan
