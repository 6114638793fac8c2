import pytest
from making import result
from storing import made_items, made_project, pool_ids

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


@pytest.fixture
def project(store):
    return made_project(store)


def suggest(store, item, *tags, source="encoder"):
    store.add_suggestions([(item.example_id, "pos", source, {"annotation": {"upos": list(tags)}})], source)
    return store.suggestion(item.example_id, "pos", source).id


def save(store, item, tags, done=True, seconds=4.0, shown=(), seq=1, client="page"):
    """Save an item of ana's, of which suggestions were shown or hidden."""
    store.save(item.id, "ana", client, seq, {"upos": list(tags)}, done, seconds, 2, *shown)


def test_measured_items_know_tokens_edits_seconds_and_what_was_proposed(store, project):
    pool, lengths = pool_ids(store, project), dict(store.lengths(project.id, "pool"))
    wanted = [NewItem(key, "pos", "ana", blind) for key, blind in zip(pool, (True, False, False), strict=False)]
    blind, shown, imported = made_items(store, project, wanted)
    for item, tags, seconds in ((blind, "XX", 9.0), (shown, "XY", 4.0)):
        save(store, item, tags, seconds=seconds, shown=[suggest(store, item, "X", "Y")])
    save(store, imported, "XY", seconds=0.0)
    found = effort.measured_items(store, project, "pos")
    assert [(one.seconds, one.edits, one.blind, one.suggested, one.agreement) for one in found] == [
        (9.0, 2, True, True, 0.5),
        (4.0, 2, False, True, 1.0),
    ]
    assert [one.tokens for one in found] == [lengths[pool[0]], lengths[pool[1]]]


def test_kept_shares_are_those_of_a_persons_newest_shots_in_the_order_in_which_they_were_finished(
    store, project, monkeypatch
):
    pool, (other, *_) = pool_ids(store, project), store.lengths(project.id, "test")
    wanted = [NewItem(key, "pos", "ana", place == 0) for place, key in enumerate(pool[:4])]
    first, second, third, begun = made_items(store, project, wanted)
    (tested,) = made_items(store, project, [NewItem(other[0], "pos", "ana", True)], purpose="test")
    for item, tags in ((second, "XZ"), (first, "XY"), (tested, "XY")):
        save(store, item, tags, shown=[suggest(store, item, "X", "Y")])
    save(store, begun, "XY", done=False, shown=[suggest(store, begun, "X", "Y")])
    save(store, third, "XY")  # nothing was suggested
    again = {"seq": 2, "shown": [suggest(store, second, "X", "Z")]}
    save(store, second, "XZ", **again)  # opened again, when a model has learned from it
    assert effort.accepted_shares(store, project.id, "pos", "ana") == [0.5, 1.0]
    assert effort.accepted_shares(store, project.id, "pos", "ben") == []
    monkeypatch.setattr(effort, "MAX_RECENT_SHOTS", 1)
    assert effort.accepted_shares(store, project.id, "pos", "ana") == [0.5]  # of what was saved last


def test_the_test_set_says_nothing_of_what_suggestions_do(store, project):
    key = store.lengths(project.id, "test")[0][0]
    (item,) = made_items(store, project, [NewItem(key, "pos", "ana", True)], purpose="test")
    save(store, item, "XX", seconds=9.0, shown=[suggest(store, item, "X", "Y")])
    (found,) = effort.measured_items(store, project, "pos")
    assert (found.seconds, found.suggested, found.agreement) == (9.0, False, None)


@pytest.fixture
def item(store, project):
    (made,) = made_items(store, project, [NewItem(pool_ids(store, project)[0], "pos", "ana", False)])
    return made


FIRST, LATER, LLM = ("X", "Y"), ("X", "X"), ("X", "X", "llm")
BEGUN = [("X_", False, "page", [FIRST]), ("XX", True, "page", [FIRST])]


@pytest.mark.parametrize(
    ("saves", "expected"),
    [
        pytest.param([*BEGUN, ("XX", True, "another page", [LATER])], (True, 0.5, 5.0), id="of a later model"),
        pytest.param([("XY", True, "page", [FIRST]), ("ZZ", True, "page", [FIRST])], (True, 1.0, 4.0), id="finished"),
        pytest.param([("X_", False, "page", []), ("XY", True, "page", [FIRST])], (False, None, 4.0), id="came late"),
        pytest.param([("XX", True, "page", [FIRST, LLM])], (True, 0.5, 4.0), id="the first of two"),
    ],
)
def test_agreement_is_with_the_first_suggestion_that_was_shown_until_the_item_was_finished(
    store, project, item, saves, expected
):
    made = {}
    for seq, (tags, done, client, shown) in enumerate(saves, start=1):
        for one in shown:
            if one not in made:
                tag, other, *source = one
                made[one] = suggest(store, item, tag, other, source=source[0] if source else "encoder")
        seconds = 1.0 if client == "another page" else 4.0
        save(store, item, tags, done, seconds, [made[one] for one in shown], seq, client)
    (found,) = effort.measured_items(store, project, "pos")
    assert (found.suggested, found.agreement, found.seconds) == expected


def test_the_next_example_costs_what_examples_as_long_took_here_for_each_who_annotates_it(store):
    project = made_project(store, double_share=0.5, wage=36.0)
    pool = pool_ids(store, project)
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
    words = {"type": "Sentence", "text": "a b", "words": ["a", "b"]}
    project = made_project(store, [("pool", key, 2, words | {"id": key}) for key in "12"])
    for item in made_items(store, project, [(key, "pos", "ana") for key in pool_ids(store, project)]):
        data = {"annotation": {"upos": ["X", "X"]}, "confidence": [0.9] * 2, "upos_ranked": [[["X", 0.9]]] * 2}
        store.add_suggestions([(item.example_id, "pos", "m", data)])
        save(store, item, ["NOUN", "NOUN"], shown=[store.suggestion(item.example_id, "pos").id])
    assert [found.agreement for found in effort.measured_items(store, project, "pos")] == [0.0, 1.0]


def test_what_suggestions_save_is_said_of_each_source_and_of_both_together(store):
    """With the encoder's alone half of the time is saved; who saw both agrees with the language model alone."""
    project = made_project(store, blind_share=0.5)
    pool = store.lengths(project.id, "pool")
    wanted = [NewItem(key, "pos", "ana", place % 2 == 0) for place, (key, _) in enumerate(pool[:18])]
    lengths = dict(pool)
    for place, item in enumerate(made_items(store, project, wanted)):
        size, blind = lengths[item.example_id], item.blind
        shown = [("encoder", "X")] * (place < 6 or place >= 12) + [("llm", "Y")] * (place >= 6)
        ids = [suggest(store, item, *tag * size, source=source) for source, tag in shown]
        pace, tag = (2.0, "X") if place < 6 else (5.0, "Y") if place < 12 else (3.0, "Y")
        save(store, item, ("Z" if blind else tag) * size, seconds=(4.0 if blind else pace) * size, shown=ids)
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
