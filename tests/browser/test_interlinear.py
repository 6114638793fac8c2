"""Texts of field linguists in the app: glosses and translations stand beside the words, and the file comes back."""

from pathlib import Path

import pytest
from browser import moves, projects

from fewshot.corpora.formats import eaf, flextext, sfm

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


def test_a_file_is_uploaded_tagged_and_comes_back(served, page, tmp_path):
    moves.begin(page, served)
    page.get_by_text("My own", exact=False).first.click()
    page.screenshot(path="/tmp/w/gloss_dl/form0.png", full_page=True)
    path = tmp_path / "rice.txt"
    path.write_bytes((TEXTS / "wolof.sfm").read_bytes())
    page.locator("input[type=file]").first.set_input_files(path)
    page.wait_for_timeout(4000)
    page.screenshot(path="/tmp/w/gloss_dl/form.png", full_page=True)
