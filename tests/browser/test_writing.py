"""Words and comments are written with an input method, and the keyboard is where it belongs."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

CHINESE = Sentence("zh", "小明在北京大学读书。", ("小明", "在", "北京", "大学", "读书", "。"))


def compose(page, text):
    """Write a text with an input method that has not settled it yet."""
    page.context.new_cdp_session(page).send(
        "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
    )


def settle(page, text):
    """Write the text that an input method has settled."""
    page.context.new_cdp_session(page).send("Input.insertText", {"text": text})


def test_an_input_method_writes_in_a_field_and_in_a_comment_and_the_keyboard_returns_to_the_word(app, page, store):
    project = projects.make(app, ["pos"], [CHINESE], lang="zh")
    moves.annotate(page, app, project)
    moves.press(page, "/")
    field = page.locator(".frame .asking input")
    field.fill("")
    for key in ("Enter", "Escape"):
        compose(page, "xiao ming")
        moves.press_in_composition(page, key)
        expect(field).to_have_count(1)
        assert moves.words(page) == list(CHINESE.words)
    settle(page, "小 明")
    moves.press(page, "Enter")
    page.locator(".frame .token").nth(len(CHINESE.words)).wait_for()
    assert moves.words(page) == ["小", "明", *CHINESE.words[1:]]
    moves.saved(page)
    ((_, annotation),) = projects.held(app, project, "pos")
    assert annotation["upos"] == ["_"] * len(annotation["words"])  # no letter of the input method was a tag

    opener = page.get_by_role("button", name="Comment")
    for close in (lambda: page.keyboard.press("Escape"), opener.click):
        opener.click()
        page.get_by_test_id("stPopoverBody").wait_for()
        close()
        page.locator(".frame:focus").wait_for()
    page.get_by_role("button", name="Comment").click()
    box = page.get_by_role("textbox", name="Comment")
    box.click()
    compose(page, "ni hao")
    moves.press_in_composition(page, "Enter")
    settle(page, "你好")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Comment (1)").wait_for()
    (item,) = store.items(project.id)
    assert [one.text.strip() for one in store.comments(item.example_id)] == ["你好"]
    expect(page.locator(".frame .token.sure")).to_have_count(0)
