"""A curator keeps projects in order: more for a pool, archive, delete with a backup."""

from contextlib import closing

import pytest
from browser import moves, projects
from playwright.sync_api import expect
from serving import ME

from annotate.store import Store
from annotate.store.backup import restore
from fewshot.corpora.formats import conllu

pytestmark = pytest.mark.app


def test_a_project_gets_more_sentences_and_is_archived_brought_back_and_deleted(app, page, store, tmp_path):
    sentences = projects.sample("ja")
    project = projects.annotated(app, ["pos"], sentences[:3])
    other = projects.annotated(app, ["pos"], sentences[3:5])
    for name, some in (("a", sentences[:5]), ("b", sentences[5:8])):
        conllu.write(some, tmp_path / f"{name}.conllu")
    page.goto(f"{app.address}/rounds?project={project.id}")
    moves.press_button(page, "Add to the pool")
    box = page.get_by_role("dialog")
    box.locator("input[type=file]").set_input_files([tmp_path / "a.conllu", tmp_path / "b.conllu"])
    box.get_by_text("5 sentences are new; left out: 3 repeated").wait_for()
    moves.press_button(page, "Add 5 sentences")
    expect(box).to_have_count(0)
    assert [row.key for row in store.examples(project.id)] == [one.id for one in sentences[:8]]

    opening = page.get_by_role("button", name="Open", exact=True)
    moves.press_until(page.get_by_role("button", name="Archive"), page.get_by_text("Archived (1)").is_visible)
    expect(opening).to_have_count(1)
    page.goto(f"{app.address}/annotate?project={project.id}")
    page.get_by_text("Archived (1)").wait_for()  # there is no such page; this is the list of projects
    page.goto(app.address)
    page.get_by_text("Archived (1)").click()
    moves.press_until(page.get_by_role("button", name="Restore"), opening.nth(1).is_visible)
    page.goto(f"{app.address}/rounds?project={project.id}")
    assert len(store.newest_revisions(project.id, "pos")) == 3

    parts = box.get_by_text(f"8 sentences, 1 round and 3 saved annotations of {ME}")
    moves.press_until(page.get_by_role("button", name="Delete", exact=True).first, parts.is_visible)
    with page.expect_download() as coming:
        moves.press_button(page, "Backup")
    coming.value.save_as(tmp_path / "x.gz")
    moves.press_button(page, "Delete everything")
    box.get_by_text(f"type {project.name} to delete the project; nothing was deleted").wait_for()
    assert len(store.projects()) == 2
    box.get_by_label("Name of the project").fill(project.name)
    moves.press_button(page, "Delete everything")
    expect(box).to_have_count(0)
    moves.settle(page)
    assert store.projects(archived=None) == [other]
    with closing(Store.open(f"sqlite:///{tmp_path / 'again.db'}")) as again:
        restore(tmp_path / "x.gz", again)
        assert len(again.newest_revisions(project.id, "pos")) == 3
