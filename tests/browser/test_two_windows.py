"""One sentence in several windows: each sees what the others saved, and nothing is saved over it."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

pytestmark = pytest.mark.app

KEYS = moves.keys_of("pos")


def tags(page):
    """Return the tags that the editor shows."""
    return page.locator(".frame .token .tag").all_inner_texts()


def newest(app, project):
    """Return the tags of the first sentence as they are saved."""
    return projects.held(app, project, "pos")[0][1]["upos"]


def without_news(page):
    """Let a window not ask for the newest version, as one that has the focus all the time or is on another machine."""
    page.add_init_script("addEventListener('focus', (event) => event.stopImmediatePropagation(), true)")


def overtaken(page):
    page.locator(".frame .note", has_text="another window has saved this example too").wait_for()


def test_a_window_sees_what_another_saved_and_shows_both_before_it_saves_over_that(app, page, window):
    without_news(page)
    project = projects.make(app, ["pos"], projects.sample("ja")[:2])
    moves.annotate(page, app, project)
    moves.press(page, KEYS["NOUN"])
    moves.saved(page)
    second = page.context.new_page()
    moves.annotate(second, app, project)
    assert tags(second)[:2] == ["NOUN", "·"]
    moves.press(second, "Home", KEYS["ADJ"], KEYS["VERB"])
    moves.saved(second)
    both = newest(app, project)
    page.route("**/revisions/**", lambda route: route.abort())
    moves.press(page, "Home", KEYS["PROPN"], "End", KEYS["PUNCT"])
    page.unroute("**/revisions/**")  # an answer between two keys would move the cursor
    overtaken(page)
    assert newest(app, project) == both  # until somebody has decided
    assert tags(page)[:2] == ["PROPN | ADJ", "VERB"]
    expect(page.locator(".frame .undecided.here")).to_have_count(1)
    for number, hint in enumerate(["[ this window: PROPN", "] the other window: ADJ"]):
        expect(page.locator(".frame .hints .hint").nth(number)).to_have_text(hint)
    page.reload()  # what this window made is kept
    overtaken(page)
    assert tags(page)[:2] == ["PROPN | ADJ", "VERB"]
    moves.press(page, "[")
    moves.saved(page)
    assert newest(app, project) == ["PROPN", "VERB", *["_"] * (len(both) - 3), "PUNCT"]

    second.evaluate("dispatchEvent(new Event('focus'))")  # here every tab has the focus, all the time
    second.locator(".frame .note", has_text="another window has changed this example").wait_for()
    assert tags(second)[:3] == ["PROPN", "VERB", "·"]
    moves.press(second, "Home", "ArrowRight", "ArrowRight", KEYS["NOUN"])
    moves.saved(second)
    assert newest(app, project)[:3] == ["PROPN", "VERB", "NOUN"]

    third = window()  # on another machine
    moves.annotate(third, app, project)
    moves.press(third, "Home", KEYS["X"])
    moves.saved(third)
    moves.press(page, "Home", KEYS["ADJ"])
    overtaken(page)
    assert tags(page)[:3] == ["ADJ | X", "VERB", "NOUN"]
    moves.press(page, "]")
    moves.saved(page)
    assert newest(app, project)[:3] == ["X", "VERB", "NOUN"]
