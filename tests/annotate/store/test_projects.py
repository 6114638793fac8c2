from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from threading import Barrier

import pytest
from sqlalchemy import event
from storing import contents, made_items, made_project, on_both, pool_ids

from annotate.store import NewItem, NewProject, StoreError


@on_both
def test_examples_are_chosen_by_split_and_id_and_come_by_position(store, project):
    found = list(store.examples(project.id))
    assert [(e.split, e.key, e.length, e.content) for e in found] == list(contents())
    assert [e.position for e in found] == list(range(25))
    assert list(store.examples(project.id, split="test")) == found[20:]
    assert list(store.examples(project.id, ids={found[21].id, found[3].id}, split="pool")) == [found[3]]
    assert list(store.examples(project.id, ids=[])) == []
    other = made_project(store, name="other")
    assert list(store.examples(other.id, ids=[e.id for e in found])) == []


@on_both
def test_the_recordings_that_sentences_name_are_counted(store, project):
    assert store.count_recordings(project.id) == {}
    names = ["mar.wav", "日本.wav", "mar.wav", 'o\'clock "x".wav', None]
    said = [{"recording": {"file": name, "begin": 0.5, "end": None}} if name else {} for name in names]
    rows = [("pool", str(n), 1, {"type": "Sentence", "id": str(n), **one}) for n, one in enumerate(said)]
    other = made_project(store, rows, name="heard")
    assert store.count_recordings(other.id) == {"mar.wav": 2, 'o\'clock "x".wav': 1, "日本.wav": 1}
    assert store.count_recordings(project.id) == {}


def test_an_unreadable_pool_leaves_no_project_and_what_was_added_before_stays(store):
    def broken():
        yield from contents(2500, test=0)
        raise ValueError("line 2501")

    with pytest.raises(ValueError, match="line 2501"):
        made_project(store, examples=broken())
    assert store.projects() == []
    assert next(store.examples(1), None) is None
    project = made_project(store)
    with pytest.raises(ValueError, match="line 2501"):
        store.add_examples(project.id, broken())
    assert len(store.lengths(project.id, "pool")) == store.project(project.id).pool_size == 2020


@on_both
def test_nobody_sees_a_project_before_its_last_example_and_others_work_on(store, project):
    seen = []

    def slow():
        yield from contents(4500)
        seen.append(store.projects())
        store.update_project(project.id, wage=30.0)  # would wait for ever, were the database locked

    made_project(store, examples=slow())
    assert seen == [[project]]
    assert store.project(project.id).wage == 30.0


@on_both
def test_of_two_projects_with_one_name_that_are_complete_at_once_one_stays(store, project):
    complete, values = Barrier(2), asdict(project)
    new = NewProject(**{name: values[name] for name in NewProject.__dataclass_fields__} | {"name": "Wolof"})

    def rows():
        yield from contents(2, test=0)
        complete.wait(60)

    def create(_):
        try:
            return store.create_project(new, rows(), (), unique=True)
        except StoreError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        created = list(pool.map(create, range(2)))
    assert created.count("there is a project named 'Wolof' already; choose another name") == 1
    (stays,) = [one for one in created if not isinstance(one, str)]
    assert store.projects() == [project, stays]


def test_what_a_killed_import_or_deletion_left_is_unseen_and_goes_with_a_later_project(store, fill, later, monkeypatch):
    class Killed(BaseException):
        pass

    def dies():
        yield from contents(5)
        raise Killed

    def die(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(store, "_remove_examples", die)
        with pytest.raises(Killed):
            made_project(store, examples=dies())
        made, other = fill(store), made_project(store)
        with pytest.raises(Killed):
            store.delete_project(made.id)
    assert store.projects(archived=None) == [other]
    assert len(list(store.examples(1))) == 0
    later(2 * 86_400)
    made_project(store, examples=[])
    assert not any(store.count_rows(made.id).values())
    with store.reading() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM projects WHERE NOT ready").scalar() == 0


@on_both
def test_settings_and_people_change_one_by_one(store, project):
    changed = store.update_project(project.id, wage=25.5, tasks=("pos",), labels={"pos": ["X"]})
    assert (changed.wage, changed.tasks, changed.labels, changed.name) == (25.5, ("pos",), {"pos": ["X"]}, "Japanese")
    assert store.update_project(project.id) == changed
    for name in ("pool_size", "id", "colour"):
        with pytest.raises(StoreError, match=f"{name} cannot be changed"):
            store.update_project(project.id, **{name: 3})
    for name in ("", " ", "two\nlines"):
        with pytest.raises(StoreError, match="is not a valid project name"):
            store.update_project(project.id, name=name)
        with pytest.raises(StoreError, match="is not a valid project name"):
            made_project(store, name=name)
    renamed = store.update_project(project.id, name=" Wolof ")
    assert renamed.name == "Wolof"
    assert (store.projects("ana"), store.projects("cho")) == ([renamed], [])
    store.set_project_people(project.id, ["cho", "ana", "cho"])
    assert store.project_people(project.id) == ["cho", "ana"]
    assert (store.projects("ben"), store.projects()) == ([], [renamed])


@on_both
def test_examples_are_added_behind_those_that_there_are(store, project):
    more = [("pool", f"more-{n}", 4, {"type": "Document", "id": f"more-{n}", "text": "猫"}) for n in range(2100)]
    assert store.add_examples(project.id, more) == 2100
    now = store.project(project.id)
    assert (now.pool_size, now.test_size) == (2120, 5)
    found = list(store.examples(project.id))
    assert [one.position for one in found] == list(range(2125))
    assert [one.key for one in found[25:]] == [key for _, key, _, _ in more]


def test_a_name_is_free_unless_another_project_has_it(store, project):
    with pytest.raises(StoreError, match="a project named 'Japanese' already"):
        store.require_free_name(" Japanese ")
    store.require_free_name("Japanese", project)
    made_project(store, name="Japanese 2")
    assert [store.free_name(name) for name in ("Japanese", "Wolof")] == ["Japanese 3", "Wolof"]


@on_both
def test_a_deleted_project_is_gone_with_all_that_belongs_to_it_and_nothing_else(store, fill):
    kept, deleted = fill(store, name="kept"), fill(store, name="deleted")
    store.add_user("ana", "hash")
    before = store.count_rows(kept.id)
    assert [name for name, rows in before.items() if not rows] == ["logins", "users", "sessions"]
    store.delete_project(deleted.id)
    assert store.projects(archived=None) == [store.project(kept.id)]
    assert store.count_rows(kept.id) == before
    assert not any(store.count_rows(deleted.id).values())
    assert [user.name for user in store.users()] == ["ana"]


@on_both
def test_rounds_are_numbered_in_each_project_and_items_come_by_what_is_asked(store, project, pool):
    wanted = [(pool[3], "pos", "ben", True), (pool[1], "pos", "ana"), (pool[1], "dep", "ana")]
    first = made_items(store, project, wanted)
    second = made_items(store, project, [(pool[0], "pos", "ana")], purpose="test")
    assert [(one.number, one.purpose) for one in store.rounds(project.id)] == [(1, "shots"), (2, "test")]
    assert store.drawn_examples(project.id) == {pool[0], pool[1], pool[3]}
    found = [(item.example_id, item.position, item.blind) for item in first]
    assert found == [(pool[3], 0, True), (pool[1], 1, False), (pool[1], 2, False)]
    assert store.items(project.id) == first + second
    assert store.items(project.id, annotator="ana", task="pos") == [first[1], second[0]]
    assert store.items(project.id, purpose="test") == second
    assert store.item(first[0].id) == first[0]
    other = made_project(store)
    made_items(store, other, [(pool_ids(store, other)[0], "pos")])
    assert [one.number for one in store.rounds(other.id)] == [1]


def test_items_that_contradict_the_project_are_refused(store, project, pool):
    made_items(store, project, [(pool[0], "pos", "ana")])
    with pytest.raises(StoreError, match="same example twice for the same task"):
        made_items(store, project, [(pool[1], "pos", "ana"), (pool[0], "pos", "ana")])
    stranger = next(iter(store.examples(made_project(store).id)))
    with pytest.raises(StoreError, match=f"example {stranger.id} is not in project {project.id}"):
        made_items(store, project, [NewItem(stranger.id, "pos")])
    assert len(store.items(project.id)) == len(store.rounds(project.id)) == 1


def test_what_is_not_there_is_named(store):
    for call in (
        store.project, lambda id: store.set_project_people(id, []), store.delete_project,
        lambda id: store.add_examples(id, contents()),
    ):  # fmt: skip
        with pytest.raises(StoreError, match="no project 9"):
            call(9)
    with pytest.raises(StoreError, match="no item 9"):
        store.item(9)
    with pytest.raises(StoreError, match="no job 9"):
        store.job(9)


def test_the_next_item_is_found_without_reading_the_pool(store, project, pool):
    made_items(store, project, [(pool[-1], "pos")])
    statements = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert store.next_item(project.id, "pos", "ana").example_id == pool[-1]
    assert statements and len(statements) < 10
    assert not any("examples" in statement for statement in statements)
