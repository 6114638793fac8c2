"""A curator decides between two people, answers them, takes flags away and gives back what they have done."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect
from serving import ME

from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

ALT, CONTROL = 1, 2
"""Keys that are held, see `browser.moves.press_as`."""


def tagged(*sentences):
    """Return sentences of a tag for each word: ``Rain/NOUN fell/VERB``."""
    pairs = [[token.split("/") for token in sentence.split()] for sentence in sentences]
    columns = [zip(*pair, strict=True) for pair in pairs]
    return [Sentence(words[0], " ".join(words), words, upos=upos) for words, upos in columns]


MINE = tagged("Tanaka/PROPN left/VERB with/ADP her/PRON", "Rain/NOUN fell/VERB", "He/PRON left/VERB")
BENS = tagged("Tanaka/NOUN left/VERB with/SCONJ her/PRON", "Rain/PROPN fell/VERB", "He/PRON left/VERB")
GOLD = tagged("Tanaka/PROPN left/VERB with/SCONJ her/PRON", "Rain/PROPN fell/VERB", "He/PRON left/VERB")


def undecided(page):
    return page.locator(".frame .undecided .form").all_text_contents()


def said(page):
    """Return what the two keys say that they take."""
    return [" ".join(text.split()) for text in page.locator(".frame .hints .hint").all_text_contents()[:2]]


def choose(page, row):
    """Choose a row of the table of flags and comments."""
    moves.click_row(page, row)
    page.get_by_placeholder("Answer").wait_for()


def answer(page, text):
    page.get_by_placeholder("Answer").fill(text)
    page.get_by_role("button", name="Answer").click()
    page.get_by_test_id("stText").get_by_text(text).wait_for()


def test_what_a_curator_decides_is_gold_and_what_they_answer_and_give_back_reaches_the_annotators(
    app, page, store, tmp_path
):
    project = projects.compared(app, ["pos"], MINE, BENS, people=[ME, "ben"], lang="en")
    items = store.items(project.id, annotator=ME)
    for item in (items[0], items[2]):
        store.flag(item.id, True)
    for item in items[:2]:
        store.add_comment(item.example_id, "pos", ME, f"what is {item.position}?")
    moves.annotate(page, app, project, path="review")
    assert undecided(page) == ["Tanaka", "with"]
    assert said(page) == [f"[ {ME}: PROPN", "] ben: NOUN"]
    moves.press_as(page, "[", "Digit8", CONTROL + ALT)  # AltGr of a German keyboard, on Windows
    assert undecided(page) == ["with"]
    moves.press_as(page, "]", "Digit6", ALT)  # on a Mac
    moves.finish(page)
    page.get_by_text("1 of 2 decided").wait_for()
    assert moves.words(page) == ["Rain", "fell"]
    moves.press(page, "]")
    moves.finish(page)
    page.get_by_text("2 of 2 decided").wait_for()
    exported = conllu.read(projects.exported(app, project, tmp_path / "gold.conllu"))
    assert [one.upos for one in exported] == [one.upos for one in GOLD]

    choose(page, 1)  # the newest comment is that on the second
    page.get_by_text("what is 0?", exact=True).wait_for()
    answer(page, "a name")
    answer(page, "of a town")  # and its row, which is the first now, is still the one that is chosen
    moves.press_button(page, "Remove the flag")
    page.get_by_role("button", name="Remove the flag").wait_for(state="detached")
    assert [comment.text for comment in store.comments(items[0].example_id)] == ["what is 0?", "a name", "of a town"]
    assert [store.item(item.id).flagged for item in items] == [False, False, True]
    given_back = page.get_by_role("button", name="Reopen for ben")
    moves.press_until(given_back, lambda: not given_back.count())
    statuses = {who: [one.status for one in store.items(project.id, annotator=who)] for who in (ME, "ben")}
    assert statuses["ben"] == ["open", "done", "done"] and statuses[ME][:3] == ["done"] * 3
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open").click()
    opened.value.get_by_role("button", name="Comment (3)").wait_for()
    expect(opened.value.locator(".frame")).to_have_attribute("data-item", str(items[0].id))

    choose(page, 2)
    moves.press_button(page, "Remove the flag")
    expect(page.get_by_placeholder("Answer")).to_have_count(0)  # nothing is said of it any more
