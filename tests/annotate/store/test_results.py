"""Results of trainings, and what annotation took."""

from storing import made_items, made_project

from annotate.store.results import LABELLED, PREDICTIONS


def test_a_result_that_comes_again_is_replaced_and_is_the_newest(store):
    project = made_project(store)
    store.add_results(project.id, "pos", [("a", {"score": 1.0}), ("b", {"score": 2.0})])
    store.add_results(project.id, "pos", [("c", {"score": 3.0})])
    store.add_results(project.id, "pos", [("b", {"score": 9.0})])
    store.add_results(project.id, "dep", [("a", {"score": 4.0})])
    assert [row["score"] for row in store.results(project.id, "pos")] == [1.0, 3.0, 9.0]


def test_scores_are_read_without_what_models_say(store):
    project = made_project(store)
    for number in range(2):
        store.add_results(project.id, "pos", [("labelled", {"labelled": f"file {number}"})])
        store.add_results(project.id, "pos", [(f"predictions {number}", {"model": f"model {number}"})])
    store.add_results(project.id, "pos", [("a", {"score": 1.0}), ("predictions 0", {"model": "model 0"})])
    assert store.results(project.id, "pos") == [{"score": 1.0}]
    assert store.newest_result(project.id, "pos", PREDICTIONS) == {"model": "model 0"}
    assert store.newest_result(project.id, "pos", LABELLED) == {"labelled": "file 1"}
    assert store.newest_result(project.id, "dep", LABELLED) is None


def test_the_newest_of_an_encoder_is_asked_for_and_one_that_does_not_say_is_of_mini(store):
    project = made_project(store)
    store.add_results(project.id, "pos", [("predictions old", {"model": "old"})])
    assert store.newest_result(project.id, "pos", PREDICTIONS, encoder="mini") == {"model": "old"}
    assert store.newest_result(project.id, "pos", PREDICTIONS, encoder="mini b") is None
    mini, other = {"model": "m", "encoder": "mini"}, {"model": "o", "encoder": "mini b"}
    store.add_results(project.id, "pos", [("predictions m", mini)])
    store.add_results(project.id, "pos", [("predictions o", other)])
    assert store.newest_result(project.id, "pos", PREDICTIONS, encoder="mini") == mini
    assert store.newest_result(project.id, "pos", PREDICTIONS, encoder="mini b") == other
    assert store.newest_result(project.id, "pos", PREDICTIONS) == other


def test_effort_of_an_item_is_the_sum_over_its_pages(store):
    project = made_project(store)
    pool = [row[0] for row in store.lengths(project.id, "pool")]
    ana, ben = made_items(store, project, [(pool[0], "pos", "ana"), (pool[0], "pos", "ben")])
    for item, who, client, seq, seconds in (
        (ana, "ana", "page 1", 1, 5.0),
        (ana, "ana", "page 1", 2, 8.0),  # a page sends its sum
        (ana, "ana", "page 2", 1, 2.0),
        (ben, "ben", "page 1", 1, 4.0),
    ):
        store.save(item.id, who, client, seq, {"upos": ["_"]}, False, seconds, 1)
    assert store.effort(project.id, "pos") == {ana.id: (10.0, 2), ben.id: (4.0, 1)}
    assert store.tokens(project.id, "pos") == {pool[0]: 3}
    assert store.tokens(project.id, "dep") == {}
