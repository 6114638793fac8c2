"""The pages for newcomers: their files are made, their steps taken as they are written, their results compared."""

import re

import pytest
from browser.first_project import Reader, steps
from serving import ROOT

pytestmark = pytest.mark.app

PAGES = ["start/browser.md linguists/first-projects.md", "start/shoebox.md"]
"""Pages whose steps are taken in one database, one after the other."""

MADE = re.compile(r"`([^`]+)` is then:\n\n```\n(.*?)^```", re.M | re.S)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("pages", PAGES)
def test_the_first_projects_are_made_as_the_pages_say(app, page, tmp_path, pages):
    text = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in pages.split())
    reader = Reader(page, tmp_path)
    reader.save(text)
    page.goto(app.address)
    for step in steps(text):
        reader.take(step)
    made = MADE.findall(text)
    assert bool(made) == ("first-projects" in pages)
    for name, content in made:
        assert (tmp_path / "made" / name).read_text(encoding="utf-8") == content
