"""Suggestions of a language model beside those of the encoder: asked for, shown where they differ, and measured."""

import pytest
from browser import moves
from browser.conftest import running
from llm.scripted import from_gold, serving
from playwright.sync_api import expect
from serving import ME
from waiting import wait_until

from annotate.store import LLM, Store
from fewshot import tasks
from fewshot.corpora.load import load

pytestmark = pytest.mark.system

POS = tasks.get("pos")


@pytest.fixture(scope="module")
def taught(chromium, tmp_path_factory):
    """An app whose operator has named a language model that is always right."""
    with (
        serving(from_gold(POS, load("ja", "sample").pool)) as server,
        running(tmp_path_factory.mktemp("app"), "--llm", "tiny", "--llm-url", server.url) as served,
    ):
        served.server = server
        yield served


def suggested(store, project, source):
    """Wait until a source has suggested something for each item of a project; return that."""
    wait_until(lambda: len(store.suggestions_of(project.id, "pos", source)) == project.k)
    return store.suggestions_of(project.id, "pos", source)


def test_a_language_model_suggests_beside_the_encoder(taught, page):
    moves.begin(page, taught)
    page.get_by_label("to draw").fill("5")
    page.keyboard.press("Tab")
    page.get_by_text("More: test set").click()
    page.get_by_role("radio", name="both").click(force=True)
    page.get_by_text("Learn while people annotate").click()  # what is laid out is compared with what there is now
    page.get_by_text(f"Texts are sent to tiny at {taught.server.url}. They stay on this machine").wait_for()
    page.get_by_role("button", name="Create project").click()
    page.locator(".frame").wait_for()
    store = Store.open(taught.url)
    (project,) = store.projects()
    assert project.suggester == "both"
    first, right = suggested(store, project, "encoder"), suggested(store, project, LLM)
    page.reload()
    page.locator(".frame:focus").wait_for()
    items = store.items(project.id, annotator=ME) + store.items(project.id, annotator=None)
    items = list({item.id: item for item in items}.values())
    for item in items:
        one, other = (found[item.example_id].data["annotation"]["upos"] for found in (first, right))
        strip = page.locator(".second")
        if item.blind:
            page.get_by_text("blind", exact=True).wait_for()
            expect(strip.or_(page.locator(".token.guess"))).to_have_count(0)
            moves.press(page, *(moves.keys_of("pos")[tag] for tag in other))
        else:
            page.get_by_text("suggested by mini, and by tiny").wait_for()
            differing = [place for place, (mine, theirs) in enumerate(zip(one, other, strict=True)) if mine != theirs]
            said = strip.get_by_role("button").all_text_contents()
            places = [int(text.split()[0]) - 1 for text in strip.locator("li").all_text_contents()]
            if item is items[0]:  # later ones follow what was decided, so that the encoder is right more often
                assert places == differing
            assert said == [other[place] for place in places]
            for number in range(len(places)):
                moves.press(page, "Tab", "Enter")  # which stays on the button, so that Tab leads to the next one
                expect(strip.get_by_role("button", pressed=True)).to_have_count(number + 1)
            moves.press(page, "Shift+A")
        moves.saved(page)
        moves.finish(page)
    newest = store.newest_revisions(project.id, "pos")
    assert [newest[item.id].annotation["upos"] for item in items] == [
        right[item.example_id].data["annotation"]["upos"] for item in items
    ]
    kept = [(newest[item.id].suggestion_id, newest[item.id].second_suggestion) for item in items]
    assert kept == [(first[item.example_id].id, right[item.example_id].id) for item in items]
    assert any(item.blind for item in items) and any(mine != right[key] for key, mine in first.items())
    store.close()
