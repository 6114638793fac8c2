"""Lemmas, XPOS and features beside tags, with the keyboard alone."""

import pytest
from browser import moves, projects

from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

TASK = "pos+feats+lemma"
WORDS = Sentence("s1", "talossa ui .", ("talossa", "ui", "."))
GOLD = {
    "upos": ["NOUN", "VERB", "PUNCT"],
    "feats": ["Case=Ine|Number=Sing", "Mood=Ind|Number=Sing", ""],
    "lemmas": ["talo", "uida", "."],
}


def field(page, column):
    return page.locator(f".frame input[data-column={column}]")


def test_what_a_model_suggests_is_confirmed_word_by_word(served, page):
    project = projects.make(served, [TASK], [WORDS], lang="fi", suggestions=[GOLD])
    moves.annotate(page, served, project)
    assert page.locator(".frame .token .beside.guess").count() == 6
    moves.press(page, "Enter")
    assert page.locator(".frame .token .beside.sure").count() == 2
    moves.press(page, "Enter", "Enter")
    moves.finish(page)
    assert projects.done(served, project, TASK) == [GOLD]


def test_lemma_and_features_are_typed_in_fields(served, page):
    suggested = GOLD | {
        "lemmas": ["talossa", "uida", "."],
        "feats": ["Case=Nom", "Mood=Ind|Number=Sing", "Foreign=Yes"],
    }
    project = projects.make(served, [TASK], [WORDS], lang="fi", suggestions=[suggested])
    moves.annotate(page, served, project)
    moves.press(page, "n")  # the word stays: lemma and features are to be decided
    assert page.locator(".frame .token.here .form").inner_text() == "talossa"
    moves.press(page, "Shift+L")
    assert field(page, "lemmas").get_attribute("placeholder") == "talossa"
    page.keyboard.type("talo")
    moves.press(page, "Enter")
    page.keyboard.type("Case Ine")
    moves.press(page, "Enter")
    assert page.locator(".frame .fields .why", has_text="write features as in").count() == 1
    field(page, "feats").fill("Case=Ine|Number=Sing")
    moves.press(page, "Enter")
    assert page.locator(".frame .token.here .form").inner_text() == "ui"
    moves.press(page, "v", "Enter")
    moves.press(page, "Enter", "ArrowRight", "Shift+F")
    page.keyboard.type("_")
    moves.press(page, "Enter")
    moves.finish(page)
    assert projects.done(served, project, TASK) == [GOLD]


def test_xpos_is_typed_or_taken_from_what_the_tag_had_before(served, page):
    task = "pos+xpos"
    again = Sentence("s2", "puu", ("puu",))
    before = [WORDS.annotated(upos=("NOUN", "VERB", "PUNCT"), xpos=("NN", "VB", "PUNCT"))]
    project = projects.make(served, [task], [WORDS, again], lang="fi")
    moves.annotate(page, served, project)
    for key, tag in zip("nvk", before[0].xpos, strict=True):
        moves.press(page, key, "Shift+X")
        page.keyboard.type(tag)
        moves.press(page, "Enter")
        if page.locator(".frame .fields .why", has_text=f"{tag} is new here; Enter again takes it").count():
            moves.press(page, "Enter")
    assert page.locator(".frame .token .beside.sure").all_inner_texts() == ["NN", "VB", "PUNCT"]
    moves.finish(page)
    page.locator(".frame .token .form", has_text="puu").wait_for()
    moves.press(page, "n", "Shift+X")
    options = page.locator(".frame .fields datalist option")
    assert [one.get_attribute("value") for one in options.all()] == ["NN"]
    page.keyboard.type("N N")
    moves.press(page, "Enter")
    page.locator(".frame .fields .why", has_text="write the tag without spaces").wait_for()
    field(page, "xpos").fill("NNP")
    moves.press(page, "Enter")
    page.locator(".frame .fields .why", has_text="NNP is new here; Enter again takes it").wait_for()
    moves.press(page, "Enter")
    moves.finish(page)
    assert projects.done(served, project, task) == [
        {"upos": ["NOUN", "VERB", "PUNCT"], "xpos": ["NN", "VB", "PUNCT"]},
        {"upos": ["NOUN"], "xpos": ["NNP"]},
    ]


def test_a_word_is_not_done_without_its_lemma_and_features(served, page):
    project = projects.make(served, [TASK], [WORDS], lang="fi")
    moves.annotate(page, served, project)
    for key in ("n", "v", "k"):
        moves.press(page, key, "ArrowRight")
    moves.press(page, "Control+Enter")
    page.locator(".frame .note", has_text="no lemma yet: “talossa”, “ui”, “.”").wait_for()
    moves.press(page, "Shift+L", "Escape", "Control+z")
    assert page.locator(".frame:focus").count() == 1


def test_a_dash_and_a_low_line_have_lemmas(served, page):
    words = Sentence("s1", "– _ ui", ("–", "_", "ui"))
    project = projects.make(served, ["pos+lemma"], [words], lang="fi")
    moves.annotate(page, served, project)
    assert page.locator(".frame .token .beside.sure").all_inner_texts() == ["_"]  # CoNLL-U cannot tell it from none
    moves.press(page, "k", "Shift+L")
    page.keyboard.type("_")
    moves.press(page, "Enter")
    page.locator(".frame .fields .why", has_text="type the lemma").wait_for()
    field(page, "lemmas").fill("–")
    moves.press(page, "Enter", "k", "v", "Shift+L")
    page.keyboard.type("uida")
    moves.press(page, "Enter")
    moves.finish(page)
    assert projects.done(served, project, "pos+lemma") == [
        {"upos": ["PUNCT", "PUNCT", "VERB"], "lemmas": ["–", "_", "uida"]}
    ]


def test_tags_alone_have_no_fields(served, page):
    project = projects.make(served, ["pos"], [WORDS], lang="fi")
    moves.annotate(page, served, project)
    assert field(page, "lemmas").count() == 0
    moves.press(page, "n", "v", "k")
    moves.finish(page)
    assert projects.done(served, project, "pos") == [{"upos": GOLD["upos"]}]
