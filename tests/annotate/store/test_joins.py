"""Examples that belong to the sentence before them, on both databases: hidden as a whole, and back as they were."""

import pytest
from storing import made_items, on_both, save

from annotate.store import JOINED, ExampleFilter, StoreError


@pytest.fixture
def items(store, project, pool):
    """Ana's first sentence, and the second and the third, which ben has too."""
    wanted = [(pool[0], "ana"), *((one, who) for one in pool[1:3] for who in ("ana", "ben"))]
    return made_items(store, project, [(one, "pos", who) for one, who in wanted])


def join(store, item, joined, seq, annotator="ana"):
    annotation = {"joined": joined} if joined else {}
    return store.save(item.id, annotator, "page", seq, annotation, True, 1.0, 1, joined=joined)


def splits(store, project, count=4):
    return [row.split for row in list(store.examples(project.id))[:count]]


@on_both
def test_what_is_joined_is_nobodys_item_and_not_in_the_pool(store, project, pool, items):
    size, first = store.project(project.id).pool_size, store.lengths(project.id, "pool")[0][1]
    join(store, items[0], 2, 1)
    assert splits(store, project) == ["pool", "joined pool", "joined pool", "pool"]
    assert [one.id for one in store.items(project.id)] == [items[0].id]
    assert store.next_item(project.id, "pos", "ben") is None
    assert store.project(project.id).pool_size == size - 2
    assert [row[0] for row in store.lengths(project.id, "pool")] == [pool[0], *pool[3:]]
    assert store.lengths(project.id, "pool")[0][1] > first
    assert store.count(project.id, ExampleFilter("pos")) == size - 2 + store.project(project.id).test_size
    assert sum(row.total for row in store.progress(project.id)) == 1
    with pytest.raises(StoreError, match="joined with the sentence before"):
        save(store, items[2], 1, annotator="ben")


@on_both
def test_it_is_back_as_it_was_once_it_is_let_go(store, project, pool, items):
    before = list(store.examples(project.id))
    save(store, items[1], 1, done=True)
    join(store, items[0], 2, 1)
    join(store, items[0], 1, 2)
    assert splits(store, project) == ["pool", "joined pool", "pool", "pool"]
    assert [store.item(one.id).status for one in items] == ["done", JOINED, JOINED, "open", "open"]
    join(store, items[0], 0, 3)
    assert [store.item(one.id).status for one in items] == ["done", "done", "open", "open", "open"]
    assert list(store.examples(project.id)) == before


@on_both
def test_what_somebody_has_open_or_joined_or_is_not_there_cannot_be_joined(store, project, pool, items):
    assert store.claim(items[2].id, "ben")
    assert (store.other_holder(pool[1], "ana"), store.other_holder(pool[1], "ben")) == ("ben", None)
    with pytest.raises(StoreError, match="ben has opened the next sentence"):
        join(store, items[0], 1, 1)
    store.release(items[2].id, "ben")
    join(store, items[1], 1, 1)
    for joined in (1, 2, 100):
        with pytest.raises(StoreError, match="joined with others"):
            join(store, items[0], joined, 1)
    assert store.latest(items[0].id) is None
    assert splits(store, project) == ["pool", "pool", "joined pool", "pool"]
    rows = list(store.examples(project.id))
    assert (store.following(pool[0], 2), store.following(rows[-1].id, 2)) == (rows[:3], rows[-1:])
