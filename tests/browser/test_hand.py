"""Nothing moves under the hand of an annotator, and the keyboard is where the words are."""

import pytest
from browser import moves, projects

from annotate.store import Store

pytestmark = pytest.mark.app


def suggest(app, project, sentences, model="m"):
    """Let a model suggest the tags that the sentences came with."""
    store = Store.open(app.url)
    items = store.items(project.id, task="pos")
    guesses = [projects.guess("pos", one, {"upos": list(one.upos)}) for one in sentences]
    store.add_suggestions([(item.example_id, "pos", model, made) for item, made in zip(items, guesses, strict=True)])
    store.close()


def guessed(page):
    return page.locator(".frame .token.guess").count()


def test_suggestions_that_come_while_a_sentence_is_open_wait_for_the_next_one(served, page):
    sentences = projects.sample("ja")[:2]
    project = projects.make(served, ["pos"], sentences)
    moves.annotate(page, served, project)
    suggest(served, project, sentences)
    for key in ("n", "v"):  # what is told with the first acknowledgement, is there with the second at the latest
        moves.press(page, key)
        moves.saved(page)
    page.get_by_role("button", name="Flag").click()  # and the page around the editor is drawn anew
    page.get_by_role("button", name="Flagged").wait_for()
    assert guessed(page) == 0
    assert page.get_by_text("no suggestion").count() == 1
    moves.press(page, "Shift+A", "End", "Enter")  # nothing to accept
    assert page.locator(".frame .token.sure").count() == 2
    moves.press_and_leave(page, "Alt+ArrowRight")
    assert guessed(page) == len(sentences[1].words)
    page.get_by_text("suggested by").wait_for()


def test_a_sentence_that_is_opened_before_suggestions_are_there_says_so(served, page):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    store = Store.open(served.url)
    store.add_job(project.id, "suggest", {"tasks": ["pos"]})
    moves.annotate(page, served, project)
    page.get_by_text("suggestions are on their way").wait_for()
    (job,) = store.jobs(project.id)
    store.finish(store.claim_job("here", 1, job.id))
    page.reload()
    page.get_by_text("no suggestion").wait_for()
    store.close()


def test_a_newer_models_suggestions_do_not_replace_those_that_are_shown(served, page):
    (sentence,) = projects.sample("ja")[:1]
    project = projects.make(served, ["pos"], [sentence], suggestions=projects.gold("pos", [sentence]))
    moves.annotate(page, served, project)
    shown = page.locator(".frame .token .tag").all_inner_texts()
    newer = projects.guess("pos", sentence, {"upos": ["X"] * sentence.length})
    store = Store.open(served.url)
    (item,) = store.items(project.id)
    store.add_suggestions([(item.example_id, "pos", "newer", newer)])
    store.close()
    moves.press(page, "End", "Enter")
    moves.saved(page)
    moves.press(page, "Home", "Enter")
    moves.saved(page)
    assert page.locator(".frame .token .tag").all_inner_texts()[1:-1] == shown[1:-1]


@pytest.mark.parametrize("name", ["Comment", "Guidelines", "Go to"])
def test_the_keyboard_returns_to_the_word_when_a_popover_is_closed(served, page, name):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    moves.press(page, "ArrowRight")
    opener = page.get_by_role("button", name=name)
    for close in (lambda: page.keyboard.press("Escape"), opener.click):
        opener.click()
        page.get_by_test_id("stPopoverBody").wait_for()
        page.wait_for_timeout(500)  # an annotator reads
        close()
        page.locator(".frame:focus").wait_for()
    moves.press(page, "n")
    assert page.locator(".frame .token.sure").get_attribute("data-word") == "1"


def test_a_popover_closes_with_its_sentence(served, page):
    project = projects.make(served, ["pos"], projects.sample("ja")[:3])
    moves.annotate(page, served, project)
    for name in ("Comment", "Guidelines", "Go to"):
        page.get_by_role("button", name=name).click()
        page.get_by_test_id("stPopoverBody").wait_for()
        page.locator(".frame").focus()
        moves.press_and_leave(page, "Alt+ArrowLeft" if name == "Go to" else "Alt+ArrowRight")
        page.get_by_test_id("stPopoverBody").wait_for(state="detached")


def test_a_key_that_is_taken_is_named_and_swapped_only_when_it_is_pressed_again(served, page):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    moves.annotate(page, served, project)
    keys = moves.keys_of("pos")
    note = page.locator(".frame .note")
    moves.press(page, "Control+k", keys["NOUN"], keys["VERB"])
    assert note.inner_text().startswith(f"{keys['VERB']} is “VERB” already")
    moves.press(page, "Escape", keys["NOUN"], keys["VERB"])
    assert page.locator(".frame .token .tag").all_inner_texts()[:2] == ["NOUN", "VERB"]
    moves.press(page, "Control+k", keys["NOUN"], keys["VERB"], "1", keys["NOUN"])  # now NOUN's is free
    assert page.locator(".frame .token .tag").all_inner_texts()[2] == "·"
    moves.press(page, "1", "Control+k", "1", keys["VERB"], keys["VERB"], keys["VERB"], "1")
    assert page.locator(".frame .token .tag").all_inner_texts()[:5] == ["NOUN", "VERB", "NOUN", "NOUN", "VERB"]
