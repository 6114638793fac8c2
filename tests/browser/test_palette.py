"""Keys teach themselves: the hints of the moment, all keys, and the palette in which labels are chosen by typing."""

import pytest
from browser import moves, projects

pytestmark = pytest.mark.app


def open_task(page, app, task):
    page.set_viewport_size({"width": 1280, "height": 800})
    project = projects.make(app, [task], projects.sample("en")[:1], lang="en")
    moves.annotate(page, app, project)
    return project


def hints(page):
    return [" ".join(text.split()) for text in page.locator(".frame .row .hint").all_text_contents()]


def test_the_line_of_hints_is_that_of_the_moment_and_one_line(served, page):
    open_task(page, served, "dep")
    on_a_word = hints(page)
    assert "Enter choose its head" in on_a_word
    moves.press(page, "Enter")
    choosing = hints(page)
    assert {"Enter attach here", "1 … 9 its number", "0 root", "Escape leave"} <= set(choosing)
    assert not {"l relation", "CtrlEnter done, next"} & set(choosing)
    moves.press(page, "Escape")
    assert hints(page) == on_a_word
    moves.press(page, "l")
    assert hints(page)[:2] == ["type to filter", "↑"]
    assert moves.box(page, ".row")["height"] < 32
    assert page.locator(".frame .hints").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_all_keys_are_shown_with_those_of_the_relations(served, page):
    open_task(page, served, "dep")
    moves.press(page, "?")
    shown = [" ".join(text.split()) for text in page.locator(".frame .every .hint").all_text_contents()]
    assert {f"{key} {name}" for name, key in moves.keys_of("dep").items()} <= set(shown)
    assert {"Alts skip", "t across, down, table", "/ split"} <= set(shown)
    moves.press(page, "?")
    assert page.locator(".frame .every .hint").count() == 0


@pytest.mark.parametrize(
    ("task", "typed", "name"), [("dep", "xc", "xcomp"), ("pos", "pro", "PRON"), ("ner", "lo", "LOC")]
)
def test_every_label_is_chosen_by_typing_and_stands_there_with_its_key(served, page, task, typed, name):
    project = open_task(page, served, task)
    moves.press(page, "l")
    options = page.locator(".frame .asking .option")
    keys = moves.numbered(task) if task == "ner" else moves.keys_of(task)
    page.keyboard.type(typed)
    first = options.first
    assert (first.locator("kbd").text_content(), first.locator("b").text_content()) == (keys[name], name)
    moves.press(page, "Enter")
    page.locator(".frame:focus").wait_for()
    if task == "dep":
        moves.press(page, "Enter", "2", "Enter")
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, task)
    column = {"dep": "deprels", "pos": "upos", "ner": "entities"}[task]
    assert annotation[column][0] == (f"B-{name}" if task == "ner" else name)


def test_arrows_lead_through_the_palette_and_escape_leaves_it(served, page):
    project = open_task(page, served, "pos")
    moves.press(page, "l", "ArrowDown", "ArrowDown", "ArrowUp", "Enter")  # the second
    moves.press(page, "l", "Escape")
    page.locator(".frame:focus").wait_for()
    assert page.locator(".frame .asking").count() == 0
    moves.saved(page)
    ((_, annotation),) = projects.held(served, project, "pos")
    assert annotation["upos"][0] == project.labels["pos"][1]


@pytest.mark.parametrize(("task", "noun"), [("pos", "tag"), ("ner", "type")])
def test_what_is_no_label_of_the_project_is_not_taken(served, page, task, noun):
    project = open_task(page, served, task)
    moves.press(page, "l", *"foo", "Enter")
    page.locator(".frame .asking .why", has_text=f"“foo” is no {noun} here").wait_for()
    moves.press(page, "Escape")
    page.locator(".frame:focus").wait_for()
    assert projects.held(served, project, task) == [("open", None)]
