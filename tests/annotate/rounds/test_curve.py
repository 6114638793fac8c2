from dataclasses import replace

import pytest
import storing
from making import examples, result
from storing import annotate as finish
from storing import made_items, made_project, pool_ids, two_rounds

from annotate.rounds import comparison, curve, simulation
from annotate.rounds.draw import draw_round, mean_lengths, next_seed
from annotate.rounds.training_data import training_data
from annotate.store import NewItem, Predictions
from fewshot.costs import prices
from fewshot.reports import tables
from fewshot.tasks.pos import UPOS

WAGE = 30.0


@pytest.fixture
def make(store):
    """Make a project of two rounds, three and five sentences of a minute each; its test set is for ana to annotate."""
    test = [one.unannotated() for one in examples("sentences", 4, seed=4)]
    return lambda **changes: two_rounds(store, test, **{"tag": "NOUN", "wage": WAGE, "currency": "USD"} | changes)


def annotate(store, project, item, seconds, seq=1, tag="NOUN"):
    finish(store, project, item, seq, seconds, tag)


def annotate_test_set(store, project):
    """Annotate the four sentences of the test set, half a minute each; return the items."""
    ids = [row[0] for row in store.lengths(project.id, "test")]
    items = made_items(store, project, [NewItem(key, "pos", "ana", True) for key in ids], purpose="test")
    for item in items:
        annotate(store, project, item, 30.0)
    return items


def trained(store, project, scores, run="", **changes):
    found = training_data(store, project, "pos")
    ids, made = [shot.id for shot in found.shots], {"seconds": 3600.0} | changes
    start, *shots = (
        result(k, score, "annotated", shots=tuple(ids[:k]), learned_from=found.shots_fingerprint(k), **made)
        for k, score in scores.items()
    )
    rows = [
        replace(one, run=f"{run} {one.k} {point.k}", scored_on=found.scored_on(point.k))
        for point in shots
        for one in (start, point)
    ]
    store.add_results(project.id, "pos", rows)


def kept(store, project, model, k=8):
    test = training_data(store, project, "pos").scored_on(8)
    store.add_predictions(project.id, "pos", Predictions(project.encoder, "", model, k, test, {"x": {}}, {"x": {}}))


def measured(store, project, **options):
    made = curve.project_curve(store, project, "pos", prices.load(), **options)
    return made and made.curve


def outdated(store, project):
    return curve.outdated_ks(curve.scores(store, project, "pos"), training_data(store, project, "pos"))


def test_shots_that_score_each_other_keep_unchanged_points_until_there_is_a_test_set(store, make):
    project = make()
    found = training_data(store, project, "pos")
    trained(store, project, {0: 50, 3: 60, 8: 70})
    assert curve.project_curve(store, project, "pos", prices.load()).crossvalidated
    last = store.items(project.id)[-1]
    assert last.example_id == found.ids[-1]
    annotate(store, project, last, 61.0, seq=2, tag="VERB")
    assert [point.k for point in measured(store, project).points] == [0, 3]
    assert outdated(store, project) == [8]
    annotate_test_set(store, project)
    assert measured(store, project) is None
    assert outdated(store, project) == [0, 3, 8]


def test_point_of_shots_whose_annotation_has_changed_is_named(store, make):
    project = make()
    annotate_test_set(store, project)
    trained(store, project, {0: 50, 3: 60, 8: 70})
    assert outdated(store, project) == []
    second = store.items(project.id)[4]
    annotate(store, project, second, 61.0, seq=2, tag="VERB")
    assert [point.k for point in measured(store, project).points] == [0, 3, 8]
    assert outdated(store, project) == [8]
    trained(store, project, {0: 50, 8: 40}, "corrected")
    assert outdated(store, project) == []
    annotate(store, project, second, 62.0, seq=3)
    assert outdated(store, project) == [8], "what is drawn is the score of the correction"


def test_a_round_that_grows_keeps_its_point_unless_it_grows_in_front_and_its_new_size_is_named(store, make):
    project = make()
    trained(store, project, {0: 50, 3: 60, 8: 70})
    ids = pool_ids(store, project)
    late, one, last, *_ = made_items(store, project, [NewItem(key, "pos", "ana", False) for key in ids[8:]])
    annotate(store, project, one, 60.0)
    trained(store, project, {0: 50, 9: 75})
    assert outdated(store, project) == []
    annotate(store, project, last, 60.0)
    assert [(point.k, point.minutes) for point in measured(store, project).points] == [(0, 0), (3, 3), (8, 8), (9, 9)]
    assert outdated(store, project) == [10]
    annotate(store, project, late, 60.0)  # what were the first nine shots are not any more
    assert [point.k for point in measured(store, project).points] == [0, 3, 8]
    assert outdated(store, project) == [11]


@pytest.mark.parametrize(("old", "new", "own"), [(80, 40, None), (40, 75, "models/7")])
def test_the_own_model_is_judged_by_its_own_score_where_shots_are_fewer_than_before(store, make, old, new, own):
    project = make()
    annotate_test_set(store, project)
    trained(store, project, {0: 50, 8: old})
    trained(store, project, {0: 50, 7: new}, "fewer")
    kept(store, project, "models/7", k=7)
    assert curve.own_model(store, project, "pos") == own


@pytest.mark.parametrize(("known_only", "ks", "own"), [(None, [8], "models/8"), (95, [0, 8], None)])
def test_zero_shot_on_known_labels_only_is_no_point_and_no_rival(store, known_only, ks, own):
    rows = storing.split_rows(examples("sentences", 8, seed=3), ())
    project = made_project(store, rows, tasks=("ner",), labels={"ner": ["PER", "LOC", "ORG", "DATE"]})
    for item in made_items(store, project, [(key, "ner", "ana") for key in pool_ids(store, project)]):
        finish(store, project, item)
    found = training_data(store, project, "ner")
    shots = tuple(shot.id for shot in found.shots)
    zero = result(0, 90, task="ner", scored_on=found.scored_on(8), known_only=known_only)
    last = result(8, 40, "annotated", task="ner", scored_on=found.scored_on(8), shots=shots)
    store.add_results(project.id, "ner", [zero, last])
    predictions = Predictions(project.encoder, "", "models/8", 8, found.scored_on(8), {}, {})
    store.add_predictions(project.id, "ner", predictions)
    made = curve.project_curve(store, project, "ner", prices.load())
    assert [point.k for point in made.curve.points] == ks
    assert curve.own_model(store, project, "ner") == own
    assert curve.outdated_ks(curve.scores(store, project, "ner"), found) == ([] if 0 in ks else [0])


def test_another_encoder_begins_a_curve_of_its_own(store, make):
    project = make()
    annotate_test_set(store, project)
    trained(store, project, {0: 50, 8: 70})
    kept(store, project, "models/8")
    other = store.update_project(project.id, encoder="xlm-roberta-base")
    assert measured(store, other) is None
    assert curve.own_model(store, other, "pos") is None
    trained(store, other, {0: 60, 8: 80}, "other", model="xlm-roberta-base")
    assert [point.score for point in measured(store, other).points] == [60, 80]
    assert curve.own_model(store, other, "pos") is None, "its training was stopped before its model was kept"
    kept(store, other, "models/other")
    assert curve.own_model(store, other, "pos") == "models/other"
    back = store.update_project(project.id, encoder=project.encoder)
    assert [point.score for point in measured(store, back).points] == [50, 70]
    assert curve.own_model(store, back, "pos") == "models/8"


def seconds_ahead(store, project):
    return curve.estimate_seconds(store, project, "pos", training_data(store, project, "pos"))


@pytest.mark.parametrize(("tested", "trainings", "first"), [(True, 2, 4), (False, 10, 16)])
def test_the_next_training_takes_as_long_as_the_last_took_for_each_model(store, make, tested, trainings, first):
    """Two seeds, on each part of up to five where the shots score each other; a first training is of both rounds."""
    project, other, encoder = make(), make(), make(encoder="other")
    if tested:
        for one in (project, other, encoder):
            annotate_test_set(store, one)
    assert seconds_ahead(store, project) is None
    trained(store, project, {0: 50, 3: 60})
    assert seconds_ahead(store, project) == trainings * 3600
    trained(store, project, {0: 50, 3: 60, 8: 70})
    assert seconds_ahead(store, project) is None
    assert seconds_ahead(store, other) == first * 3600
    assert seconds_ahead(store, encoder) is None


def test_a_bill_is_annotation_and_computing_except_in_another_currency(store, make):
    project, euro = make(), make(currency="EUR")
    for one in (project, euro):
        trained(store, one, {0: 50, 3: 60, 8: 70})
    hour = prices.load().compute["cpu"].dollars_per_hour
    bill, without = measured(store, project), measured(store, euro)
    assert [point.annotation for point in bill.points] == [0.0, 1.5, 4.0]
    assert [point.dollars for point in bill.points] == pytest.approx([hour, 1.5 + hour, 4.0 + hour])
    assert [point.dollars for point in without.points] == [0.0, 1.5, 4.0]
    for made, costs, cells in (
        (bill, ("$4.00", "$0.100", "$4.10"), ("4.00", "0.1000", "4.10")),
        (without, ("€4.00", "$0.100", "€4.00"), ("4.00", "", "4.00")),
    ):
        row = comparison.table([made])[-1]
        assert (row["annotation"], row["computing"], row["cost"]) == costs
        shown = dict(zip(tables.COLUMNS, tables.rows("here", [made])[-1], strict=True))
        assert (shown["annotation"], shown["computing"], shown["cost"]) == cells
    note = "Computing is priced in dollars: costs in € leave it out."
    assert note in comparison.html("pos", {"here": [without]}, [], [])


def test_a_test_set_has_a_price_and_of_an_older_one_neither_points_nor_predictions_are_shown_but_its_model_is_kept(
    store, make
):
    project = make()
    items = annotate_test_set(store, project)
    kept(store, project, "models/8")
    trained(store, project, {0: 50, 3: 60, 8: 70})
    made = curve.project_curve(store, project, "pos", prices.load())
    assert (made.predictions, made.test) == ({"x": {}}, (2.0, 1.0))
    assert [point.minutes for point in made.curve.points] == [0.0, 3.0, 8.0]
    assert outdated(store, project) == []
    billed = measured(store, project, bill_test=True).points
    assert [(point.minutes, point.annotation) for point in billed] == [(2.0, 1.0), (5.0, 2.5), (10.0, 5.0)]
    annotate(store, project, items[0], 31.0, seq=2, tag="VERB")
    assert measured(store, project) is None
    assert outdated(store, project) == [0, 3, 8]
    trained(store, project, {0: 40, 3: 55}, "new")  # and then it was stopped
    assert outdated(store, project) == [8]
    made = curve.project_curve(store, project, "pos", prices.load())
    assert [(point.k, point.score) for point in made.curve.points] == [(0, 40), (3, 55)]
    assert (made.predictions, made.before, made.model) == ({}, {}, "models/8")


@pytest.mark.parametrize(
    ("tested", "score", "own"), [(True, 70, "models/8"), (False, 70, "models/8"), (False, 50.1, None), (True, 40, None)]
)
def test_the_own_model_is_used_where_it_beats_zero_shot_also_after_later_annotation(store, make, tested, score, own):
    project = make()
    items = annotate_test_set(store, project) if tested else store.items(project.id)
    trained(store, project, {0: 50, 3: 80, 8: score})
    assert curve.own_model(store, project, "pos") is None
    kept(store, project, "models/8")
    assert curve.own_model(store, project, "pos") == own
    annotate(store, project, items[0], 31.0, seq=2, tag="VERB")
    assert measured(store, project) is None
    assert curve.own_model(store, project, "pos") == own


def test_simulated_results_never_mix_with_measured_ones(store, make):
    project = make()
    annotate_test_set(store, project)
    trained(store, project, {0: 50, 3: 60, 8: 70})
    found = training_data(store, project, "pos")
    before = measured(store, project)
    assert simulation.simulated_curve(store, project, "pos", found, prices.load()) is None
    for k, sampler, score in ((0, "", 50), (3, "random", 65), (8, "random", 75), (8, "longest", 80)):
        scored = result(k, score, sampler, scored_on=found.scored_on(8))
        store.add_results(project.id, "pos", [scored], simulated=True)
    assert measured(store, project) == before
    made = simulation.simulated_curve(store, project, "pos", found, prices.load())
    assert (made.name, made.simulated) == ("simulated with gold labels", True)
    assert [point.score for point in made.points] == [50, 65, 75]
    annotate(store, project, store.items(project.id)[-1], 31.0, seq=2, tag="VERB")
    changed = training_data(store, project, "pos")
    assert simulation.simulated_curve(store, project, "pos", changed, prices.load()) is None


def test_a_simulation_goes_two_rounds_further_where_the_pool_has_labels_for_them(store, make):
    project = make(k=4)
    found = training_data(store, project, "pos")
    assert simulation.is_possible(store, project, "pos", found)
    first, *rest = simulation.pool(store, project, "pos", [])
    assert len(rest) == 11
    assert [one.id for one in simulation.pool(store, project, "pos", [first])] == [one.id for one in rest]
    assert simulation.ks(project, found, 100) == [3, 8, 12, 16]
    assert simulation.ks(project, found, 12) == [3, 8, 12]
    raw = made_project(store, storing.split_rows([first.unannotated()], ()), tasks=("pos",), labels={"pos": list(UPOS)})
    for item in made_items(store, raw, [(key, "pos", "ana") for key in pool_ids(store, raw)]):
        annotate(store, raw, item, 1.0)
    found = training_data(store, raw, "pos")
    assert len(found.ids) == 1 and not simulation.is_possible(store, raw, "pos", found)


def test_lengths_ahead_are_those_of_the_next_draw(store, make):
    project = make()
    seed = next_seed(store, project)
    found = mean_lengths(store, project, 2, seed)
    assert set(found) == {"random", "shortest", "longest", "text-order"}
    assert found["shortest"] <= found["random"] <= found["longest"]
    sizes = dict(store.lengths(project.id, "pool"))
    made = draw_round(store, project, 2, "random", seed)
    drawn = {item.example_id for item in store.items(project.id, round_id=made.id)}
    assert found["random"] == sum(sizes[key] for key in drawn) / 2
    assert next_seed(store, project) != seed
    assert mean_lengths(store, project, 3, seed) == {}
