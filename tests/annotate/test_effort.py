"""What annotation took, as the time model takes it."""

import pytest
from storing import made_items, made_project

from annotate import effort
from annotate.store import NewItem


@pytest.mark.parametrize(
    ("annotation", "suggestion", "share"),
    [
        ({"upos": ["NOUN", "VERB"]}, {"upos": ["NOUN", "ADJ"]}, 0.5),
        ({"heads": [0, 1], "deprels": ["root", "obj"]}, {"heads": [0, 1], "deprels": ["root", "iobj"]}, 0.5),
        ({"label": "neutral"}, {"label": "neutral"}, 1.0),
        ({"answers": {"q": []}}, {"answers": {"q": [{"text": "a", "start": 0}]}}, 0.0),
        ({"upos": ["X", "X"], "words": ["a", "b"]}, {"upos": ["X"]}, None),
    ],
)
def test_agreement_is_the_share_of_the_suggestion_that_stands(annotation, suggestion, share):
    assert effort.agreement(annotation, suggestion) == share


def test_measured_items_know_tokens_edits_seconds_and_what_was_proposed(store):
    project = made_project(store)
    pool = [row[0] for row in store.lengths(project.id, "pool")]
    lengths = {row[0]: row[2] for row in store.lengths(project.id, "pool")}
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
    assert [(one.seconds, one.edits, one.blind, one.agreement) for one in found] == [
        (9.0, 2, True, 0.5),
        (4.0, 2, False, 1.0),
    ]
    assert [one.tokens for one in found] == [lengths[pool[0]], lengths[pool[1]]]
