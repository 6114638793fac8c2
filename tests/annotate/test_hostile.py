"""A hostile annotator at the running app: nothing wrong is stored, no traceback, and no markup is drawn."""

from contextlib import closing

import pytest
from load import annotators
from load.client import Window, run

from annotate.components.frame import plain
from annotate.store import Store

pytestmark = pytest.mark.app

IMAGE = "![x](http://evil.example/x.png)<b>:red[x]"


def revisions(served, project):
    with closing(Store.open(served.url)) as store:
        return {item.id: [one.annotation for one in store.history(item.id)] for item in store.items(project)}


def saving(window, seq=1, **changes):
    """Return the event that saves nouns as the shown item's annotation."""
    nouns = {"upos": ["NOUN"] * len(window.data["example"]["words"])}
    return window.event(nouns, seq, client="evil", edits=1, **changes)


def test_what_is_sent_beside_saves_is_neither_stored_nor_drawn(served):
    project, tokens = annotators.prepare(served.url, ["hostile ana", "hostile ben"], 4, double_share=1.0)
    with closing(Store.open(served.url)) as store:
        bens = store.items(project, annotator="hostile ben")[0].id

    async def attack():
        async with Window(served.address, project, tokens[0]) as window:
            save, words = saving(window), len(window.data["example"]["words"])
            huge = {"upos": ["x" * 2_000_000] * words}
            for change in ({"item": bens}, {"item": IMAGE}, {"go": IMAGE}, {"annotation": huge}):
                await window.answered(save | change)
            for event in (None, IMAGE, {"item": save["item"]}):
                await window.answered(event)
            assert not any(revisions(served, project).values())
            await window.answered(save | {"annotation": {"upos": [IMAGE] * words}, "done": True})
            await window.answered(save | {"seq": 2})
            await window.answered(save | {"seq": 1, "annotation": {"upos": ["VERB"] * words}})
            return save["item"], save["annotation"], window.errors

    item, good, errors = run(attack())
    held = {item: found for item, found in revisions(served, project).items() if found}
    assert set(held) == {item}
    assert held[item][-1] == good
    assert len(held[item]) == 2
    assert any(plain(IMAGE) in error for error in errors)
    assert not any(IMAGE in error for error in errors)
    assert all(len(error.splitlines()) == 1 and len(error) < 500 for error in errors)


def test_who_is_shut_out_stores_nothing_more(served):
    project, tokens = annotators.prepare(served.url, ["eve"], 4)

    async def attack():
        async with Window(served.address, project, tokens[0]) as window:
            save = saving(window)
            await window.answered(save)
            with closing(Store.open(served.url)) as store:
                store.set_active("eve", False)
            await window.answered(save | {"seq": 2})
        async with Window(served.address, project, tokens[0]) as again:
            again.trigger = window.trigger  # of the page that is not shown any more
            await again.answered(save | {"seq": 3})
            return again.data

    assert run(attack()) is None
    assert sum(map(len, revisions(served, project).values())) == 1


def test_who_is_taken_out_of_a_project_stores_and_sees_nothing_more_of_it(served):
    project, tokens = annotators.prepare(served.url, ["ina", "jo"], 4)

    async def attack():
        async with Window(served.address, project, tokens[0]) as window:
            first = saving(window)
            await window.answered(first)
            with closing(Store.open(served.url)) as store:
                store.set_project_people(project, ["jo"])
            await window.answered(first | {"seq": 2, "seen": window.seen})
            return window.errors

    assert any("not among the annotators of load any more" in error for error in run(attack()))
    assert sum(map(len, revisions(served, project).values())) == 1


def test_a_curator_who_is_one_no_more_decides_nothing(served):
    project, tokens = annotators.prepare(served.url, ["kim", "lee"], 2, double_share=1.0, role="curator")
    with closing(Store.open(served.url)) as store:
        for item in store.items(project):
            tag = "NOUN" if item.annotator == "kim" else "VERB"
            words = len(next(store.examples(project, ids=[item.example_id])).content["words"])
            store.save(item.id, item.annotator, "page", 1, {"upos": [tag] * words}, True, 1.0, 1)

    async def attack():
        async with Window(served.address, project, tokens[0], page="review") as window:
            save = saving(window)
            with closing(Store.open(served.url)) as store:
                store.set_role("kim", "annotator")
            await window.answered(save)
            return save["item"]

    item = run(attack())
    with closing(Store.open(served.url)) as store:
        assert store.item(item).purpose == "review"
    assert not revisions(served, project)[item]


def test_an_address_that_names_no_id_opens_what_there_is(served):
    project, (token,) = annotators.prepare(served.url, ["mia"], 4)

    async def attack():
        for given in ("x", "-1", "1.5", "٣٣٣٣٣٣٣٣٣٣٣", "9" * 5000, str(2**63), "999999999"):
            for names in ({"project": given}, {"project": project, "item": given}):
                async with Window(served.address, token=token, **names) as window:
                    assert (given, window.errors) == (given, [])
                    assert window.data or "item" not in names, given

    run(attack())
