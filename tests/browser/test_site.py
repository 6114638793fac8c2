"""The documentation as a site: it is built without a warning, and works from the disk without a network."""

import re
import subprocess
import sys

import pytest
from serving import ROOT

pytestmark = pytest.mark.app

ASKED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//([^/\" >]+)")
"""A server that a page asks for something before anybody clicks."""


def test_the_site_is_built_searched_without_a_network_and_no_wider_than_a_phone(page, window):
    pytest.importorskip("zensical", reason="pip install '.[docs]'")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted((ROOT / "site").rglob("*.html"))
    assert len(files) > 30
    assert {host for file in files for host in ASKED.findall(file.read_text(encoding="utf-8"))} == set()

    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto((ROOT / "site" / "linguists" / "keys.html").as_uri())
    page.get_by_role("button", name="Search").first.click()
    page.get_by_placeholder("Search").fill("toolbox")
    page.get_by_text(re.compile(r"^\d+ results?$")).wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Glosses: FLEx, Toolbox, ELAN").wait_for()
    assert all(url.startswith(("file:", "data:", "about:")) for url in requests)

    phone = window(viewport={"width": 390, "height": 900}, java_script_enabled=False)  # which no width depends on
    for file in files:
        phone.goto(file.as_uri())  # with its style sheets
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), file.name
