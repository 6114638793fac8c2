"""Two versions of one sentence: of two windows, and of two people whose differences are decided."""

import pytest
from browser import moves, projects
from browser.moves import HELD
from playwright.sync_api import expect

from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app


def tags(page):
    """Return the tags that the editor shows."""
    return page.locator(".frame .token .tag").all_inner_texts()


def newest(app, project):
    """Return the tags of the first sentence as they are saved."""
    return projects.held(app, project, "pos")[0][1]["upos"]


def without_news(page):
    """Let a window not ask for the newest version, as one that has the focus all the time or is on another machine."""
    page.add_init_script("addEventListener('focus', (event) => event.stopImmediatePropagation(), true)")


def two_windows(page, app, window=None):
    """Open one sentence in two windows; in both its first word is a noun."""
    without_news(page)
    project = projects.make(app, ["pos"], projects.sample("ja")[:2])
    moves.annotate(page, app, project)
    moves.press(page, moves.keys_of("pos")["NOUN"])
    moves.saved(page)
    second = window() if window else page.context.new_page()
    moves.annotate(second, app, project)
    return project, second


@pytest.mark.parametrize("machine", ["same", "another"])
def test_a_window_that_saves_over_a_newer_version_is_told_so_and_shows_both(served, page, window, machine):
    project, second = two_windows(page, served, None if machine == "same" else window)
    keys = moves.keys_of("pos")
    moves.press(second, "Home", keys["ADJ"], keys["VERB"])
    moves.saved(second)
    both = newest(served, project)
    moves.press(page, "Home", keys["PROPN"], "End", keys["PUNCT"])
    page.locator(".frame .note", has_text="another window has saved this too").wait_for()
    assert newest(served, project) == both  # until somebody has decided
    assert tags(page)[:2] == ["PROPN | ADJ", "VERB"]
    expect(page.locator(".frame .undecided.here")).to_have_count(1)
    for number, hint in enumerate(["[ this window: PROPN", "] the other window: ADJ"]):
        expect(page.locator(".frame .hints .hint").nth(number)).to_have_text(hint)
    page.reload()  # what this window made is kept
    page.locator(".frame .note", has_text="another window has saved this too").wait_for()
    assert tags(page)[:2] == ["PROPN | ADJ", "VERB"]
    moves.press(page, "[")
    moves.saved(page)
    assert newest(served, project) == ["PROPN", "VERB", *["_"] * (len(both) - 3), "PUNCT"]
    moves.press(page, "Home", "]")
    moves.saved(page)
    assert newest(served, project)[0] == "ADJ"


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
    expect(page.locator(".frame .disputed .tag")).to_have_text(["PROPN | NOUN", "ADP | SCONJ"])
    assert said(page) == ["[ anna: PROPN", "] ben: NOUN"]
    moves.press_as(page, "[", "Digit8", HELD["Control"] + HELD["Alt"])  # AltGr of a German keyboard, on Windows
    assert (marked(page), marked(page, "undecided")) == (["Tanaka", "with"], ["with"])
    moves.press_as(page, "]", "Digit6", HELD["Alt"])  # on a Mac
    moves.finish(page)
    decided(page, 1)
    assert moves.words(page) == ["Rain", "fell", "."]
    moves.press(page, "]")
    moves.finish(page)
    decided(page, 2)

    moves.choose(page, "dep")
    assert marked(page) == ["Ayumi", "telescope"]
    expect(page.locator(".frame .arc.version .name")).to_have_text(["[ obl", "] nmod"])
    expect(page.locator(".frame .arc.current .name")).to_have_text(["obj | iobj"])
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
