import pytest
from storing import made_items, on_both, save

from annotate.store import ExampleFilter, NewItem

POS = ExampleFilter("pos")


@pytest.fixture
def items(store, project, pool):
    """The first example for ana and ben, the second for ana in both tasks, the third for nobody yet."""
    wanted = [(pool[0], "pos", "ana"), (pool[0], "pos", "ben"), (pool[1], "pos", "ana"), (pool[1], "dep", "ana")]
    return made_items(store, project, [*wanted, NewItem(pool[2], "pos")])


def keys(listed):
    return [(one.example.key, one.item and one.item.annotator) for one in listed]


FILTERS = [
    (ExampleFilter("pos", annotator="ana"), ["pool-0", "pool-1"]),
    (ExampleFilter("dep", annotator="ana"), ["pool-1"]),
    (ExampleFilter("pos", status="done"), ["pool-0"]),
    (ExampleFilter("pos", status="undrawn"), [*(f"pool-{n}" for n in range(3, 20)), *(f"test-{n}" for n in range(5))]),
    (ExampleFilter("pos", purpose="test"), []),
    (ExampleFilter("pos", flagged=True), ["pool-1"]),
    (ExampleFilter("pos", commented=True), ["pool-0", "pool-0"]),
    (ExampleFilter("pos", annotator="ben", commented=True), ["pool-0"]),
]


def test_lists_are_filtered(store, project, pool, items):
    save(store, items[0], 1, done=True)
    store.flag(items[2].id, True)
    store.add_comment(pool[0], "pos", "ana", "?")
    store.add_comment(pool[1], "dep", "ana", "?")
    assert [one.comments for one in store.list_examples(project.id, POS, limit=4)] == [1, 1, 0, 0]
    for wanted, expected in FILTERS:
        assert [one.example.key for one in store.list_examples(project.id, wanted)] == expected, wanted
        assert store.count(project.id, wanted) == len(expected)


@on_both
def test_lists_are_sorted_by_length_and_by_what_was_saved_last(store, project, items):
    lengths = [one.example.length for one in store.list_examples(project.id, POS, "shortest")]
    assert lengths == sorted(lengths) and len(set(lengths)) > 1
    lengths = [one.example.length for one in store.list_examples(project.id, POS, "longest")]
    assert lengths == sorted(lengths, reverse=True)
    save(store, items[2], 1)
    save(store, items[0], 1)
    newest = keys(store.list_examples(project.id, POS, "newest", limit=3))
    assert newest == [("pool-0", "ana"), ("pool-1", "ana"), ("pool-0", "ben")]


def test_what_no_sampler_draws_is_part_of_it_and_reviews_are_not(store, project, pool, items):
    store.add_examples(project.id, [("rest", "rest-0", 3, {"type": "Document", "id": "rest", "text": "猫"})])
    made_items(store, project, [(pool[0], "pos", "eva")], purpose="review")
    assert store.count(project.id, POS) == 27
    batches = store.search_batches(project.id, POS)
    assert [example.key for batch in batches for example, _ in batch.rows].count("pool-0") == 2


@on_both
def test_passages_bring_the_newest_revision_of_every_task(store, project, pool, items):
    save(store, items[2], 1)
    save(store, items[2], 2)
    save(store, items[3], 1)
    (passage,) = store.search_batches(project.id, POS)
    saved = {item.id: revision and revision.seq for item, revision in passage.saved[pool[1]]}
    assert saved == {items[2].id: 2, items[3].id: 1}
    assert {item.id: revision for item, revision in passage.saved[pool[0]]} == {items[0].id: None, items[1].id: None}
    (passage,) = store.search_batches(project.id, POS, [["nothing"]])
    read = [example.key for example, _ in passage.rows]
    assert read == ["pool-0", "pool-0", "pool-1", "pool-2"], "what somebody has, whatever its file holds"


@on_both
def test_passages_that_cannot_hold_a_text_are_left_out_whatever_the_case_of_its_letters(store, project):
    texts = ["İstanbul", "Istanbul", "ça_va", "çaXva", "100% k!", '"so"', "1000"]
    rows = [("pool", text, 3, {"type": "Document", "id": text, "text": text}) for text in texts]
    store.add_examples(project.id, rows)
    expected = {"istanbul": {"İstanbul", "Istanbul"}, "ça_va": {"ça_va"}, "100%": {"100% k!"}, "k!": {"100% k!"}}
    for part, found in (expected | {'\\"so\\"': {'"so"'}}).items():
        for written in (part, part.upper()):
            assert {text for _, text in store.texts(project.id, POS, written)} == found


@pytest.mark.app
@pytest.mark.parametrize("kind", ["postgresql"])
def test_postgresql_plans_each_query_for_its_values(store, project):
    """Plans of prepared statements are made for any values, and join items to examples one by one."""
    for _ in range(10):
        list(store.search_batches(project.id, ExampleFilter("pos")))
    with store.reading() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements").scalar() == 0
