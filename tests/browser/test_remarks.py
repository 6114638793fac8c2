"""The review page: what a curator answers, takes away and gives back reaches the annotators."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect
from serving import ME

pytestmark = pytest.mark.app


def choose(page, row):
    """Choose a row of the table of flags and comments."""
    moves.click_row(page, row)
    page.get_by_placeholder("Answer").wait_for()


def answer(page, text):
    page.get_by_placeholder("Answer").fill(text)
    page.get_by_role("button", name="Answer").click()
    page.get_by_test_id("stText").get_by_text(text).wait_for()


def test_answers_and_flags_taken_away_reach_the_annotator_and_what_was_done_is_given_back(app, page, store):
    project = projects.make(app, ["pos"], projects.sample("ja")[:3])
    items = store.items(project.id)
    for item in items[:2]:
        store.flag(item.id, True)
    for item in items[1:]:
        store.add_comment(item.example_id, "pos", ME, f"what is {item.position}?")
    page.goto(f"{app.address}/review?project={project.id}")
    choose(page, 1)  # the newest comment is that on the third
    page.get_by_text("what is 1?", exact=True).wait_for()
    answer(page, "a name")
    answer(page, "of a town")  # and its row, which is the first now, is still the one that is chosen
    moves.press_button(page, "Take the flag away")
    page.get_by_role("button", name="Take the flag away").wait_for(state="detached")
    assert [comment.text for comment in store.comments(items[1].example_id)] == ["what is 1?", "a name", "of a town"]
    assert [store.item(item.id).flagged for item in items] == [True, False, False]
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open").click()
    annotating = opened.value
    annotating.get_by_role("button", name="Comment (3)").wait_for()
    expect(annotating.locator(".frame")).to_have_attribute("data-item", str(items[1].id))
    annotating.close()

    sentences = projects.sample("ja")[:2]
    project = projects.compared(app, ["pos"], sentences, sentences)
    first = store.items(project.id, annotator="anna")[0]
    store.flag(first.id, True)
    page.goto(f"{app.address}/review?project={project.id}")
    choose(page, 0)
    moves.press_button(page, "Reopen for anna")
    page.get_by_role("button", name="Reopen for anna").wait_for(state="detached")
    statuses = {who: [one.status for one in store.items(project.id, annotator=who)] for who in ("anna", "ben")}
    assert statuses == {"anna": ["open", "done"], "ben": ["done", "done"]}
    moves.press_button(page, "Take the flag away")
    expect(page.get_by_placeholder("Answer")).to_have_count(0)  # nothing is left to choose
    page.get_by_text("No flags and no comments.").wait_for()
