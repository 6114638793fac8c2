from collections import Counter

import pytest
from storing import contents, made_project

from annotate.exchange import pool
from annotate.rounds.draw import begin_round, begin_whole, candidates, draw_round, take
from annotate.rounds.training_data import training_data
from annotate.store import StoreError
from fewshot.corpora.pool import PoolCount
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError


@pytest.fixture
def make(store):
    return lambda pool=20, test=5, **changes: made_project(
        store, contents(pool, test), **{"tasks": ("pos",), "blind_share": 0, "double_share": 0} | changes
    )


@pytest.fixture
def draw(store):
    def draw(project, k, seed=0, sampler="random", **changes):
        return store.items(project.id, round_id=draw_round(store, project, k, sampler, seed, **changes).id)

    return draw


def test_a_round_holds_k_examples_of_the_pool_once_a_task_and_nothing_is_drawn_twice(store, make, draw):
    project = make(tasks=("pos", "dep"))
    lengths, chosen = dict(store.lengths(project.id, "pool")), []
    for seed in (0, 0, 1):
        items = draw(project, 5, seed)
        assert Counter(item.task for item in items) == {"pos": 5, "dep": 5}
        drawn = [item.example_id for item in items]
        assert drawn[:5] == drawn[5:]
        chosen += drawn[:5]
    assert len(set(chosen)) == 15
    assert set(chosen) <= lengths.keys()
    longest = draw(project, 1, seed=3, sampler="longest")
    assert {lengths[item.example_id] for item in longest} == {max(lengths[key] for key in lengths.keys() - set(chosen))}
    drawn = store.rounds(project.id)[-1]
    assert (drawn.number, drawn.purpose, drawn.sampler, drawn.k, drawn.seed) == (4, "shots", "longest", 1, 3)


def test_the_whole_file_is_assigned_in_its_order_with_the_test_set_at_its_places_and_blind(store):
    words = [("a",), ("b",), ("a",), ("c",), ("d",)]
    read = [Sentence(f"s{at}", form[0], form, upos=("X",)) for at, form in enumerate(words)]
    taken = pool.Intake(frozenset({0, 1, 3, 4}), frozenset({2}), PoolCount(4, 0, 0, 0))
    project = made_project(store, pool.rows(lambda: read, taken), ("ana",), tasks=("pos",), blind_share=0.0)
    begin_whole(store, project, suggest=False)
    items = store.items(project.id)
    assert [item.example_id for item in items] == [row.id for row in store.examples(project.id)]
    assert [item.purpose for item in items] == ["shots", "shots", "test", "shots", "shots"]
    assert [item.blind for item in items] == [False, False, True, False, False]
    for item in items:
        store.save(item.id, "ana", "page", 1, {"upos": ["NOUN"]}, done=True, seconds=1.0, edits=1)
    data = training_data(store, project, "pos")
    assert ([shot.id for shot in data.shots], data.ks) == (["s1", "s3", "s4"], [3])  # s0 has the text of the test set
    assert [tested.id for tested in data.test] == ["s2"]
    begin_whole(store, project)  # everything is assigned
    assert len(store.rounds(project.id)) == 1


def test_what_samplers_leave_out_can_be_taken_and_is_of_the_pool_then(store, draw, monkeypatch):
    monkeypatch.setattr("annotate.worker.queue.suggest", lambda *_: None)
    rest = ("rest", "long", 99, {"type": "Sentence", "id": "long", "text": "a", "words": ["a"]})
    project = made_project(store, [*contents(3, 1), rest], tasks=("pos",), double_share=0)
    (first,) = draw(project, 1)
    example = list(store.examples(project.id))[-1]
    assert example.id not in {left.id for left in candidates(store, project, "pool")}
    take(store, project, example.id, "ana")
    taken = store.items(project.id, round_id=first.round_id)
    assert [item.example_id for item in taken] == [first.example_id, example.id]
    assert (store.project(project.id).pool_size, list(store.examples(project.id))[-1].split) == (4, "pool")
    with pytest.raises(StoreError, match="somebody else drew"):
        take(store, project, example.id, "ben")


def test_two_who_draw_at_the_same_moment_do_not_get_the_same_examples(store, make, draw, monkeypatch):
    project = make(pool=8)
    before = candidates(store, project, "pool")
    draw(project, 6)
    monkeypatch.setattr("annotate.rounds.draw.candidates", lambda *_: before)  # what the second one saw
    with pytest.raises(FewshotError, match="somebody else drew some of these examples in the meantime; draw again"):
        draw(project, 6, seed=1)
    assert len(store.rounds(project.id)) == 1


def test_a_round_that_cannot_be_drawn_is_refused(store, make, draw, monkeypatch):
    monkeypatch.setattr("annotate.worker.queue.start", lambda *args: pytest.fail("started"))
    project = make(pool=8)
    draw(project, 6)
    for k, reason in (
        (3, "only 2 examples of the pool are left, not 3; draw fewer"),
        (0, "cannot draw 0 examples; draw at least one"),
    ):
        with pytest.raises(FewshotError, match=f"^{reason}$"):
            draw(project, k)
        with pytest.raises(FewshotError, match=f"^{reason}"):
            begin_round(store, project, k, "entropy", 0)  # no model is asked
    assert len(store.rounds(project.id)) == 1
    assert len(draw(project, 2)) == 2


@pytest.mark.parametrize(("share", "count"), [(0, 0), (0.01, 1), (0.25, 3), (1, 12)])
def test_a_share_of_the_shots_is_blind_or_goes_to_two_people_who_see_it_alike(make, draw, share, count):
    items = draw(make(blind_share=share, double_share=share), 12)
    people, blind = {}, {}
    for item in items:
        people.setdefault(item.example_id, set()).add(item.annotator)
        blind.setdefault(item.example_id, set()).add(item.blind)
    assert Counter(map(len, people.values())) == Counter([2] * count + [1] * (12 - count))
    assert len(items) == 12 + count
    assert all(len(seen) == 1 for seen in blind.values())
    assert sum(True in seen for seen in blind.values()) == count


def test_examples_are_dealt_round_and_the_next_round_goes_on_and_nobody_gets_one_twice(make, draw):
    project = make(people=("ana", "ben", "eva"))
    dealt = [item.annotator for k in (4, 3) for item in draw(project, k)]
    assert dealt == ["ana", "ben", "eva", "ana", "ben", "eva", "ana"]
    items = draw(make(people=("ana",), double_share=1), 5)
    assert [item.annotator for item in items] == ["ana"] * 5


def test_the_test_set_is_blind_and_random_whatever_the_sampler(store, make, draw):
    project = make(test=10)
    items = draw(project, 4, sampler="longest", purpose="test")
    assert all(item.blind and item.purpose == "test" for item in items)
    assert {item.example_id for item in items} <= {key for key, _ in store.lengths(project.id, "test")}
    assert store.rounds(project.id)[0].sampler == "random"


def test_a_draw_depends_on_its_seed_and_shares_also_on_the_round(store, make, draw):
    def keys(project, seed):
        names = {row.id: row.key for row in store.examples(project.id)}
        return [(names[item.example_id], item.blind) for item in draw(project, 6, seed)]

    first, again, other = (keys(make(blind_share=0.5), seed) for seed in (1, 1, 2))
    assert first == again != other
    project = make(pool=60, blind_share=0.5)
    places = [[item.blind for item in draw(project, 20, seed=0)] for _ in range(3)]
    assert places[0] != places[1] or places[1] != places[2]


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
