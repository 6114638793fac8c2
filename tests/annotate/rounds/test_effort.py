"""What annotation took, as the time model takes it."""

import pytest
from making import result
from storing import made_items, made_project

from annotate.rounds import effort
from annotate.store import NewItem
from fewshot.costs import prices
from fewshot.curves.points import curves


@pytest.mark.parametrize(
    ("annotation", "suggestion", "share"),
    [
        ({"upos": ["NOUN", "VERB"]}, {"upos": ["NOUN", "ADJ"]}, 0.5),
        ({"heads": [0, 1], "deprels": ["root", "obj"]}, {"heads": [0, 1], "deprels": ["root", "iobj"]}, 0.5),
        ({"label": "neutral"}, {"label": "neutral"}, 1.0),
        ({"answers": {"q": []}}, {"answers": {"q": [{"text": "a", "start": 0}]}}, 0.0),
        ({"upos": ["X", "X"], "text": "a b", "words": ["a", "b"]}, {"upos": ["X"]}, None),
    ],
)
def test_agreement_is_the_share_of_the_suggestion_that_stands(annotation, suggestion, share):
    assert effort.agreement(annotation, suggestion) == share


def test_measured_items_know_tokens_edits_seconds_and_what_was_proposed(store):
    project = made_project(store)
    pool = [row[0] for row in store.lengths(project.id, "pool")]
    lengths = dict(store.lengths(project.id, "pool"))
    wanted = [
        NewItem(pool[0], "pos", "ana", True),
        NewItem(pool[1], "pos", "ana", False),
        NewItem(pool[2], "pos", "ana", False),
    ]
    blind, shown, imported = made_items(store, project, wanted)
    store.add_suggestions([(one, "pos", "m", {"annotation": {"upos": ["X", "Y"]}}) for one in pool[:2]])
    for item, tags, seconds in ((blind, ["X", "X"], 9.0), (shown, ["X", "Y"], 4.0), (imported, ["X", "Y"], 0.0)):
        proposed = store.suggestion(item.example_id, "pos")
        store.save(item.id, "ana", "page", 1, {"upos": tags}, True, seconds, 2, proposed.id if proposed else None)
    found = effort.measured(store, project, "pos")
    assert [(one.seconds, one.edits, one.blind, one.suggested, one.agreement) for one in found] == [
        (9.0, 2, True, True, 0.5),
        (4.0, 2, False, True, 1.0),
    ]
    assert [one.tokens for one in found] == [lengths[pool[0]], lengths[pool[1]]]


def test_the_test_set_says_nothing_of_what_suggestions_do(store):
    project = made_project(store)
    key = store.lengths(project.id, "test")[0][0]
    (made,) = made_items(store, project, [NewItem(key, "pos", "ana", True)], purpose="test")
    store.save(made.id, "ana", "page", 1, {"upos": ["X", "X"]}, True, 9.0, 2, suggest(store, made, "X", "Y"))
    (found,) = effort.measured(store, project, "pos")
    assert (found.seconds, found.suggested, found.agreement) == (9.0, False, None)


@pytest.fixture
def item(store):
    """An item of ana's that is not blind."""
    project = made_project(store)
    (made,) = made_items(store, project, [NewItem(store.lengths(project.id, "pool")[0][0], "pos", "ana", False)])
    return project, made


def suggest(store, item, *tags):
    """Let a model propose tags; return the suggestion's id."""
    store.add_suggestions([(item.example_id, "pos", "m", {"annotation": {"upos": list(tags)}})])
    return store.suggestion(item.example_id, "pos").id


def test_a_later_model_that_learnt_from_an_annotation_does_not_count_as_its_suggestion(store, item):
    project, one = item
    first = suggest(store, one, "X", "Y")
    store.save(one.id, "ana", "page", 1, {"upos": ["X", "_"]}, False, 2.0, 1, first)
    store.save(one.id, "ana", "page", 2, {"upos": ["X", "X"]}, True, 4.0, 2, first)
    learnt = suggest(store, one, "X", "X")
    store.save(one.id, "ana", "another page", 1, {"upos": ["X", "X"]}, True, 1.0, 0, learnt)
    (found,) = effort.measured(store, project, "pos")
    assert (found.suggested, found.agreement, found.seconds) == (True, 0.5, 5.0)


def test_what_is_changed_once_it_was_finished_does_not_change_how_far_it_agreed(store, item):
    project, one = item
    first = suggest(store, one, "X", "Y")
    for seq, tags in enumerate((["X", "Y"], ["Z", "Z"]), start=1):
        store.save(one.id, "ana", "page", seq, {"upos": tags}, True, 2.0, 1, first)
    (found,) = effort.measured(store, project, "pos")
    assert found.agreement == 1.0


def test_a_suggestion_that_came_after_the_first_change_is_none(store, item):
    project, one = item
    store.save(one.id, "ana", "page", 1, {"upos": ["X", "_"]}, False, 2.0, 1)
    store.save(one.id, "ana", "page", 2, {"upos": ["X", "Y"]}, True, 4.0, 2, suggest(store, one, "X", "Y"))
    (found,) = effort.measured(store, project, "pos")
    assert (found.suggested, found.agreement) == (False, None)


def test_lengths_are_read_of_what_is_annotated_and_not_of_the_pool(store, item, monkeypatch):
    project, one = item
    store.save(one.id, "ana", "page", 1, {"upos": ["X", "Y"]}, True, 4.0, 2)
    monkeypatch.delattr("annotate.store.projects.ProjectStore.lengths")
    monkeypatch.delattr("annotate.store.projects.ProjectStore.examples")
    assert [found.tokens for found in effort.measured(store, project, "pos")] == [3]


def test_the_next_example_costs_what_examples_as_long_took_here_for_each_who_annotates_it(store):
    project = made_project(store, double_share=0.5, wage=36.0)
    pool = [row[0] for row in store.lengths(project.id, "pool")]
    (learning,) = curves([result(0, 30), result(10, 60, tokens=200)], prices.load())
    nothing = effort.summary(store, project, "pos", learning)
    assert (nothing.effects, nothing.price) == ([], None)
    lengths = dict(store.lengths(project.id, "pool"))
    for item in made_items(store, project, [(key, "pos", "ana") for key in pool]):
        length = lengths[item.example_id]
        store.save(item.id, "ana", "page", 1, {"upos": ["X"] * length}, True, 4.0 * length, length)
    price = effort.summary(store, project, "pos", learning).price
    assert price == pytest.approx(1.5 * 20 * 4.0 / 3600 * 36.0, rel=0.2)  # 20 tokens an example, at 4 s
    store.set_project_people(project.id, ["ana"])
    assert effort.summary(store, project, "pos", learning).price == pytest.approx(price / 1.5)


def test_agreement_is_with_what_was_shown_once_the_decisions_before_had_changed_it(store):
    project = made_project(
        store,
        [("pool", str(n), 2, {"type": "Sentence", "id": str(n), "text": "a b", "words": ["a", "b"]}) for n in "12"],
    )
    pool = [row[0] for row in store.lengths(project.id, "pool")]
    for item in made_items(store, project, [(key, "pos", "ana") for key in pool]):
        data = {"annotation": {"upos": ["X", "X"]}, "confidence": [0.9] * 2, "upos_ranked": [[["X", 0.9]]] * 2}
        store.add_suggestions([(item.example_id, "pos", "m", data)])
        proposed = store.suggestion(item.example_id, "pos").id
        store.save(item.id, "ana", "page", 1, {"upos": ["NOUN", "NOUN"]}, True, 4.0, 2, proposed)
    assert [found.agreement for found in effort.measured(store, project, "pos")] == [0.0, 1.0]


def tagged(store, item, seq, tags, seconds, first=None, second=None):
    """Finish an item of ana's, of which a suggestion, or two, were shown or hidden."""
    store.save(item.id, "ana", "page", seq, {"upos": tags}, True, seconds, 1, first, second)


def test_what_suggestions_save_is_said_of_each_source_and_of_both_together(store):
    """With the encoder's alone half of the time is saved; who saw both agrees with the language model alone."""
    project = made_project(store, blind_share=0.5)
    pool = store.lengths(project.id, "pool")
    wanted = [NewItem(key, "pos", "ana", place % 2 == 0) for place, (key, _) in enumerate(pool[:18])]
    lengths = dict(pool)
    for place, item in enumerate(made_items(store, project, wanted)):
        size, blind = lengths[item.example_id], item.blind
        shown = [("encoder", "X")] * (place < 6 or place >= 12) + [("llm", "Y")] * (place >= 6)
        ids = []
        for source, tag in shown:
            store.add_suggestions([(item.example_id, "pos", source, {"annotation": {"upos": [tag] * size}})], source)
            ids.append(store.suggestion(item.example_id, "pos", source).id)
        pace = 4.0 if blind else 2.0 if place < 6 else 5.0 if place < 12 else 3.0
        tags = ["Z"] * size if blind else ["X"] * size if place < 6 else ["Y"] * size
        tagged(store, item, 1, tags, pace * size, *ids)
    alone, model, both = effort.effects(store, project, "pos")
    assert [one.sources for one in (alone, model, both)] == [("encoder",), ("llm",), ("encoder", "llm")]
    saved = [one.speed_up.saved.value for one in (alone, model, both)]
    assert saved == pytest.approx([0.5, -0.25, 0.25])
    gaps = [{name: gap.value for name, gap in one.anchoring.items()} for one in (alone, model, both)]
    assert gaps == [{"encoder": 1.0}, {"llm": 1.0}, {"encoder": 0.0, "llm": 1.0}]
    assert str(alone).startswith("suggestions of the encoder save 50%")
    assert str(model).startswith("suggestions of the language model cost 25%")
    assert str(both).startswith("suggestions of both, shown together, save 25%")
    assert str(both).endswith(
        "seeing them moves agreement with the encoder by +0.0 points [+0.0, +0.0] "
        "and with the language model by +100.0 points [+100.0, +100.0]"
    )


def test_of_two_suggestions_the_first_is_that_of_the_time_model(store, item):
    project, one = item
    first = suggest(store, one, "X", "Y")
    store.add_suggestions([(one.example_id, "pos", "m", {"annotation": {"upos": ["X", "X"]}})], "llm")
    tagged(store, one, 1, ["X", "X"], 4.0, first, store.suggestion(one.example_id, "pos", "llm").id)
    (found,) = effort.measured(store, project, "pos")
    assert (found.suggested, found.agreement) == (True, 0.5)
