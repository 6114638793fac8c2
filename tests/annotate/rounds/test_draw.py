from collections import Counter

import pytest
from storing import contents, made_project

from annotate.rounds.draw import begin_round, candidates, draw_round
from fewshot.errors import FewshotError


@pytest.fixture
def make(store):
    """Makes a project with one task."""
    return lambda pool=20, test=5, **changes: made_project(
        store, contents(pool, test), **{"tasks": ("pos",), "blind_share": 0, "double_share": 0} | changes
    )


@pytest.fixture
def draw(store):
    """Draws a round and returns its items."""

    def draw(project, k, seed=0, sampler="random", **changes):
        return store.items(project.id, round_id=draw_round(store, project, k, sampler, seed, **changes).id)

    return draw


def test_a_round_holds_k_examples_of_the_pool_once_a_task(store, make, draw):
    items = draw(make(tasks=("pos", "dep")), 6)
    assert Counter(item.task for item in items) == {"pos": 6, "dep": 6}
    assert len({item.example_id for item in items}) == 6
    assert [item.example_id for item in items[:6]] == [item.example_id for item in items[6:]]


def test_nothing_is_drawn_twice(store, make, draw):
    project = make()
    chosen = [item.example_id for seed in (0, 0, 1) for item in draw(project, 6, seed)]
    assert len(set(chosen)) == 18
    assert set(chosen) <= {key for key, _ in store.lengths(project.id, "pool")}


def test_two_who_draw_at_the_same_moment_do_not_get_the_same_examples(store, make, draw, monkeypatch):
    project = make(pool=8)
    before = candidates(store, project, "pool")
    draw(project, 6)
    monkeypatch.setattr("annotate.rounds.draw.candidates", lambda *_: before)  # what the second one saw
    with pytest.raises(FewshotError, match="somebody else has drawn some of these examples meanwhile; draw again"):
        draw(project, 6, seed=1)
    assert len(store.rounds(project.id)) == 1


@pytest.mark.parametrize(
    ("k", "reason"),
    [
        (3, "2 examples of the pool are not drawn yet, 3 asked; ask for fewer"),
        (0, "0 examples asked; draw at least one"),
        (-1, "-1 examples asked; draw at least one"),
    ],
)
def test_a_round_that_cannot_be_drawn_is_refused(store, make, draw, monkeypatch, k, reason):
    monkeypatch.setattr("annotate.worker.queue.start", lambda *args: pytest.fail("started"))
    project = make(pool=8)
    draw(project, 6)
    with pytest.raises(FewshotError, match=f"^{reason}$"):
        draw(project, k)
    with pytest.raises(FewshotError, match=f"^{reason}"):
        begin_round(store, project, k, "entropy", 0)  # no model is asked
    assert len(store.rounds(project.id)) == 1
    assert len(draw(project, 2)) == 2


def test_a_sampler_decides_which_examples_are_drawn_which_the_round_records(store, make, draw):
    project = make()
    lengths = dict(store.lengths(project.id, "pool"))
    assert {lengths[item.example_id] for item in draw(project, 4, seed=3, sampler="longest")} == {7}
    (drawn,) = store.rounds(project.id)
    assert (drawn.number, drawn.purpose, drawn.sampler, drawn.k, drawn.seed) == (1, "shots", "longest", 4, 3)


@pytest.mark.parametrize(("share", "count"), [(0, 0), (0.01, 1), (0.25, 3), (1, 12)])
def test_a_share_of_the_shots_is_blind_or_goes_to_two_people_and_at_least_one(make, draw, share, count):
    assert sum(item.blind for item in draw(make(blind_share=share), 12)) == count
    items = draw(make(double_share=share), 12)
    people = {}
    for item in items:
        people.setdefault(item.example_id, set()).add(item.annotator)
    assert Counter(map(len, people.values())) == Counter([2] * count + [1] * (12 - count))
    assert len(items) == 12 + count


def test_people_who_share_an_example_see_it_alike(make, draw):
    items = draw(make(double_share=1, blind_share=0.5), 12)
    blind = {item.example_id for item in items if item.blind}
    assert len(blind) == 6 and sum(item.blind for item in items) == 12


def test_the_shares_of_two_rounds_with_one_seed_are_drawn_anew(make, draw):
    project = make(pool=60, blind_share=0.5)
    places = [[item.blind for item in draw(project, 20, seed=0)] for _ in range(3)]
    assert places[0] != places[1] or places[1] != places[2]


def test_examples_are_dealt_round_and_the_next_round_goes_on(make, draw):
    project = make(people=("ana", "ben", "eva"))
    dealt = [item.annotator for k in (4, 3) for item in draw(project, k)]
    assert dealt == ["ana", "ben", "eva", "ana", "ben", "eva", "ana"]


def test_one_person_gets_no_example_twice(make, draw):
    items = draw(make(people=("ana",), double_share=1), 5)
    assert [item.annotator for item in items] == ["ana"] * 5


def test_without_names_two_different_people_take_what_is_for_two(store, make, draw):
    project = make(people=(), double_share=1)
    assert [item.annotator for item in draw(project, 1)] == [None, None]
    taken = [store.next_item(project.id, "pos", name) for name in ("ana", "ana", "ben", "eva")]
    assert [item and item.position for item in taken] == [0, 0, 1, None]


def test_the_test_set_is_blind_and_random_whatever_the_sampler(store, make, draw):
    project = make(test=10)
    items = draw(project, 4, sampler="longest", purpose="test")
    assert all(item.blind and item.purpose == "test" for item in items)
    assert {item.example_id for item in items} <= {key for key, _ in store.lengths(project.id, "test")}
    assert store.rounds(project.id)[0].sampler == "random"


def test_a_draw_depends_on_its_seed_only(store, make, draw):
    def keys(project, seed):
        names = {row.id: row.key for row in store.examples(project.id)}
        return [(names[item.example_id], item.blind) for item in draw(project, 6, seed)]

    first, again, other = (keys(make(blind_share=0.5), seed) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("suggest", [True, False])
def test_a_round_begins_with_its_draw_or_with_the_job_that_draws_and_suggests_where_wanted(
    store, make, monkeypatch, suggest
):
    started = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: started.append(job[2:]) or True)
    project = make()
    begin_round(store, project, 6, "longest", 0, suggest)
    assert [drawn.k for drawn in store.rounds(project.id)] == [6]
    assert [kind for kind, _ in started] == ["suggest"] * suggest
    begin_round(store, project, 5, "entropy", 3, suggest)
    assert len(store.rounds(project.id)) == 1
    args = {"sampler": "entropy", "k": 5, "seed": 3, "model": None, "suggest": suggest}
    assert started[-1] == ("draw", args)
