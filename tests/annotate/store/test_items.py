from concurrent.futures import ThreadPoolExecutor

import pytest
import storing
from storing import made_items, on_both, save

from annotate.store import Edit, StoreError, TaskProgress, revisions


@pytest.fixture
def item(store, project, pool):
    return made_items(store, project, [(pool[0], "pos", "ana")])[0]


BIG = 1_900_000_000_000
"""Of a page that numbers its saves by milliseconds."""


@on_both
def test_a_save_that_is_repeated_or_late_adds_nothing_to_its_page(store, project, pool):
    sequences = (([1, 1], [1, 1], [1]), ([3, 1, 2], [3, 3, 3], [3]), ([1, 2, BIG], [1, 2, BIG], [1, 2, BIG]))
    items = made_items(store, project, [(key, "pos", "ana") for key in pool[:3]])
    for item, (sent, acknowledged, kept) in zip(items, sequences, strict=True):
        assert [save(store, item, seq, note=place) for place, seq in enumerate(sent)] == acknowledged
        assert [revision.seq for revision in storing.history(store, item.id)] == kept
        assert storing.history(store, item.id)[0].annotation["note"] == 0
        assert save(store, item, 1, client="right", note="right") == 1
        assert store.latest(item.id).client == "right"
        assert store.acks(item.id) == {"page": kept[-1], "right": 1}


def test_nobody_saves_into_or_takes_the_item_of_another(store, project, pool, item, later):
    with pytest.raises(StoreError, match="item 1 belongs to ana, not to ben"):
        save(store, item, 1, annotator="ben")
    with pytest.raises(StoreError, match="belongs to ana"):
        store.skip(item.id, "ben")
    assert storing.history(store, item.id) == [] and store.item(item.id) == item
    (unassigned,) = made_items(store, project, [(pool[1], "pos")])
    save(store, unassigned, 1)
    later(10_000)
    for one in (item, unassigned):
        assert not store.claim(one.id, "ben")
        assert store.item(one.id).annotator == "ana"


@on_both
def test_a_revision_comes_back_as_it_was_sent(store, item):
    store.add_suggestions([(item.example_id, "pos", "mini", {"confidence": [0.25]})])
    shown = store.suggestion(item.example_id, "pos")
    annotation = {"upos": ["NOUN", "_"], "heads": [-1, 0], "text": "猫\u200d\U0001f408 \\u0000"}
    store.save(item.id, "ana", "page", 1, annotation, True, 12.5, 3, shown.id)
    found = store.latest(item.id)
    assert (found.annotation, found.done, found.seconds, found.edits) == (annotation, True, 12.5, 3)
    assert (found.annotator, found.suggestion_id, found.item_id) == ("ana", shown.id, item.id)
    assert store.revisions([found.id]) == [found]
    assert store.last_revision_id("ana") == found.id
    with pytest.raises(StoreError, match="half a character"):
        save(store, item, 2, note="\ud83d")


@on_both
def test_the_status_follows_what_is_saved_skipped_and_flagged(store, project, item):
    seen = []
    for seq, done in enumerate([True, False, True]):
        save(store, item, seq, done=done)
        seen.append(store.item(item.id).status)
    assert seen == ["done", "open", "done"]
    save(store, item, 0, done=False)  # late
    assert store.item(item.id).status == "done"
    assert store.newest_finished(project.id, "pos", "ana", 5) == [store.latest(item.id).id]
    store.reopen(item.id)
    assert store.item(item.id).status == "open"
    store.skip(item.id, "ana")
    store.flag(item.id, True)
    assert (store.item(item.id).status, store.item(item.id).flagged) == ("skipped", True)
    assert store.next_item(project.id, "pos", "ana") is None
    store.flag(item.id, False)
    assert not store.item(item.id).flagged


@on_both
def test_newest_and_first_revisions_of_a_project_come_in_one_query(store, project, pool):
    wanted = [(pool[0], "pos", "ana"), (pool[0], "dep", "ana"), (pool[1], "pos", "ana"), (pool[2], "pos")]
    pos, dep, other, untouched = made_items(store, project, wanted)
    for seq, done in enumerate((False, True, False, True), start=1):
        save(store, pos, seq, done)
    save(store, dep, 1)
    save(store, other, 1)
    assert store.newest_revisions(project.id) == {item.id: store.latest(item.id) for item in (pos, dep, other)}
    assert list(store.newest_revisions(project.id, task="dep")) == [dep.id]
    assert store.latest(untouched.id) is None
    assert {key: one.seq for key, one in store.first_revisions(project.id, "pos").items()} == {pos.id: 1, other.id: 1}
    assert {key: one.seq for key, one in store.first_revisions(project.id, "pos", done=True).items()} == {pos.id: 2}
    assert store.first_revisions(project.id, "dep", done=True) == {}


CLAIMS = {
    "untouched": [(0, "ana", True), (299, "ben", False), (301, "ben", True)],
    "claimed again": [(0, "ana", True), (250, "ana", True), (500, "ben", False)],
    "back": [(0, "ana", True), (-299, "ben", False), (-3600, "ben", True), (-3600, "ana", False)],
    "open": [(0, "ana", True), (-3600, "ben", True), (-7200, "ben", True), (-7200, "ana", False)],
    "once more": [(0, "ana", True), (0, "ana", True), (0, "ben", False)],
}
"""Who asks for an item at which second, and whether they get it."""


@on_both
def test_a_claim_holds_for_five_minutes_whatever_the_clock_or_until_it_is_released(store, project, pool, later):
    items = made_items(store, project, [(key, "pos") for key in pool[: len(CLAIMS)]])
    for item, (name, claims) in zip(items, CLAIMS.items(), strict=True):
        for seconds, annotator, is_held in claims:
            later(seconds)
            assert store.claim(item.id, annotator) == is_held, name
        holder = store.item(item.id).annotator
        store.release(item.id, "eva")  # not theirs
        assert not store.claim(item.id, "eva")
        store.release(item.id, holder)
        assert store.claim(item.id, "eva")
        assert store.item(item.id).annotator == "eva"


def test_the_next_item_is_the_first_of_mine_or_an_unassigned_one_and_never_a_review(store, project, pool):
    items = made_items(store, project, [(pool[0], "pos", "ben"), (pool[1], "pos"), (pool[2], "pos", "ana")])
    review, _ = made_items(store, project, [(pool[2], "pos"), (pool[3], "pos", "ana")], purpose="review")
    for item in items[1:]:
        assert store.next_item(project.id, "pos", "ana").id == item.id
        save(store, item, 1, done=True)
    assert store.next_item(project.id, "dep", "ana") is store.next_item(project.id, "pos", "ana") is None
    assert store.claim(review.id, "ana"), "whoever annotated may review"


@on_both
def test_an_example_for_two_people_goes_to_two_people(store, project, pool):
    items = made_items(store, project, [(pool[0], "pos"), (pool[0], "pos"), (pool[0], "dep")])
    save(store, store.next_item(project.id, "pos", "ana"), 1, done=True)
    assert store.next_item(project.id, "pos", "ana") is None
    assert not store.claim(items[1].id, "ana")
    assert store.next_item(project.id, "pos", "ben").id == items[1].id
    assert store.next_item(project.id, "dep", "ana").id == items[2].id


@on_both
def test_progress_counts_items_seconds_edits_and_tokens(store, project, pool):
    lengths = dict(store.lengths(project.id, "pool"))
    mine = [(pool[0], "pos", "ana"), (pool[1], "pos", "ana"), (pool[4], "pos", "ana")]
    a, b, came, c, _ = made_items(store, project, [*mine, (pool[2], "pos", "ben"), (pool[3], "pos")])
    sums = [("left", 1, 1.0, 1), ("right", 7, 1.0, 1), ("left", 3, 4.0, 2), ("left", 2, 9.0, 9)]  # the last is late
    for client, seq, seconds, edits in sums:
        save(store, a, seq, seq == 3, client, seconds=seconds, edits=edits)
    save(store, b, 1, seconds=1.0, edits=5)
    save(store, came, 1, done=True, seconds=0.0, edits=0)
    store.skip(c.id, "ben")
    store.flag(c.id, True)
    first, last = lengths[pool[0]], lengths[pool[4]]
    ana = TaskProgress("pos", "shots", "ana", 3, 2, 0, 0, 6.0, 8, first + last, 1, first)
    ben = TaskProgress("pos", "shots", "ben", 1, 0, 1, 1, 0.0, 0, 0, 0, 0)
    assert store.progress(project.id) == [ana, ben, TaskProgress("pos", "shots", None, 1, 0, 0, 0, 0.0, 0, 0, 0, 0)]
    assert store.progress(project.id, "ana") == [ana]
    assert (store.unassigned(project.id, "pos", "ana"), store.unassigned(project.id, "dep", "ana")) == (1, 0)


@on_both
def test_examples_are_finished_as_a_whole_where_one_person_has_finished_all_tasks(store, project, pool):
    whole = [(pool[0], "pos", "ana"), (pool[0], "dep", "ana"), (pool[0], "pos", "ben"), (pool[0], "dep", "ben")]
    parts = [(pool[1], "pos", "ana"), (pool[1], "dep", "ben"), (pool[2], "pos", "ana"), (pool[2], "dep", "ana")]
    items = made_items(store, project, whole + parts)
    for item in items[:-1]:
        save(store, item, 1, done=True, annotator=item.annotator)
    both = ["pos", "dep"]
    assert [store.finished_in(project.id, both, who) for who in (None, "ana", "ben", "cy")] == [1, 1, 1, 0]
    assert store.finished_in(project.id, ["pos"]) == 3


@on_both
def test_a_snapshot_shows_one_moment(store, item):
    save(store, item, 1)
    with ThreadPoolExecutor(1) as other, store.snapshot():
        assert store.latest(item.id).seq == 1
        with store.snapshot():
            pass
        other.submit(save, store, item, 2).result()
        assert store.latest(item.id).seq == 1
    assert store.latest(item.id).seq == 2


@pytest.mark.app
@pytest.mark.parametrize("kind", ["postgresql"])
@pytest.mark.parametrize("query", [revisions.LATEST, revisions.LAST])
def test_the_newest_revision_is_found_by_its_item_before_the_database_has_statistics(store, project, pool, query):
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
