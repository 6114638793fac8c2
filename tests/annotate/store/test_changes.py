import pytest
import storing
from storing import made_items, made_project, on_both, pool_ids, save

from annotate.store import Edit


@pytest.fixture
def items(store, project, pool):
    return made_items(store, project, [(pool[0], "pos", "ana"), (pool[1], "pos", "ben"), (pool[2], "pos", "ana")])


def edit(store, item, note, done=False):
    newest = store.latest(item.id)
    return Edit(item.id, newest.id if newest else 0, {"upos": ["NOUN"], "note": note}, done)


@on_both
def test_a_change_is_a_revision_of_each_item_by_whoever_makes_it(store, project, items):
    save(store, items[0], 1, done=True)
    edits = [edit(store, items[0], "new", done=True), edit(store, items[1], "first")]
    assert store.change("change 1 UPOS X", "eva", edits) == [items[0].id, items[1].id]
    first, second = storing.history(store, items[0].id)
    assert (first.annotation["note"], second.annotation["note"], second.annotator) == (1, "new", "eva")
    assert (second.seconds, second.edits, second.done) == (0.0, 0, True)
    now = store.item(items[0].id)
    assert (now.annotator, now.status) == ("ana", "done")
    assert (store.item(items[1].id).annotator, store.item(items[1].id).status) == ("ben", "open")


@on_both
def test_each_revision_of_a_change_comes_with_the_one_before_and_what_was_saved_since_it_was_seen_stays(
    store, project, items
):
    other = made_project(store, name="other")
    (elsewhere,) = made_items(store, other, [(pool_ids(store, other)[0], "pos", "ana")])
    save(store, elsewhere, 1, client="change 1")
    save(store, elsewhere, 1, client="undone change 1")
    save(store, items[0], 1)
    save(store, items[0], 2)
    edits = [edit(store, item, "new") for item in items]
    save(store, items[2], 1)
    assert store.change("change 1", "eva", edits) == [item.id for item in items[:2]]
    assert store.latest(items[2].id).annotation["note"] == 1
    save(store, items[0], 3)
    made = store.changed_revisions(project.id, "change 1")
    assert [one.item_id for one, _ in made] == [item.id for item in items[:2]]
    assert [before and before.annotation["note"] for _, before in made] == [2, None]
    assert [one.undone for one in store.changes(project.id)] == [False]
