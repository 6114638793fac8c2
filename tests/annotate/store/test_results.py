import math

from making import result
from storing import on_both

from annotate.store import LabelledFile, Predictions


@on_both
def test_a_result_that_comes_again_is_replaced_and_is_the_newest_and_simulated_ones_are_kept_apart(store, project):
    store.add_results(project.id, "pos", [result(0, 1.0), result(10, 2.0)])
    store.add_results(project.id, "pos", [result(10, 3.0, shot_set=1)])
    store.add_results(project.id, "pos", [result(10, 9.0)])
    store.add_results(project.id, "pos", [result(8, 70.0)], simulated=True)
    fields = {"shots": ("a", "日本"), "rounds": (3, 5), "chosen": ("c",), "scored_on": "x", "learned_from": "y"}
    made = [result(8, 50.5, "entropy", shot_set=fold, run="a", **fields) for fold in range(3)]
    store.add_results(project.id, "dep", made)
    store.add_results(project.id, "pos", [])
    assert [one.score for one in store.results(project.id, "pos")] == [1.0, 3.0, 9.0]
    assert [one.score for one in store.results(project.id, "pos", simulated=True)] == [70.0]
    assert store.results(project.id, "dep") == made


def test_a_score_that_is_no_number_is_read(store, project):
    """SQLite keeps such a score, though JSON has no such number; PostgreSQL refuses it."""
    store.add_results(project.id, "pos", [result(8, math.nan)])
    (found,) = store.results(project.id, "pos")
    assert math.isnan(found.score)


def predictions(encoder, model, k=8):
    return Predictions(encoder, "", model, k, "fingerprint", {"a": {"upos": ["X"]}}, {})


@on_both
def test_the_newest_predictions_of_an_encoder_and_the_newest_labelled_file_count(store, project):
    mini, other, again = predictions("mini", "m"), predictions("mini b", "o"), predictions("mini", "n")
    for one in (mini, other, again):
        store.add_predictions(project.id, "pos", one)
    assert store.newest_predictions(project.id, "pos", "mini", "") == again
    assert store.newest_predictions(project.id, "pos", "mini b", "") == other
    assert store.newest_predictions(project.id, "dep", "mini", "") is None
    assert store.newest_predictions(project.id, "pos", "mini", "fi") is None
    store.add_predictions(project.id, "pos", predictions("mini", "m", k=9))
    assert store.newest_predictions(project.id, "pos", "mini", "") == predictions("mini", "m", k=9)
    assert store.labelled_file(project.id, "pos") is None
    for number in range(2):
        store.set_labelled_file(project.id, "pos", LabelledFile(f"file {number}", 7))
    assert store.labelled_file(project.id, "pos") == LabelledFile("file 1", 7)
    assert store.labelled_file(project.id, "dep") is None
