"""The review page: two people's versions beside each other, and one key decides."""

from dataclasses import replace

import pytest
from browser import moves, projects
from browser.moves import HELD

from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app


def sentence(words, upos, heads, deprels, entities):
    words = tuple(words.split())
    columns = {"upos": upos, "deprels": deprels, "entities": entities}
    columns = {name: tuple(value.split()) for name, value in columns.items()}
    return Sentence(words[0], " ".join(words), words, heads=tuple(heads), **columns)


def seen(*, tagged, attached, named):
    """A telescope, which belongs to what it is attached to."""
    tanaka, with_ = tagged
    _, head, relation = attached
    return sentence(
        "She saw Ayumi Tanaka with a telescope .", f"PRON VERB PROPN {tanaka} {with_} DET NOUN PUNCT",
        (2, 0, 2, 3, 7, 7, head, 2), f"nsubj root {attached[0]} flat case det {relation} punct", f"O O {named} O O O O",
    )  # fmt: skip


def rained(tag, relation, entity):
    return sentence("Rain fell .", f"{tag} VERB PUNCT", (2, 0, 2), f"{relation} root punct", f"{entity} O O")


ANNAS = [
    seen(tagged=("PROPN", "ADP"), attached=("obj", 2, "obl"), named="B-PER I-PER"),
    rained("NOUN", "nsubj", "O"),
]
BENS = [
    seen(tagged=("NOUN", "SCONJ"), attached=("iobj", 3, "nmod"), named="O B-PER"),
    rained("PROPN", "obj", "B-LOC"),
]


def marked(page, name="disputed"):
    """Return the words that are marked."""
    return page.locator(f".frame .{name} .form").all_text_contents()


def said(page):
    """Return what the two keys say that they take."""
    return [" ".join(text.split()) for text in page.locator(".frame .hints .hint").all_text_contents()[:2]]


def open_review(page, app, *names):
    project = projects.compared(app, list(names), ANNAS, BENS, lang="en")
    moves.annotate(page, app, project, path="review")
    return project


def decided(page, count):
    page.get_by_text(f"{count} of 2 decided").wait_for()


def test_tags_trees_and_entities_are_decided_by_one_key_each_and_stand_in_the_gold(served, page, tmp_path):
    project = open_review(page, served, "pos", "dep", "ner")
    assert marked(page) == marked(page, "undecided") == ["Tanaka", "with"]
    assert page.locator(".frame .disputed .tag").all_text_contents() == ["PROPN | NOUN", "ADP | SCONJ"]
    assert said(page) == ["[ anna: PROPN", "] ben: NOUN"]
    moves.press(page, "[")
    assert (marked(page), marked(page, "undecided")) == (["Tanaka", "with"], ["with"])
    moves.press(page, "]")
    moves.finish(page)
    decided(page, 1)
    assert moves.words(page) == ["Rain", "fell", "."]
    moves.press(page, "]")
    moves.finish(page)
    decided(page, 2)

    moves.choose(page, "dep")
    assert marked(page) == ["Ayumi", "telescope"]
    assert page.locator(".frame .arc.version .name").all_text_contents() == ["[ obl", "] nmod"]
    assert page.locator(".frame .arc.current .name").all_text_contents() == ["obj | iobj"]
    moves.press(page, "[")
    assert said(page) == ["[ anna: saw ← obl", "] ben: Ayumi ← nmod"]
    moves.press(page, "]")
    moves.finish(page)
    moves.press(page, "[")
    moves.finish(page)
    decided(page, 2)

    moves.choose(page, "ner")
    assert marked(page) == ["Ayumi", "Tanaka"]
    assert said(page) == ["[ anna: Ayumi Tanaka PER", "] ben: Tanaka PER"]
    moves.press(page, "]")  # both words
    moves.finish(page)
    assert said(page) == ["[ anna: no entity", "] ben: Rain LOC"]
    moves.press(page, "[")
    moves.finish(page)
    decided(page, 2)

    exported = list(conllu.read(projects.exported(served, project, tmp_path / "gold.conllu")))
    assert [(one.upos, one.heads, one.deprels, one.entities) for one in exported] == [
        (one.upos, one.heads, one.deprels, one.entities)
        for one in (
            seen(tagged=("PROPN", "SCONJ"), attached=("obj", 3, "nmod"), named="O B-PER"),
            rained("PROPN", "nsubj", "O"),
        )
    ]


@pytest.mark.parametrize("task", ["pos", "dep", "ner"])
def test_what_nobody_has_decided_is_not_done(served, page, task):
    project = open_review(page, served, task)
    last = {"pos": "with", "dep": "telescope", "ner": "Tanaka"}[task]
    moves.press(page, "End", "Control+Enter")
    page.locator(".frame .note", has_text=last).wait_for()
    assert page.locator(".frame .here.undecided").count() == 1
    assert projects.decided(served, project, task) == 0


@pytest.mark.parametrize(
    ("code", "held"),
    [("Digit8", 0), ("Digit8", HELD["Control"] + HELD["Alt"]), ("Digit5", HELD["Alt"])],
    ids=["Linux", "Windows", "Mac"],
)
def test_on_a_german_keyboard_the_brackets_are_typed_with_alt_gr(served, page, code, held):
    open_review(page, served, "pos")
    moves.press_as(page, "[", code, held)
    moves.press_as(page, "]", code.replace("8", "9").replace("5", "6"), held)
    assert page.locator(".frame .disputed .tag").all_text_contents() == ["PROPN", "SCONJ"]


def test_on_a_phone_nothing_of_a_review_stands_beside_the_screen(served, page):
    page.set_viewport_size({"width": 360, "height": 780})
    open_review(page, served, "dep")
    for view in (".down", ".table"):
        page.locator(f".frame {view}").wait_for()
        edges = page.locator(f".frame, .frame {view}, .frame select").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().right)"
        )
        assert max(edges) < 360
        assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
        moves.press(page, "t")


def test_after_a_reload_a_review_goes_on_at_what_is_not_decided(served, page):
    open_review(page, served, "pos")
    moves.press(page, "]")
    moves.saved(page)
    page.reload()
    page.locator(".frame:focus").wait_for()
    assert page.locator(".frame .here .form").all_text_contents() == marked(page, "undecided") == ["with"]
    moves.press(page, "Control+z")
    assert marked(page, "undecided") == ["Tanaka", "with"]


def test_versions_of_other_words_differ_only_there_and_a_key_takes_the_words(served, page):
    words = sentence("You cannot go .", "PRON NOUN VERB PUNCT", (3, 3, 0, 3), "nsubj aux root punct", "O O O O")
    others = sentence(
        "You can not go .", "PRON AUX PART VERB PUNCT", (4, 4, 4, 0, 4), "nsubj aux advmod root punct", "O O O O O"
    )
    others = replace(others, text=words.text)
    project = projects.compared(served, ["pos", "dep"], [words], [others], lang="en")
    moves.annotate(page, served, project, path="review")
    assert marked(page) == marked(page, "undecided") == ["cannot"]
    assert page.locator(".frame .token .tag").all_text_contents() == ["PRON", "NOUN", "VERB", "PUNCT"]
    assert said(page) == ["[ anna: NOUN", "] ben: can + not"]
    moves.press(page, "]")
    assert moves.words(page) == list(others.words)
    assert page.locator(".frame .token .tag").all_text_contents() == list(others.upos)
    moves.press(page, "Control+z", "[")
    assert page.locator(".frame .token .tag").all_text_contents() == list(words.upos)
    for task in ("pos", "dep"):
        moves.choose(page, task)
        moves.press(page, "]", "Control+Enter")
        page.get_by_text("1 of 1 decided").wait_for()
    assert projects.decided(served, project, "pos") == projects.decided(served, project, "dep") == 1
    gold = projects.reviewed(served, project, "dep")
    assert (gold["words"], gold["heads"], gold["deprels"]) == (
        list(others.words),
        [4, 4, 4, 0, 4],
        list(others.deprels),
    )
