"""Flags and comments on the review page: what a curator answers and takes away reaches the annotators."""

import pytest
from browser import projects
from serving import ME

from annotate.store import Store

pytestmark = pytest.mark.app

ROW = 35
"""Pixels of a row of a table."""


@pytest.fixture
def store(served):
    opened = Store.open(served.url)
    yield opened
    opened.close()


def review(page, served, project):
    page.goto(f"{served.address}/review?project={project.id}")
    page.get_by_test_id("stDataFrame").first.locator("canvas").first.wait_for()


def choose(page, row):
    """Choose a row of the table."""
    page.get_by_test_id("stDataFrame").first.click(position={"x": 15, "y": ROW * (row + 1.5)})
    page.get_by_placeholder("Answer").wait_for()


def answer(page, text):
    page.get_by_placeholder("Answer").fill(text)
    page.get_by_role("button", name="Answer").click()
    page.get_by_test_id("stText").get_by_text(text).wait_for()


def test_an_answer_and_a_flag_taken_away_reach_the_annotator(served, page, store):
    project = projects.make(served, ["pos"], projects.sample("ja")[:3])
    items = store.items(project.id)
    for item in items[:2]:
        store.flag(item.id, True)
    for item in items[1:]:
        store.add_comment(item.example_id, "pos", ME, f"what is {item.position}?")
    review(page, served, project)
    choose(page, 1)  # the newest comment is that on the third
    page.get_by_text("what is 1?", exact=True).wait_for()
    answer(page, "a name")
    answer(page, "of a town")  # and its row, which is the first now, is still the one that is chosen
    page.get_by_role("button", name="Take the flag away").click()
    page.get_by_role("button", name="Take the flag away").wait_for(state="detached")
    assert [comment.text for comment in store.comments(items[1].example_id)] == ["what is 1?", "a name", "of a town"]
    assert [store.item(item.id).flagged for item in items] == [True, False, False]
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open").click()
    annotating = opened.value
    annotating.get_by_role("button", name="Comment (3)").wait_for()
    assert annotating.locator(".frame").get_attribute("data-item") == str(items[1].id)


def test_where_the_last_flag_is_taken_away_nothing_is_left_to_choose(served, page, store):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    (item,) = store.items(project.id)
    store.flag(item.id, True)
    review(page, served, project)
    choose(page, 0)
    page.get_by_role("button", name="Take the flag away").click()
    page.get_by_text("No flags and no comments.").wait_for()
    assert not store.item(item.id).flagged


def test_a_comment_may_be_about_a_word(served, page, store):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    (item,) = store.items(project.id)
    page.goto(f"{served.address}/annotate?project={project.id}")
    page.locator(".frame:focus").wait_for()
    page.get_by_role("button", name="Comment").click()
    field = page.get_by_role("combobox", name="About")
    field.click()
    page.get_by_role("option").nth(2).click()
    page.get_by_role("textbox", name="Comment").fill("a name?")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Comment (1)").wait_for()
    (comment,) = store.comments(item.example_id)
    example = projects.sample("ja")[0]
    assert (comment.text, comment.about) == ("a name?", f"2 {example.words[1]}")
