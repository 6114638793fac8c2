"""The app in the language of whoever sits in front of it, pages and editors alike."""

import re

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from annotate import language

pytestmark = pytest.mark.app


def test_the_app_has_the_language_of_the_browser_until_another_is_chosen(app, window):
    (sentence,) = projects.sample("sw")[:1]
    project = projects.make(app, ["dep"], [sentence], lang="sw", suggestions=projects.gold("dep", [sentence]))
    page = window(locale="de-DE")
    moves.annotate(page, app, project)
    frame = page.locator(".frame")
    expect(frame).to_have_attribute("lang", "de")
    expect(frame).to_have_attribute("aria-label", re.compile("Dependenzparsing"))
    expect(page.locator(".frame .hints")).to_contain_text("Kopf wählen")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".frame .note")).to_contain_text("noch kein Kopf: „")
    moves.press(page, "Shift+A", "Control+Enter")
    page.get_by_text("Nichts mehr zu tun").first.wait_for()
    assert projects.done(app, project, "dep")[0]["heads"] == list(sentence.heads)

    page.goto(app.address)
    page.get_by_role("heading", name="Projekte").wait_for()
    opens = page.get_by_role("button", name="Öffnen").get_by_test_id("stMarkdownContainer")
    assert opens.evaluate("text => text.scrollWidth <= text.clientWidth")  # not cut
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_test_id("stPopoverBody").get_by_text("日本語").click()
    page.get_by_role("heading", name="プロジェクト").wait_for()
    page.wait_for_function(f"document.cookie.includes('{language.COOKIE}=ja')")
    page.reload()
    page.get_by_role("heading", name="プロジェクト").wait_for()
