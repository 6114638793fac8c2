"""Projects kept in order: more for a pool, archive, delete with a backup, and sentences that are opened again."""

import pytest
from browser import moves, projects
from serving import ME

from annotate.store import Store
from annotate.store.backup import restore
from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app

SETTINGS = "Next round, suggestions, settings"


@pytest.fixture
def store(served):
    opened = Store.open(served.url)
    yield opened
    opened.close()


@pytest.fixture
def project(served, store):
    return projects.annotated(served, ["pos"], projects.sample("ja")[:3])


def settings(page, served):
    """Open the settings of the only project."""
    page.goto(served.address)
    page.get_by_text(SETTINGS).click()
    page.get_by_role("button", name="Archive", exact=True).wait_for()


def press(page, name):
    button = page.get_by_role("button", name=name, exact=True)
    button.wait_for()
    moves.settle(page)
    button.click()


def go_to(page, name, item):
    """Go to an item by the list of all."""
    page.get_by_role("button", name="Go to").click()
    page.get_by_label("Item").click()
    page.get_by_role("option", name=name).click()
    page.locator(f".frame[data-item='{item.id}']").wait_for()


def test_files_are_added_to_a_pool(served, page, store, project, tmp_path):
    sentences = projects.sample("ja")
    for name, some in (("a", sentences[:5]), ("b", sentences[5:8])):
        conllu.write(some, tmp_path / f"{name}.conllu")
    settings(page, served)
    press(page, "Add to the pool")
    box = page.get_by_role("dialog")
    box.locator("input[type=file]").set_input_files([tmp_path / "a.conllu", tmp_path / "b.conllu"])
    box.get_by_text("5 sentences are new; left out: 3 repeated").wait_for()
    press(page, "Add 5 sentences")
    page.get_by_text("pool 8").wait_for()
    assert box.count() == 0
    assert [row.key for row in store.examples(project.id)] == [one.id for one in sentences[:8]]


def test_an_archived_project_is_out_of_the_way_until_it_is_brought_back(served, page, store, project):
    settings(page, served)
    press(page, "Archive")
    page.get_by_text("Archived (1)").click()
    page.get_by_role("button", name="Bring back").wait_for()
    page.get_by_text(SETTINGS).wait_for(state="hidden")
    page.goto(f"{served.address}/annotate?project={project.id}")
    page.get_by_text("Archived (1)").wait_for()  # there is no such page; this is the list of projects
    page.goto(served.address)
    page.get_by_text("Archived (1)").wait_for()
    moves.settle(page)
    page.get_by_text("Archived (1)").click()
    press(page, "Bring back")
    page.get_by_text(SETTINGS).wait_for()
    page.get_by_text("Archived (1)").wait_for(state="hidden")
    assert len(store.latest_of(project.id, "pos")) == 3


def test_the_settings_of_the_next_project_stay_closed_when_one_is_archived(served, page, project):
    projects.annotated(served, ["pos"], projects.sample("ja")[3:5])
    page.goto(served.address)
    page.get_by_text(SETTINGS).first.click()
    press(page, "Archive")
    page.get_by_text("Archived (1)").wait_for()
    page.wait_for_timeout(500)
    assert page.get_by_text(SETTINGS).count() == 1
    assert not page.get_by_role("button", name="Archive", exact=True).is_visible()


def test_a_project_is_deleted_by_its_name_after_what_goes_is_said_and_a_backup_taken(
    served, page, store, project, tmp_path
):
    settings(page, served)
    press(page, "Delete")
    box = page.get_by_role("dialog")
    box.get_by_text(f"3 sentences, 1 round and 3 saved annotations of {ME}").wait_for()
    with page.expect_download() as coming:
        press(page, "Backup")
    coming.value.save_as(tmp_path / "x.gz")
    press(page, "Delete all of it")
    box.get_by_text(f"type {project.name} to delete it; nothing was deleted").wait_for()
    assert store.projects() == [project]
    box.get_by_label("Name of the project").fill(project.name)
    press(page, "Delete all of it")
    page.get_by_text(SETTINGS).wait_for(state="detached")
    assert store.projects(archived=None) == []
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restore(tmp_path / "x.gz", again)
    assert len(again.latest_of(project.id, "pos")) == 3
    again.close()


def test_a_curator_deletes_nothing(lab, window):
    store = Store.open(lab.url)
    store.set_role("ben", "curator")
    made = projects.make(lab, ["pos"], projects.sample("ja")[:1])
    page = window()
    moves.sign_in(page, lab, "ben")
    page.get_by_text(SETTINGS).click()
    page.get_by_role("button", name="Archive", exact=True).wait_for()
    assert page.get_by_role("button", name="Delete", exact=True).count() == 0
    store.delete_project(made.id)
    store.set_role("ben", "annotator")
    store.close()


def test_a_finished_sentence_is_opened_again_and_stays_so_when_it_is_left(served, page, store, project):
    first, second, third = store.items(project.id)
    page.goto(f"{served.address}/annotate?project={project.id}")
    page.get_by_text("Nothing left to do in POS tagging.").wait_for()
    go_to(page, "1 ✓", first)
    press(page, "Reopen")
    page.get_by_role("button", name="Reopen").wait_for(state="detached")
    page.wait_for_timeout(1500)  # active time that is sent when the sentence is left
    page.locator(".frame").focus()
    page.mouse.move(300, 300)
    moves.press(page, "ArrowRight", "Alt+ArrowRight")
    page.locator(f".frame[data-item='{second.id}']").wait_for()
    assert [item.status for item in store.items(project.id)] == ["open", "done", "done"]
    go_to(page, "3 ✓", third)


def test_a_curator_gives_somebody_back_what_they_called_done(served, page, store):
    sentences = projects.sample("ja")[:2]
    project = projects.compared(served, ["pos"], sentences, sentences)
    item = store.items(project.id, annotator="anna")[0]
    store.add_comment(item.example_id, "pos", ME, "look again")
    page.goto(f"{served.address}/review?project={project.id}")
    page.get_by_test_id("stDataFrame").first.click(position={"x": 15, "y": 52})
    press(page, "Reopen for anna")
    page.get_by_role("button", name="Reopen for anna").wait_for(state="detached")
    page.get_by_role("button", name="Reopen for ben").wait_for()
    assert [store.item(one.id).status for one in store.items(project.id, annotator="anna")] == ["open", "done"]


def test_a_slip_in_the_source_model_is_said_and_nothing_else_that_was_typed_is_lost(served, page, store, project):
    settings(page, served)
    page.get_by_label("Guidelines (Markdown)").fill("Words of others are X.")
    page.keyboard.press("Tab")
    for typed in ("Finnish", "fi"):
        moves.settle(page)
        field = page.get_by_role("combobox", name="Source model").last
        field.fill(typed)
        field.press("Enter")
        moves.settle(page)
        press(page, "Save settings")
        if typed == "Finnish":
            page.get_by_text("Finnish is no language code that is known").wait_for()
    moves.settle(page)
    saved = store.project(project.id)
    assert (saved.source_model, saved.guidelines) == ("fi", "Words of others are X.")
