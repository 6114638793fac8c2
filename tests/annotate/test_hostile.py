"""A hostile annotator at the running app: nothing wrong is stored, no traceback, and no markup is drawn."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from load import annotators
from load.client import Window
from serving import with_accounts

from annotate.components.frame import plain
from annotate.store import Store

IMAGE = "![x](http://evil.example/x.png)<b>:red[x]"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with with_accounts(tmp_path_factory.mktemp("lab")) as served:
        yield served


def run(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(asyncio.wait_for(work, 120))).result()


async def answered(window, event, raw=None):
    """Send an event, or any text as one, and wait until the page is drawn again."""
    runs = window.runs
    await window._run((window.trigger, raw if raw is not None else json.dumps([{"event": "save", "value": event}])))
    await window.until(lambda: window.runs > runs or window.reader.done(), 20)
    await asyncio.sleep(0.3)  # what is refused draws the page once more, and what comes meanwhile is lost


def revisions(app, project):
    with closing(Store.open(app.url)) as store:
        return {item.id: [one.annotation for one in store.history(item.id)] for item in store.items(project)}


def test_what_is_sent_beside_saves_is_neither_stored_nor_drawn(app):
    project, tokens = annotators.prepare(app.url, ["ana", "ben"], 4, double_share=1.0)
    with closing(Store.open(app.url)) as store:
        bens = store.items(project, annotator="ben")[0].id

    async def attack():
        window = Window(app.address, project, tokens[0])
        await window.open()
        here, words = window.data["item"], len(window.data["example"]["words"])
        good = {"upos": ["NOUN"] * words}
        save = {"item": here, "client": "evil", "seq": 1, "seen": 0, "annotation": good, "done": False}
        save |= {"edits": 1, "seconds": 1.0}
        for change in (
            {"item": bens}, {"item": 999}, {"item": IMAGE}, {"item": None}, {"seq": IMAGE}, {"seq": 10**30},
            {"client": 3}, {"client": "x" * 100_000}, {"annotation": IMAGE}, {"annotation": {"upos": [IMAGE]}},
            {"annotation": {"upos": [["NOUN"]] * words}}, {"annotation": {"upos": ["x" * 2_000_000] * words}},
            {"annotation": {"upos": ["\ud800"] * words}}, {"seconds": "1"}, {"seconds": -1}, {"edits": None},
            {"done": IMAGE}, {"go": IMAGE}, {"suggestion": IMAGE},
        ):  # fmt: skip
            await answered(window, save | change)
        for event in (None, IMAGE, [], 3, {}, {"item": here}):
            await answered(window, event)
        assert not any(revisions(app, project).values())
        await answered(window, save | {"annotation": {"upos": [IMAGE] * words}, "done": True})
        await answered(window, save | {"seq": 2})
        await answered(window, save | {"seq": 1, "annotation": {"upos": ["VERB"] * words}})
        await window.close()
        return here, good, window.errors

    here, good, errors = run(attack())
    held = {item: found for item, found in revisions(app, project).items() if found}
    assert set(held) == {here}
    assert held[here][-1] == good
    assert len(held[here]) == 2
    assert any(plain(IMAGE) in error for error in errors)
    assert not any(IMAGE in error for error in errors)
    assert all(len(error.splitlines()) == 1 and len(error) < 500 for error in errors)


def test_who_is_shut_out_stores_nothing_more(app):
    project, tokens = annotators.prepare(app.url, ["eve"], 4)

    async def attack():
        window = Window(app.address, project, tokens[0])
        await window.open()
        save = {"item": window.data["item"], "client": "evil", "seen": 0, "done": False, "edits": 1, "seconds": 1.0}
        save["annotation"] = {"upos": ["NOUN"] * len(window.data["example"]["words"])}
        await answered(window, save | {"seq": 1})
        with closing(Store.open(app.url)) as store:
            store.set_active("eve", False)
        await answered(window, save | {"seq": 2})
        await window.close()
        again = Window(app.address, project, tokens[0])
        await again.open()
        again.trigger = window.trigger  # of the page that it is shown no more
        await answered(again, save | {"seq": 3})
        await again.close()
        return again.data

    assert run(attack()) is None
    assert sum(map(len, revisions(app, project).values())) == 1


def saving(window, **changes):
    words = len(window.data["example"]["words"])
    save = {"item": window.data["item"], "client": "evil", "seen": 0, "done": False, "edits": 1, "seconds": 1.0}
    return save | {"annotation": {"upos": ["NOUN"] * words}} | changes


def test_who_is_taken_out_of_a_project_stores_and_sees_nothing_more_of_it(app):
    project, tokens = annotators.prepare(app.url, ["ina", "jo"], 4)

    async def attack():
        window = Window(app.address, project, tokens[0])
        await window.open()
        first = saving(window)
        await answered(window, first | {"seq": 1})
        with closing(Store.open(app.url)) as store:
            store.set_project_people(project, ["jo"])
        await answered(window, first | {"seq": 2, "seen": window.seen})
        await window.until(lambda: any("not among the annotators of load any more" in one for one in window.errors), 20)
        await window.close()

    run(attack())
    assert sum(map(len, revisions(app, project).values())) == 1


def test_a_curator_who_is_one_no_more_decides_nothing(app):
    project, tokens = annotators.prepare(app.url, ["kim", "lee"], 2, double_share=1.0, role="curator")
    with closing(Store.open(app.url)) as store:
        for item in store.items(project):
            tag = "NOUN" if item.annotator == "kim" else "VERB"
            words = len(next(store.examples(project, ids=[item.example_id])).content["words"])
            store.save(item.id, item.annotator, "page", 1, {"upos": [tag] * words}, True, 1.0, 1)

    async def attack():
        window = Window(app.address, project, tokens[0], page="review")
        await window.open()
        save = saving(window, seq=1)
        with closing(Store.open(app.url)) as store:
            store.set_role("kim", "annotator")
        await answered(window, save)
        await window.close()
        return save["item"]

    item = run(attack())
    with closing(Store.open(app.url)) as store:
        assert store.item(item).purpose == "review"
    assert not revisions(app, project)[item]


@pytest.mark.parametrize("given", ["x", "-1", "1.5", "٣٣٣٣٣٣٣٣٣٣٣", "9" * 5000, str(2**63), "999999999"])
def test_an_address_that_names_no_id_opens_what_there_is(app, lab, given):
    project, token = lab

    async def attack():
        for named in ((given, ""), (project, given)):
            window = Window(app.address, *named[:1], token, item=named[1])
            await window.open()
            await window.close()
        return window.data, window.errors

    data, errors = run(attack())
    assert data and not errors


@pytest.fixture(scope="module")
def lab(app):
    """The project of an annotator, and what a browser of theirs keeps."""
    project, (kept,) = annotators.prepare(app.url, ["mia"], 4)
    return project, kept
