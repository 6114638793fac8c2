"""Texts of field linguists in the app: glosses and translations stand beside the words, and the file comes back."""

from pathlib import Path

import pytest
from browser import moves, projects

from annotate.pages import new_project
from fewshot.corpora.formats import eaf, flextext, sfm

pytestmark = pytest.mark.app

TEXTS = Path(__file__).parents[1] / "corpora" / "formats" / "interlinear"
MODULES = {"flextext": flextext, "sfm": sfm, "eaf": eaf}


@pytest.mark.parametrize(
    ("name", "gloss", "translation"),
    [
        ("flextext", "xalɛ · child", ["TEXT EN", "The children ate and went.", "LITERAL EN", "NOTE EN"]),
        ("sfm", "child", ["TEXT", "The children eat rice.", "NOTE", "slow"]),
        ("eaf", "CL.PL-DEF", ["TEXT ENG", "The children ate and went."]),
    ],
)
@pytest.mark.parametrize("task", ["pos", "ner"])
def test_glosses_and_translations_stand_beside_the_words(served, page, name, gloss, translation, task):
    sentences = MODULES[name].read(TEXTS / f"wolof.{name}")
    moves.annotate(page, served, projects.make(served, [task], sentences[:1], lang="wo"))
    assert gloss in page.locator(".gloss").all_inner_texts()
    for line in translation:
        page.get_by_text(line, exact=True).wait_for()


def test_a_file_is_uploaded_tagged_and_comes_back_with_the_tags(app, page, tmp_path):
    path = tmp_path / "rice.txt"  # as Toolbox calls its texts
    path.write_bytes((TEXTS / "wolof.sfm").read_bytes())
    moves.begin(page, app)
    page.get_by_text(new_project.UPLOAD, exact=True).click()
    page.locator("input[type=file]").first.set_input_files(path)
    page.get_by_text("3 sentences", exact=True).wait_for()
    assert page.get_by_text("A line of plain text is").count() == 0
    page.get_by_label("Language code").fill("wo")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Create project").click()
    page.locator(".frame:focus").wait_for()
    words = moves.words(page)
    moves.press(page, *"nnnn")
    moves.finish(page)
    (project,) = moves.projects_of(app)
    page.goto(f"{app.address}/data?project={project.id}")
    page.get_by_text("all that came", exact=True).click()
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as coming:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    out = tmp_path / coming.value.suggested_filename
    coming.value.save_as(out)
    assert out.suffix == ".sfm"
    assert {one.words for one in sfm.read(out) if set(one.upos) == {"NOUN"}} == {tuple(words)}
    lines = out.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line != "\\upos NOUN NOUN NOUN NOUN"] == path.read_text(
        encoding="utf-8"
    ).splitlines()
