"""A person annotates: what they did is there, whatever happens in between."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from fewshot import tasks

pytestmark = pytest.mark.app


def test_the_keyboard_is_the_editors_but_where_text_is_asked_for(app, page, store):
    (sentence,) = projects.sample("ja")[:1]
    project = projects.make(app, ["pos", "ner"], [sentence])
    moves.annotate(page, app, project)
    typed = []

    def type_at_once(name):
        moves.tag(page, [name])
        typed.append(name)
        page.locator(f"{moves.EDITOR} .token.sure").nth(len(typed) - 1).wait_for()
        assert moves.sure(page) == typed

    type_at_once("NOUN")
    page.get_by_role("radio", name=tasks.get("pos").title).click()  # which is chosen already
    type_at_once("VERB")
    page.get_by_role("button", name="⚐ Flag").click()
    page.get_by_role("button", name="⚑ Flagged").wait_for()
    type_at_once("ADJ")
    page.get_by_test_id("stMain").click(position={"x": 60, "y": 700})
    type_at_once("ADV")
    moves.saved(page)

    page.get_by_role("button", name="Comment").click()
    page.get_by_role("combobox", name="About").click()
    page.get_by_role("option").nth(2).click()
    page.get_by_role("textbox", name="Comment").click()
    page.keyboard.type("n and v")
    expect(page.get_by_role("textbox", name="Comment")).to_have_value("n and v")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Comment (1)").wait_for()
    (comment,) = store.comments(store.items(project.id)[0].example_id)
    assert (comment.text, comment.about) == ("n and v", f"2 {sentence.words[1]}")
    assert moves.sure(page) == typed

    moves.choose(page, "ner")
    moves.press(page, "1")
    page.locator(f"{moves.EDITOR} .entity").wait_for()
    moves.saved(page)
    moves.choose(page, "pos")
    moves.press(page, *["ArrowRight"] * len(typed))
    type_at_once("ADP")
    moves.saved(page)
    page.reload()
    page.locator(".frame:focus").wait_for()
    moves.press(page, *["ArrowRight"] * len(typed))
    type_at_once("PRON")


def test_a_round_of_two_tasks_ends_and_leads_on_and_what_was_done_is_opened_again(app, page, window, store):
    *pool, third, fourth = projects.sample("ja")[:4]
    project = projects.make(app, ["pos", "dep"], pool, test=[third, fourth])
    moves.annotate(page, app, project, "dep")
    moves.press_and_leave(page, "Alt+ArrowRight")
    item = page.locator(".frame").get_attribute("data-item")
    same = f".frame[data-item='{item}'][aria-label='dependency parsing editor']"
    linked = window()
    linked.goto(page.url)
    linked.locator(same).wait_for()
    linked.close()
    page.reload()
    page.locator(same).wait_for()
    moves.choose(page, "pos")
    assert moves.words(page) == list(pool[1].words), "which is the same sentence"
    page.get_by_text("Example by example").click()
    page.locator(".frame").focus()
    moves.press_and_leave(page, "Alt+ArrowLeft")
    for sentence in pool:
        assert moves.words(page) == list(sentence.words)
        moves.tag(page, sentence.upos)
        moves.finish(page)
    for name in ("Draw more", "Review", "Export"):
        page.get_by_role("button", name=name).wait_for()
    page.goto(f"{app.address}/annotate?project={project.id}&by_example=no")
    page.get_by_role("application", name="dependency parsing editor").wait_for()  # where something is left

    moves.choose(page, "pos")
    page.get_by_role("button", name="Reopen").wait_for()  # the tags of the same sentence are finished
    first, second = store.items(project.id, task="pos")
    moves.go_to(page, f"1 ✓ {pool[0].text[:5]}", first)
    moves.press_button(page, "Reopen")
    page.get_by_role("button", name="Reopen").wait_for(state="detached")
    page.evaluate("const now = performance.now.bind(performance); performance.now = () => now() + 5000")
    page.locator(".frame").focus()
    moves.press(page, "ArrowRight", "Alt+ArrowRight")  # time that was spent is sent when the sentence is left
    page.locator(f".frame[data-item='{second.id}']").wait_for()
    assert [item.status for item in store.items(project.id, task="pos")] == ["open", "done"]
    moves.go_to(page, f"1 · {pool[0].text[:5]}", first)
    page.locator(".frame:focus").wait_for()
    moves.finish(page)

    page.get_by_role("button", name="Annotate the test set").click()
    page.locator(".frame:focus").wait_for()
    upos = {one.words: one.upos for one in (third, fourth)}
    for _ in upos:
        moves.tag(page, upos[tuple(moves.words(page))])
        moves.finish(page)
    page.get_by_role("button", name="Train").click()
    page.get_by_role("heading", name="Train").wait_for()
