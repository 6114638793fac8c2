"""The pages for newcomers: their files are made, their steps taken as they are written, their results compared."""

import re

import pytest
from browser.first_project import Reader, steps
from serving import ROOT

pytestmark = pytest.mark.app

PAGES = "".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("start/browser.md", "linguists/first-projects.md")
)

MADE = re.compile(r"`([^`]+)` is then:\n\n```\n(.*?)^```", re.M | re.S)


@pytest.mark.timeout(900)
def test_the_first_projects_are_made_as_the_pages_say(app, page, tmp_path):
    reader = Reader(page, tmp_path)
    reader.save(PAGES)
    page.goto(app.address)
    for step in steps(PAGES):
        reader.take(step)
    made = MADE.findall(PAGES)
    assert made
    for name, content in made:
        assert (tmp_path / "made" / name).read_text(encoding="utf-8") == content
