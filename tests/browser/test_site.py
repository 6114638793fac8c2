"""The documentation as a site: it is built without a warning, and works from the disk without a network."""

import re
import subprocess
import sys

import pytest
from serving import ROOT

pytestmark = pytest.mark.app

ASKED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//([^/\" >]+)")
"""A server that a page asks for something before anybody clicks."""


@pytest.fixture(scope="module")
def site():
    """The folder of the site."""
    pytest.importorskip("zensical", reason="pip install '.[docs]'")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "site"


def test_no_page_asks_another_server(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert {host for page in pages for host in ASKED.findall(page.read_text(encoding="utf-8"))} == set()


def test_a_page_from_the_disk_is_searched(site, page):
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto((site / "linguists" / "keys.html").as_uri())
    page.get_by_role("button", name="Search").first.click()
    page.get_by_placeholder("Search").fill("toolbox")
    page.get_by_text(re.compile(r"^\d+ results?$")).wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Glosses: FLEx, Toolbox, ELAN").wait_for()
    assert all(url.startswith(("file:", "data:", "about:")) for url in requests)


def test_no_page_is_wider_than_a_phone(site, page):
    page.set_viewport_size({"width": 390, "height": 900})
    for file in sorted(site.rglob("*.html")):
        page.goto(file.as_uri(), wait_until="domcontentloaded")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), file.name
