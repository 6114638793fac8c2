"""What newcomers see, and what tells things apart on the screen."""

import pytest
from browser import moves, projects
from browser.test_accessible import HARD

pytestmark = pytest.mark.app


def test_whoever_has_no_project_reads_what_this_is_and_how_it_goes(app, page):
    page.goto(app.address)
    page.get_by_text("Annotate a few sentences of your language").wait_for()
    for step in ("1. Make a project", "2. Annotate", "3. Train and see"):
        page.get_by_text(step).wait_for()
    moves.create(page, app)
    page.goto(app.address)
    page.get_by_text("New project").first.wait_for()
    assert page.get_by_text("Annotate a few sentences of your language").count() == 0


def test_a_flag_is_filled_once_it_is_set(served, page):
    project = projects.make(served, ["pos"], projects.sample("en")[:1], lang="en")
    moves.annotate(page, served, project)
    page.get_by_role("button", name="⚐ Flag").click()
    page.get_by_role("button", name="⚑ Flagged").wait_for()


def test_words_stay_where_they_are_while_tags_are_typed(served, page):
    (sentence,) = projects.sample("en")[3:4]
    suggested = {"upos": ["X" if number % 2 else "PROPN" for number in range(sentence.length)]}
    for made in (None, [suggested]):
        project = projects.make(served, ["pos"], [sentence], lang="en", suggestions=made)
        moves.annotate(page, served, project)
        before = places(page)
        for tag in ("PROPN", "X", "PUNCT"):
            moves.press(page, moves.keys_of("pos")[tag])
        moves.press(page, "Home")
        assert places(page) == before


def places(page):
    moves.saved(page)
    return page.locator(".frame .token .form").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ x, y, width }) => [Math.round(x + width / 2), Math.round(y)])"  # noqa: E501
    )


def test_types_of_entities_have_colours_of_their_own_which_are_no_suggestions(served, page):
    (sentence,) = projects.sample("en")[:1]
    project = projects.make(served, ["ner"], [sentence], lang="en")
    moves.annotate(page, served, project)
    for key in "123":
        moves.press(page, key, "ArrowRight")
    page.locator(".frame .entity").nth(2).wait_for()
    moves.saved(page)  # nothing is drawn anew meanwhile
    colours = page.locator(".frame .entity .type").evaluate_all("all => all.map(one => getComputedStyle(one).color)")
    assert len(set(colours)) == 3
    dots = page.locator(".frame .palette .kind").evaluate_all(
        "all => all.map(one => getComputedStyle(one, '::before').backgroundColor)"
    )
    assert len(set(dots)) == len(dots) == 3
    assert page.evaluate(HARD) == []


def test_a_suggestion_is_the_fainter_the_less_likely_it_is_and_never_too_faint_to_read(served, page):
    (sentence,) = projects.sample("en")[:1]
    for task in ("pos", "dep", "ner"):
        (annotation,) = projects.gold(task, [sentence])
        if task == "ner":
            annotation = {"entities": ["B-PER"] * sentence.length}
        likely = [0.99, 0.6, 0.3, *[0.01] * (sentence.length - 3)]
        guess = {"annotation": annotation, "confidence": likely}
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            project = projects.make(served, [task], [sentence], lang="en")
            projects.suggest(served, project, task, guess)
            moves.annotate(page, served, project)
            moves.saved(page)
            part = {"pos": ".token.guess .tag", "dep": ".arc.guess .name", "ner": ".entity.guess .type"}[task]
            of = f"one => getComputedStyle(one).{'fill' if task == 'dep' else 'color'}"
            colours = page.locator(f".frame {part}").evaluate_all(f"all => all.map({of})")
            assert len(set(colours[:3])) == 3
            assert page.evaluate(HARD) == []
