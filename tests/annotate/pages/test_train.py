import json

import pytest
from app_page import checked, has_button, labelled, open_page, press, says, values
from desk import new_project
from making import examples, result

from annotate.rounds import simulation
from annotate.rounds.draw import candidates
from annotate.rounds.training_data import training_data
from annotate.store import Predictions

RETRAIN = "Train again: k = {} no score on the present annotation."


@pytest.fixture
def project(store):
    """Twelve sentences with hidden gold labels, and four of the test set without."""
    test = [one.unannotated() for one in examples("sentences", 4, seed=4)]
    settings = {"wage": 30.0, "currency": "USD", "k": 2, "hides_gold": True}
    return new_project(store, examples("sentences", 12, seed=3), "pos", test=test, **settings)


@pytest.fixture
def annotate(alone, desk):
    """Finishes sentences from the first to before the last one, a minute each; those of the test set come last."""

    def annotate(first, last, tag="NOUN"):
        places = range(first, last)
        mine = {item.example_id: item for item in desk.store.items(desk.project.id)}
        if desk.ids[first] not in mine:
            purpose, blind = ("test", True) if first >= 12 else ("shots", False)
            drawn = desk.draw(*((place, "pos", "ana", blind) for place in places), purpose=purpose)
            mine |= {item.example_id: item for item in drawn}
        for row in desk.store.examples(desk.project.id, ids=[desk.ids[place] for place in places]):
            desk.keep(mine[row.id], {"upos": [tag] * row.length}, seconds=60.0)

    annotate(0, 8)
    return annotate


@pytest.fixture
def trained(store, project, annotate):
    def trained(sampler="annotated", scores=(50, 70), simulated=False, **changes):
        test = training_data(store, project, "pos").scored_on(8)
        for k, score in zip((0, 8), scores, strict=False):
            store.add_results(project.id, "pos", [result(k, score, sampler, scored_on=test, **changes)], simulated)
        if not simulated:
            store.add_predictions(project.id, "pos", Predictions("mini", "", "model", 8, test, {}, {}))

    return trained


def next_round(page):
    return [line for line in values((*page.success, *page.warning)) if "The next" in line]


def traces(page):
    (chart,) = page.get("plotly_chart")
    return [trace["name"] for trace in json.loads(chart.proto.spec)["data"]]


@pytest.mark.parametrize("leads", [True, False])
def test_a_test_set_that_nobody_annotates_is_offered_and_opened(store, project, alone, annotate, leads):
    """Who is none of the annotators draws it for others."""
    if leads:
        store.set_project_people(project.id, [alone])
    page = press(open_page("train", project), "Annotate the test set")
    assert [drawn.purpose for drawn in store.rounds(project.id)][-1] == "test"
    if leads:
        (first,) = page.session_state["shown"].values()
        assert (store.item(first).purpose, page.session_state["to page"]) == ("test", "Annotate")
    assert has_button(page, "Annotate the test set") == leads


def test_the_next_round_is_drawn_from_the_rest_of_the_pool(store, project, desk, trained):
    trained()
    left = [desk.ids.index(one.id) for one in candidates(store, project, "pool")]
    desk.draw(*((place, "pos", "ana") for place in left[:-1]))
    page = open_page("train", project)
    assert "The next round of 1 sentence is" in next_round(page)[0]
    desk.draw((left[-1], "pos", "ana"))
    checked(page.run())
    assert next_round(page) == []
    assert "Every example of the pool is drawn. You can add more text on the page *Data & export*." in values(
        page.caption
    )


def test_no_round_is_priced_while_there_is_more_to_train_on(project, annotate, trained):
    trained()
    assert "The next round of 2 sentences" in next_round(open_page("train", project))[0]
    annotate(8, 9)
    page = open_page("train", project)
    assert next_round(page) == []
    assert RETRAIN.format("9 has") in values(page.warning)
    assert "After 8 sentences" in [metric.label for metric in page.metric]
    assert any(line.endswith("Takes about 36 s, as estimated from the last training.") for line in values(page.caption))


def test_a_model_that_does_not_beat_zero_shot_labels_the_rest_with_a_warning(project, trained):
    warning = "The newest model, which labels the rest, is not better than the English one."
    trained(scores=(50, 70))
    assert warning not in values(open_page("train", project).warning)
    trained(scores=(50, 49))
    page = open_page("train", project)
    assert warning in values(page.warning)
    assert says(page.info, "For now, use the source model")
    assert has_button(page, "Label the rest")


def test_zero_shot_on_known_labels_only_stands_beside_it_and_a_small_test_set_gives_no_advice(project, trained):
    trained(known_only=90.0, low=30, high=95)
    page = open_page("train", project)
    zero = labelled(page.metric, "Zero-shot")
    assert (zero.value, zero.delta) == ("50.0", "known labels only: 90.0")
    assert next_round(page) == []
    assert says(page.info, "No advice: the test set is too small")


def test_a_test_set_has_a_price_that_a_switch_adds_to_every_point_and_can_be_simulated_on(
    project, annotate, trained, started
):
    trained()
    page = open_page("train", project)
    assert "Japanese (fitted, 80% band)" in traces(page)
    assert simulation.NAME not in traces(page)
    assert not has_button(page, "Simulate with gold labels")  # without a test set
    annotate(12, 16)
    trained()
    trained("random", simulated=True)
    checked(page.run())
    assert simulation.NAME in traces(page)
    test = labelled(page.metric, "Test set")
    assert (test.value, test.delta) == ("$2.00", "4 min, once")
    assert list(page.dataframe[-1].value["annotation"]) == ["$0.00", "$4.00"]
    checked(page.toggle[0].set_value(True).run())
    assert [metric.value for metric in page.metric if metric.label == "Annotation"] == ["$4.00"]
    assert list(page.dataframe[-1].value["annotation"]) == ["$2.00", "$6.00"]
    labelled(page.button, "Simulate with gold labels").click().run()  # reruns a fragment, which AppTest cannot
    assert started == [("simulate", {"task": "pos"})]
    annotate(12, 13, tag="VERB")
    page = open_page("train", project)
    assert values(page.warning) == [RETRAIN.format("0, 8 have")]
    assert [metric.label for metric in page.metric] == []


def test_the_second_press_is_told_that_the_training_is_under_way(project, annotate, monkeypatch):
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: None)
    page = press(open_page("train", project), "Train on 8 sentences")
    assert values(page.toast) == ["This job is already running; another person started it."]
