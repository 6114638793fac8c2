from datetime import UTC, datetime, timedelta
from time import perf_counter

import pytest
from storing import contents, made_items, made_project

from annotate.store import NewItem, StoreError


def test_a_project_comes_back_as_it_was_given(store, project):
    assert store.projects() == [project] == [store.project(project.id)]
    assert (project.name, project.tasks, project.labels["pos"]) == ("Japanese", ("pos", "dep"), ["NOUN", "VERB"])
    assert (project.pool_size, project.test_size, project.seed) == (20, 5, 7)
    assert abs(datetime.now(UTC) - project.created) < timedelta(minutes=1)


def test_examples_come_by_position_with_their_content(store, project):
    found = list(store.examples(project.id))
    assert [(e.split, e.key, e.length, e.content) for e in found] == list(contents())
    assert [e.position for e in found] == list(range(25))


def test_examples_are_chosen_by_split_id_place_and_number(store, project):
    found = list(store.examples(project.id))
    assert list(store.examples(project.id, split="test")) == found[20:]
    assert list(store.examples(project.id, ids={found[21].id, found[3].id}, split="pool")) == [found[3]]
    assert list(store.examples(project.id, ids=[])) == []


def test_examples_of_another_project_are_not_found(store, project):
    other = made_project(store, name="other")
    ids = [e.id for e in store.examples(project.id)]
    assert list(store.examples(other.id, ids=ids)) == []


def test_an_unreadable_pool_leaves_no_project(store):
    def broken():
        yield from contents(5000)
        raise ValueError("line 5001")

    with pytest.raises(ValueError, match="line 5001"):
        made_project(store, examples=broken())
    assert store.projects() == []
    assert next(store.examples(1), None) is None


def test_nobody_sees_a_project_before_its_last_example_and_others_work_on(store, project):
    seen = []

    def slow():
        yield from contents(4500)
        seen.append(store.projects())
        store.update_project(project.id, wage=30.0)  # would wait for ever, were the database locked

    made_project(store, examples=slow())
    assert seen == [[project]]
    assert store.project(project.id).wage == 30.0


def test_what_a_killed_import_left_goes_with_a_later_one(store, monkeypatch):
    class Killed(BaseException):
        pass

    def dies():
        yield from contents(5)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(store, "_remove", lambda *_: None)
        with pytest.raises(Killed):
            made_project(store, examples=dies())
    made_project(store)
    assert len(list(store.examples(1))) == 0
    later = datetime.now(UTC) + timedelta(days=2)
    monkeypatch.setattr(store, "now", lambda: later)
    made_project(store, examples=[])
    with store.reading() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM projects WHERE NOT ready").scalar() == 0


def test_people_see_their_projects_only(store, project):
    assert store.projects("ana") == [project]
    assert store.projects("cho") == []
    store.set_project_people(project.id, ["cho", "ana", "cho"])
    assert store.project_people(project.id) == ["cho", "ana"]
    assert store.projects("ben") == []


def test_settings_change_one_by_one(store, project):
    changed = store.update_project(project.id, wage=25.5, tasks=("pos",), labels={"pos": ["X"]})
    assert (changed.wage, changed.tasks, changed.labels, changed.name) == (25.5, ("pos",), {"pos": ["X"]}, "Japanese")
    assert store.update_project(project.id) == changed


@pytest.mark.parametrize("name", ["pool_size", "id", "colour"])
def test_what_is_fixed_or_unknown_is_refused(store, project, name):
    with pytest.raises(StoreError, match=f"{name} cannot be changed"):
        store.update_project(project.id, **{name: 3})


def test_batches_are_numbered_in_each_project(store, project, pool):
    other = made_project(store)
    ids = [row[0] for row in store.lengths(other.id, "pool")]
    for k in (1, 2):
        made_items(store, project, [(pool[k], "pos")])
    made_items(store, other, [(ids[0], "pos")], purpose="test")
    assert [drawn.number for drawn in store.rounds(project.id)] == [1, 2]
    assert [(drawn.number, drawn.purpose) for drawn in store.rounds(other.id)] == [(1, "test")]
    assert store.drawn(project.id) == {pool[1], pool[2]}


def test_items_come_in_order_and_by_what_is_asked(store, project, pool):
    first = made_items(
        store, project, [(pool[3], "pos", "ben", True), (pool[1], "pos", "ana"), (pool[1], "dep", "ana")]
    )
    second = made_items(store, project, [(pool[0], "pos", "ana")], purpose="test")
    assert [(item.example_id, item.position, item.blind) for item in first] == [
        (pool[3], 0, True),
        (pool[1], 1, False),
        (pool[1], 2, False),
    ]
    assert store.items(project.id) == first + second
    assert store.items(project.id, annotator="ana", task="pos") == [first[1], second[0]]
    assert store.items(project.id, purpose="test") == second
    assert store.item(first[0].id) == first[0]


def test_one_person_never_gets_an_example_twice_for_a_task(store, project, pool):
    made_items(store, project, [(pool[0], "pos", "ana")])
    with pytest.raises(StoreError, match="same example for the same task twice"):
        made_items(store, project, [(pool[1], "pos", "ana"), (pool[0], "pos", "ana")])
    assert len(store.items(project.id)) == len(store.rounds(project.id)) == 1


def test_examples_of_another_project_are_not_assigned(store, project):
    other = made_project(store)
    stranger = next(iter(store.examples(other.id)))
    with pytest.raises(StoreError, match=f"example {stranger.id} is not of project {project.id}"):
        made_items(store, project, [NewItem(stranger.id, "pos")])


def test_what_is_not_there_is_named(store):
    with pytest.raises(StoreError, match="no project 9"):
        store.project(9)
    with pytest.raises(StoreError, match="no project 9"):
        store.set_project_people(9, [])
    with pytest.raises(StoreError, match="no item 9"):
        store.item(9)


def test_a_large_pool_is_written_as_it_is_read_and_the_next_item_is_found_at_once(store):
    project = made_project(store, examples=contents(pool=200_000, test=100), people=["ana"])
    assert (project.pool_size, project.test_size) == (200_000, 100)
    lengths = store.lengths(project.id, "pool")
    assert len(lengths) == 200_000
    last = lengths[-1][0]
    made_items(store, project, [(last, "pos")])
    start = perf_counter()
    assert store.next_item(project.id, "pos", "ana").example_id == last
    assert perf_counter() - start < 2.0  # some milliseconds; reading the pool takes longer than this bound
