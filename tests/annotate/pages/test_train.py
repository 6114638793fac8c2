"""What the train page says of a project whose trainings are in the store; nothing is trained here."""

import json
from types import SimpleNamespace

import pytest
from making import examples, result
from storing import made_items, made_project
from streamlit.testing.v1 import AppTest

from annotate.components import frame
from annotate.editing import content
from annotate.rounds import curve, effort, simulation
from annotate.rounds.draw import candidates
from annotate.rounds.training_data import training_data
from annotate.store import NewItem, Predictions, Store
from fewshot.costs import prices
from fewshot.tasks.pos import UPOS


@pytest.fixture
def store(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'fewshot.db'}"
    monkeypatch.setenv("FEWSHOT_DB_URL", url)
    monkeypatch.setenv("FEWSHOT_USERS", "")
    made = Store.open(url)
    monkeypatch.setattr(frame, "store", lambda: made)
    yield made
    made.close()


@pytest.fixture
def project(store):
    """Eight of twelve sentences with gold labels are annotated; of the four of the test set nobody was asked yet."""
    rows = [("pool", one.id, one.length, content.to_json(one)) for one in examples("sentences", 12, seed=3)]
    rows += [
        ("test", one.id, one.length, content.to_json(one.unannotated())) for one in examples("sentences", 4, seed=4)
    ]
    made = made_project(store, rows, tasks=("pos",), labels={"pos": list(UPOS)}, wage=30.0, currency="USD", k=2)
    ids = [row[0] for row in store.lengths(made.id, "pool")]
    annotate(store, made, made_items(store, made, [NewItem(key, "pos", "ana", False) for key in ids[:8]]))
    return made


def annotate(store, project, items, seq=1, tag="NOUN"):
    """Finish items, a minute each."""
    for item in items:
        size = next(store.examples(project.id, ids=[item.example_id])).length
        store.save(item.id, "ana", "page", seq, {"upos": [tag] * size}, True, 60.0, 1)


def trained(store, project, sampler="annotated", scores=(50, 70), simulated=False):
    """Store a training as its job does."""
    test = training_data(store, project, "pos").scored_on(8)
    for k, score in zip((0, 8), scores, strict=False):
        store.add_results(project.id, "pos", [result(k, score, sampler, scored_on=test)], simulated)
    if not simulated:
        store.add_predictions(project.id, "pos", Predictions("mini", "", "model", 8, test, {}, {}))


def page(project):
    """Return the page as it is drawn."""

    def script():
        from annotate.pages import train

        train.show()

    app = AppTest.from_function(script, default_timeout=30)
    app.query_params["project"] = str(project.id)
    app.run()
    assert not app.exception
    return app


def drawn(app):
    """Return the names of the traces of the chart."""
    (chart,) = app.get("plotly_chart")
    return [trace["name"] for trace in json.loads(chart.proto.spec)["data"]]


def labels(app):
    return [metric.label for metric in app.metric]


def button(app, label):
    return next(one for one in app.button if one.label == label)


@pytest.mark.parametrize("leads", [True, False])
def test_test_set_that_nobody_annotates_is_offered_and_opened(store, project, leads):
    """Who is none of the annotators draws it for others."""
    if leads:
        store.set_project_people(project.id, [frame.user().name])
    app = page(project)
    button(app, "Annotate the test set").click().run()
    assert [drawn.purpose for drawn in store.rounds(project.id)] == ["shots", "test"]
    if leads:
        (first,) = app.session_state["shown"].values()
        assert (store.item(first).purpose, app.session_state["to page"]) == ("test", "Annotate")
    assert ("Annotate the test set" in [one.label for one in app.button]) == leads


def test_next_round_is_of_what_is_left_of_the_pool(store, project):
    trained(store, project)
    left = [one.id for one in candidates(store, project, "pool")]
    made_items(store, project, [NewItem(key, "pos", "ana", False) for key in left[:-1]])
    app = page(project)
    assert any("The next round of 1 sentence is" in one.value for one in (*app.success, *app.warning))
    made_items(store, project, [NewItem(left[-1], "pos", "ana", False)])
    app.run()
    assert not any("The next round" in one.value for one in (*app.success, *app.warning))
    assert "All of the pool is drawn. More text can be added under *Data & export*." in [
        one.value for one in app.caption
    ]


def test_test_set_has_a_price_that_a_switch_adds_to_every_point(store, project):
    ids = [row[0] for row in store.lengths(project.id, "test")]
    items = made_items(store, project, [NewItem(key, "pos", "ana", True) for key in ids], purpose="test")
    annotate(store, project, items)
    trained(store, project)
    app = page(project)
    test = next(metric for metric in app.metric if metric.label == "Test set")
    assert (test.value, test.delta) == ("$2.00", "4 min, once")
    assert list(app.dataframe[-1].value["annotation"]) == ["$0.00", "$4.00"]
    app.toggle[0].set_value(True).run()
    assert [metric.value for metric in app.metric if metric.label == "Annotation"] == ["$4.00"]
    assert list(app.dataframe[-1].value["annotation"]) == ["$2.00", "$6.00"]
    annotate(store, project, items[:1], seq=2, tag="VERB")
    app.run()
    assert [one.value for one in app.warning] == ["Train again: k = 0, 8 have no score on what is annotated now."]
    assert labels(app) == []


def test_no_round_is_priced_while_there_is_more_to_train_on(store, project):
    trained(store, project)
    app = page(project)
    assert any("The next round of 2 sentences" in one.value for one in (*app.success, *app.warning))
    (key,) = store.lengths(project.id, "pool")[8][:1]
    annotate(store, project, made_items(store, project, [NewItem(key, "pos", "ana", False)]))
    app = page(project)
    assert not any("The next" in one.value for one in (*app.success, *app.warning))
    assert "Train again: k = 9 has no score on what is annotated now." in [one.value for one in app.warning]
    assert "After 8 sentences" in labels(app)
    assert any(one.value.endswith("Takes about 36 s, going by the last training.") for one in app.caption)


def test_of_results_without_a_fingerprint_nothing_is_said_to_have_changed(store, project):
    store.add_results(project.id, "pos", [result(8, 70, scored_on="shots")])
    (said,) = [one.value for one in page(project).warning]
    assert said == "Train again: k = 0, 8 have no score on what is annotated now."


def test_a_model_that_does_not_beat_zero_shot_labels_the_rest_with_a_warning(store, project):
    said = "What labels the rest is the newest model, which does not beat the English one."
    trained(store, project, scores=(50, 70))
    assert said not in [one.value for one in page(project).warning]
    trained(store, project, scores=(50, 49))
    app = page(project)
    assert said in [one.value for one in app.warning]
    assert any(one.value.startswith("Use the source model") for one in app.info)
    assert "Label the rest" in [one.label for one in app.button]


def test_zero_shot_alone_has_no_column_of_a_round(store, project):
    trained(store, project, scores=(50,))
    assert labels(page(project)) == ["Zero-shot", "Annotation", "Computing"]


def test_figure_holds_the_fitted_curve_and_the_simulated_one(store, project, monkeypatch):
    trained(store, project)
    app = page(project)
    assert "Japanese (fitted, 80% band)" in drawn(app)
    assert simulation.NAME not in drawn(app)
    assert "Simulate with gold labels" not in [one.label for one in app.button]  # without a test set
    ids = [row[0] for row in store.lengths(project.id, "test")]
    items = made_items(store, project, [NewItem(key, "pos", "ana", True) for key in ids], purpose="test")
    annotate(store, project, items)
    trained(store, project)
    trained(store, project, "random", simulated=True)
    app.run()
    assert simulation.NAME in drawn(app)
    started = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda *args: started.append(args[1:]) or SimpleNamespace())
    button(app, "Simulate with gold labels").click().run()
    assert started == [(project.id, "simulate", {"task": "pos"})]


def test_next_round_has_a_price_for_each_sampler_that_needs_no_model(store, project):
    trained(store, project)
    made = curve.project_curve(store, project, "pos", prices.load())
    token = effort.summary(store, project, "pos", made.curve).price * 8 / 100  # eight of them have 100 tokens
    table = next(one.value for one in page(project).dataframe if "sampler" in one.value)
    cost = dict(zip(table["sampler"], (float(price[1:]) for price in table["price"]), strict=True))
    sizes = sorted(one.length for one in candidates(store, project, "pool"))
    assert set(cost) == {"random", "shortest", "longest"}
    assert cost["shortest"] == pytest.approx(token * sum(sizes[:2]), abs=0.005)
    assert cost["longest"] == pytest.approx(token * sum(sizes[-2:]), abs=0.005)
