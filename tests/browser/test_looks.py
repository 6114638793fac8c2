"""What everybody can read and tell apart on the screen."""

import pytest
from browser import moves, projects
from browser.test_accessible import HARD
from playwright.sync_api import expect

pytestmark = pytest.mark.app

PARTS = {"pos": (".token.guess .tag", "color"), "dep": (".arc.guess .name", "fill"), "ner": (".entity.guess .type", "color")}  # fmt: skip # noqa: E501
"""Where each task shows a suggestion, and what its colour is called there."""

PAGES = ("", "sentences", "consistency", "review", "data", "train", "compare")


def colours(page, selector, name, pseudo=None):
    """Return the colours of everything that a selector finds in the editor."""
    script = f"all => all.map(one => getComputedStyle(one, {pseudo!r})['{name}'])".replace("None", "null")
    return page.locator(f".frame {selector}").evaluate_all(script)


def places(page):
    """Return where the words are."""
    moves.saved(page)
    return page.locator(".frame .token .form").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ x, y, width }) => [Math.round(x + width / 2), Math.round(y)])"  # noqa: E501
    )


def test_suggestions_are_fainter_than_labels_entities_differ_and_words_stay_where_they_are(app, page):
    (sentence,) = projects.sample("en")[3:4]
    for task, (part, name) in PARTS.items():
        (annotation,) = projects.gold(task, [sentence])
        if task == "ner":
            annotation = {"entities": ["B-PER"] * sentence.length}
        likely = [0.99, 0.6, 0.3, *[0.01] * (sentence.length - 3)]
        project = projects.make(app, [task], [sentence], lang="en")
        projects.suggest(app, project, task, {"annotation": annotation, "confidence": likely})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            moves.annotate(page, app, project)
            moves.saved(page)
            assert len(set(colours(page, part, name)[:3])) == 3  # the less likely the fainter
            assert page.evaluate(HARD) == []

    project = projects.make(app, ["ner", "pos"], [sentence], lang="en")
    moves.annotate(page, app, project)
    for key in "123":
        moves.press(page, key, "ArrowRight")
    page.locator(".frame .entity").nth(2).wait_for()
    moves.saved(page)  # nothing is drawn anew meanwhile
    assert len(set(colours(page, ".entity .type", "color"))) == 3
    dots = colours(page, ".palette .kind", "backgroundColor", "::before")
    assert len(set(dots)) == len(dots) == 3
    moves.choose(page, "pos")
    before = places(page)
    for tag in ("PROPN", "X", "PUNCT"):
        moves.press(page, moves.keys_of("pos")[tag])
    moves.press(page, "Home")
    assert places(page) == before


def test_every_page_can_be_read_and_is_no_wider_than_its_window(app, page):
    page.goto(app.address)
    page.get_by_text("Annotate a few sentences of your language").wait_for()
    for step in ("1. Make a project", "2. Annotate", "3. Train and see"):
        page.get_by_text(step).wait_for()
    project = projects.annotated(app, ["pos"], projects.sample("en")[:3], lang="en")
    for path in PAGES:
        page.goto(f"{app.address}/{path}?project={project.id}")
        page.get_by_role("heading").first.wait_for()
        moves.settle(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    expect(page.get_by_text("Annotate a few sentences of your language")).to_have_count(0)
