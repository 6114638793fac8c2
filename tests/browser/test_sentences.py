"""Search: what is found is opened, changed everywhere, and changed back; so are likely errors."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect
from serving import ME

from annotate.editing import content
from annotate.search import queries
from annotate.store import ExampleFilter

pytestmark = pytest.mark.app

ARTICLE = "Definite=Def|PronType=Art"


def made(app, store, names, examples, annotation_of=content.annotation_of):
    """Make a project whose examples are annotated."""
    project = projects.make(app, names, examples, lang="en", people=[ME, "ben"])
    for task in project.tasks:
        for item, example in zip(store.items(project.id, task=task), examples, strict=True):
            store.save(item.id, ME, "page", 1, annotation_of(task, example), True, 5.0, 1)
    return project


def look_for(page, query):
    page.get_by_role("textbox", name="Search for").fill(query)
    page.get_by_test_id("stBaseButton-primaryFormSubmit").click()


def found(page, total, examples=1):
    """Wait until the page shows so many hits."""
    hits, sentences = "hit" if total == 1 else "hits", "sentence" if examples == 1 else "sentences"
    page.get_by_text(f"{total} {hits} in {examples} {sentences}", exact=True).wait_for()


def change(page, places, table):
    """Make the change that a table previews; while it is drawn it moves the button."""
    page.get_by_role("button", name=f"Change {places}", exact=True).wait_for()
    page.get_by_test_id("stDataFrame").nth(table).locator("canvas").first.wait_for()
    moves.press_button(page, f"Change {places}")


def values(store, project, task, column, form):
    """Return what a form has in the newest revisions, in order."""
    rows = {row.id: content.from_json(row.content) for row in store.examples(project.id)}
    newest = store.newest_revisions(project.id, task)
    return [
        value
        for item in store.items(project.id, task=task)
        for word, value in zip(rows[item.example_id].words, newest[item.id].annotation[column], strict=True)
        if word == form
    ]


def test_searches_follow_each_other_and_what_is_found_is_opened_changed_and_changed_back(app, page, store):
    project = made(app, store, ["pos", "dep"], projects.sample("en")[:12])
    page.goto(f"{app.address}/sentences?project={project.id}")
    page.get_by_text("1 to 12 of 12").wait_for()
    before = None
    searches = [
        (queries.TEXT, "the"),
        (queries.PATTERN, "X [upos=VERB]"),
        (queries.TEXT, "a"),
        (queries.PATTERN, "X [upos=ADP]"),
        (queries.PATTERN, "X [upos=NOUN]"),
    ]
    for kind, query in [*searches, searches[0]]:
        hits = queries.find(store, project, kind, query, ExampleFilter("pos"))
        assert (hits.total, hits.examples) != before
        before = hits.total, hits.examples
        look_for(page, query)
        found(page, *before)
    look_for(page, "X [upos=NOUN; Y []")
    page.get_by_text("the pattern, column 13: ] is missing").wait_for()

    look_for(page, 'Y -[case]-> X; X [form="near"]')
    found(page, 1)
    moves.click_row(page, 0, x=100)
    page.locator(".frame:focus").wait_for()
    wanted = next(row.id for row in store.examples(project.id) if "near" in row.content["words"])
    item = next(one for one in store.items(project.id, task="pos") if one.example_id == wanted)
    expect(page.locator(".frame")).to_have_attribute("data-item", str(item.id))
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("link", name="Sentences").click()
    found(page, 1)
    expect(page.get_by_role("textbox", name="Search for")).to_have_value('Y -[case]-> X; X [form="near"]')

    before = values(store, project, "pos", "upos", "the")
    assert before.count("DET") == len(before) > 2
    look_for(page, 'X [form="the", upos=DET]')
    page.get_by_text(f"{len(before)} hits in").wait_for()
    page.get_by_text("Change all", exact=True).click()
    moves.choose_option(page, "to", "PRON")
    page.get_by_role("button", name=f"Change {len(before)} places").wait_for()
    moves.click_row(page, 0, x=55, table=1)  # one place stays as it is
    change(page, f"{len(before) - 1} places", table=1)
    page.get_by_text("UPOS PRON: ").wait_for()
    assert sorted(values(store, project, "pos", "upos", "the")) == ["DET"] + ["PRON"] * (len(before) - 1)
    moves.press_button(page, "Undo")
    page.get_by_text("taken back").wait_for()
    assert values(store, project, "pos", "upos", "the") == before
    page.get_by_role("link", name="Train & curve").click()  # where the choice of the task is another field
    page.get_by_role("button", name="Train on 12 sentences").wait_for()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_likely_errors_are_opened_changed_changed_back_and_left_as_they_are(app, page, store):
    task = "pos+feats"
    examples = projects.sample("en")[:12]
    first, second = [one for one in examples if "the" in one.words][:2]

    def annotation_of(_task, example):
        upos, feats = list(example.upos), [ARTICLE if word == "the" else "" for word in example.words]
        if example is first:
            upos[example.words.index("the")] = "PRON"
        if example is second:
            feats[example.words.index("the")] = "PronType=Dem"
        return {"upos": upos, "feats": feats}

    project = made(app, store, [task], examples, annotation_of)

    def look():
        page.goto(f"{app.address}/consistency?project={project.id}")
        page.get_by_role("radio", name="Tags (1)").wait_for()

    look()
    page.get_by_role("radio", name="Features (1)").click()
    moves.click_row(page, 0)
    page.get_by_text("Change all").click()
    page.get_by_role("combobox", name="to", exact=True).fill(ARTICLE)
    page.get_by_role("combobox", name="to", exact=True).press("Enter")
    change(page, "1 place", table=2)
    expect(page.get_by_role("radio", name="Features (1)")).to_have_count(0)
    assert set(values(store, project, task, "feats", "the")) == {ARTICLE}

    look()
    moves.click_row(page, 0)
    found(page, 1)  # the rarest label comes first
    page.get_by_text("Change all").click()
    moves.choose_option(page, "Set", "UPOS")
    moves.choose_option(page, "to", "DET")
    change(page, "1 place", table=2)
    page.get_by_text("Nothing suspicious in 12 annotated sentences.").wait_for()
    assert set(values(store, project, task, "upos", "the")) == {"DET"}
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_role("radio", name="Tags (1)").wait_for()

    moves.click_row(page, 0)
    moves.press_button(page, "Leave unchanged")
    page.get_by_text("Nothing is left of what was found in 12 annotated sentences.").wait_for()
    page.get_by_text("Also show hits that were left as they are (1)").click()
    moves.click_row(page, 0)
    moves.press_button(page, "Put it back on the list")
    expect(page.get_by_text("Also show hits that were left as they are")).to_have_count(0)
