"""The sentences page: what is found is opened, changed everywhere, and changed back."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect
from serving import ME

from annotate.editing import content
from annotate.store import Store
from fewshot.corpora.types import Sentence

pytestmark = pytest.mark.app

NAMES = ("Nueva York canta", "en Nueva York", "hoy canta")

ROW = 35
"""Pixels of a row of a table."""


@pytest.fixture
def store(served):
    opened = Store.open(served.url)
    yield opened
    opened.close()


@pytest.fixture
def project(served, store):
    """Twelve English sentences with tags and trees, of which ben has the last two."""
    examples = projects.sample("en")[:12]
    made = projects.make(served, ["pos", "dep"], examples, lang="en", people=[ME, "ben"])
    for task in made.tasks:
        for item, example in zip(store.items(made.id, task=task), examples, strict=True):
            store.save(item.id, ME, "page", 1, content.annotation_of(task, example), True, 5.0, 1)
    return made


def sentences(page, served, project):
    page.goto(f"{served.address}/sentences?project={project.id}")
    page.get_by_text("1 to 12 of 12").wait_for()
    page.get_by_test_id("stDataFrame").first.locator("canvas").first.wait_for()


def look_for(page, query, kind="pattern"):
    page.get_by_label("Look for").fill(query)
    choose(page, "as", kind)
    page.get_by_test_id("stBaseButton-primaryFormSubmit").click()


def click(page, row, x=100, table=0):
    """Click on a row of a table, when nothing moves it any more."""
    page.get_by_test_id("stDataFrame").nth(table).locator("canvas").first.wait_for()
    moves.settle(page)
    page.get_by_test_id("stDataFrame").nth(table).click(position={"x": x, "y": ROW * (row + 1.5)})


def choose(page, label, option):
    moves.settle(page)
    field = page.get_by_role("combobox", name=label, exact=True)
    if field.input_value() != option:  # typing what is there already opens no list
        field.fill(option)
        page.get_by_role("option", name=option, exact=True).click()


def change(page, places, table=1):
    """Make the change that a table previews; while it is drawn it moves the button."""
    button = page.get_by_role("button", name=f"Change {places}", exact=True)
    button.wait_for()
    page.get_by_test_id("stDataFrame").nth(table).locator("canvas").first.wait_for()
    moves.settle(page)
    button.click()


def tags(store, project, form):
    """Return the tags that a form has in the newest revisions, in order."""
    rows = {row.id: content.from_json(row.content) for row in store.examples(project.id)}
    newest = store.latest_of(project.id, "pos")
    return [
        tag
        for item in store.items(project.id, task="pos")
        for word, tag in zip(rows[item.example_id].words, newest[item.id].annotation["upos"], strict=True)
        if word == form
    ]


def test_a_click_on_a_hit_opens_the_sentence_to_annotate(served, page, store, project):
    sentences(page, served, project)
    look_for(page, 'Y -[case]-> X; X [form="near"]')
    page.get_by_text("1 hit in 1 sentence").wait_for()
    click(page, 0)
    page.locator(".frame:focus").wait_for()
    wanted = next(row.id for row in store.examples(project.id) if "near" in row.content["words"])
    item = next(one for one in store.items(project.id, task="pos") if one.example_id == wanted)
    assert page.locator(".frame").get_attribute("data-item") == str(item.id)


def test_what_is_looked_for_is_still_there_when_one_comes_back(served, page, project):
    sentences(page, served, project)
    look_for(page, "the", "text")
    page.get_by_text("hits in").wait_for()
    page.get_by_role("link", name="Review").click()
    page.get_by_role("heading", name="Review").wait_for()
    page.get_by_role("link", name="Sentences").click()
    page.get_by_text("hits in").wait_for()
    expect(page.get_by_label("Look for")).to_have_value("the")


def test_a_tag_is_changed_where_it_is_checked_and_changed_back(served, page, store, project):
    before = tags(store, project, "the")
    assert before.count("DET") == len(before) > 2
    sentences(page, served, project)
    look_for(page, 'X [form="the", upos=DET]')
    page.get_by_text("hits in").wait_for()
    page.get_by_text("Change all", exact=True).click()
    choose(page, "to", "PRON")
    page.get_by_role("button", name=f"Change {len(before)} places").wait_for()
    click(page, 0, x=55, table=1)
    change(page, f"{len(before) - 1} places")
    page.get_by_text("UPOS PRON: ").wait_for()
    assert sorted(tags(store, project, "the")) == ["DET"] + ["PRON"] * (len(before) - 1)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("taken back").wait_for()
    assert tags(store, project, "the") == before


def test_a_mistake_in_a_pattern_is_said_with_its_column(served, page, project):
    sentences(page, served, project)
    look_for(page, "X [upos=NOUN; Y []")
    page.get_by_text("the pattern, column 13: ] is missing").wait_for()


def test_a_name_is_marked_at_all_places_that_a_text_finds(served, page, store):
    sentences = [Sentence(f"s{number}", text, tuple(text.split())) for number, text in enumerate(NAMES, start=1)]
    project = projects.make(served, ["ner"], sentences, lang="es", people=[ME])
    for item in store.items(project.id):
        row = next(iter(store.examples(project.id, ids=[item.example_id])))
        blank = ["O"] * len(row.content["words"])
        store.save(item.id, ME, "page", 1, {"entities": blank}, True, 5.0, 1)
    page.goto(f"{served.address}/sentences?project={project.id}")
    look_for(page, "Nueva York", kind="text")
    page.get_by_text("Change all").click()
    choose(page, "to", "LOC")
    change(page, "2 places")
    page.get_by_text("2 sentences changed").wait_for()
    newest = store.latest_of(project.id, "ner")
    found = [newest[item.id].annotation["entities"] for item in store.items(project.id)]
    assert sorted(found) == [["B-LOC", "I-LOC", "O"], ["O", "B-LOC", "I-LOC"], ["O", "O"]]
