"""The app in the language of whoever sits in front of it, pages and editors alike."""

import pytest
from browser import moves, projects
from playwright.sync_api import expect

from annotate import language

pytestmark = pytest.mark.app


@pytest.fixture
def foreign(chromium):
    """Opens a window of a browser whose first language is another than English."""
    opened = []

    def open_window(locale):
        opened.append(chromium.new_context(locale=locale, viewport={"width": 1280, "height": 900}))
        page = opened[-1].new_page()
        page.set_default_timeout(moves.PATIENCE)
        return page

    yield open_window
    for context in opened:
        context.close()


@pytest.mark.parametrize(
    ("locale", "task", "hint", "todo", "done"),
    [
        ("de-DE", "Dependenzparsing", "Kopf wählen", "noch kein Kopf: „", "Nichts mehr zu tun"),
        (
            "ja-JP",
            "係り受け解析",
            "主辞を選ぶ",
            "主辞がありません：「",
            "作業は残っていません",
        ),
    ],
)
def test_a_sentence_is_annotated_in_the_language_of_the_browser(served, foreign, locale, task, hint, todo, done):
    (sentence,) = projects.sample("sw")[:1]
    project = projects.make(served, ["dep"], [sentence], lang="sw", suggestions=projects.gold("dep", [sentence]))
    page = foreign(locale)
    moves.annotate(page, served, project)
    frame = page.locator(".frame")
    expect(frame).to_have_attribute("lang", locale[:2])
    assert task in frame.get_attribute("aria-label")
    assert hint in page.locator(".frame .hints").inner_text()
    assert todo in page.locator(".frame .problems").inner_text()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".frame .note")).to_contain_text(todo)
    page.keyboard.press("Shift+A")
    page.keyboard.press("Control+Enter")
    page.get_by_text(done).first.wait_for()
    ((status, annotation),) = projects.held(served, project, "dep")
    assert (status, annotation["heads"]) == ("done", list(sentence.heads))


def test_a_language_that_was_chosen_holds_at_once_and_is_kept_in_this_browser(served, foreign):
    page = foreign("en-US")
    page.goto(served.address)
    page.get_by_role("heading", name="Projects").wait_for()
    page.get_by_role("button", name="English").click()
    page.get_by_text("Français").click()
    page.get_by_role("heading", name="Projets").wait_for()
    page.wait_for_function(f"document.cookie.includes('{language.COOKIE}=fr')")
    page.reload()
    page.get_by_role("heading", name="Projets").wait_for()
