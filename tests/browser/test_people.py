"""A lab's server: who gets in, who sees what, and that no two people hold one item."""

import pytest
from browser import moves, projects
from browser.conftest import running

from annotate import users
from annotate.store import Store

PASSWORD = "correct horse"
CURATED = ("Review", "Data & export", "Train & curve")


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """A server where ana and ben annotate, and cleo leads."""
    with running(tmp_path_factory.mktemp("lab"), "--users") as served:
        store = Store.open(served.url)
        for name, role in (("ana", "annotator"), ("ben", "annotator"), ("cleo", "admin")):
            store.add_user(name, users.hashed(PASSWORD), role)
        store.close()
        yield served


def sign_in(page, lab, name, password=PASSWORD):
    page.goto(lab.address)
    page.get_by_label("Name").fill(name)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_a_wrong_password_does_not_get_in(lab, page):
    sign_in(page, lab, "ana", "wrong password")
    page.get_by_text("are not known here").wait_for()
    assert page.get_by_role("link", name="Projects").count() == 0


def test_an_annotator_sees_only_their_projects_and_no_page_of_curators(lab, page):
    mine = projects.make(lab, ["pos"], projects.sample("ja")[:1], people=["ana"], annotators=["ana"])
    others = projects.make(lab, ["pos"], projects.sample("ar")[:1], lang="ar", people=["ben"], annotators=["ben"])
    sign_in(page, lab, "ana")
    page.get_by_text("Signed in as ana").wait_for()
    page.wait_for_function("document.cookie.includes('fewshot=')")
    page.get_by_text(mine.name, exact=True).first.wait_for()
    assert page.get_by_text(others.name, exact=True).count() == 0
    assert page.get_by_text("New project").count() == 0
    page.goto(f"{lab.address}/annotate?project={mine.id}")
    page.locator(".frame").wait_for()
    assert [page.get_by_role("link", name=name).count() for name in CURATED] == [0, 0, 0]
    for path in ("review", "data", "train", "people"):
        page.goto(f"{lab.address}/{path}?project={mine.id}")
        page.get_by_text("Signed in as ana").wait_for()
        assert page.get_by_role("heading", name=path.capitalize()).count() == 0
        assert page.get_by_role("button", name="Download").count() == 0
    page.goto(f"{lab.address}/annotate?project={others.id}")
    page.get_by_text("Signed in as ana").wait_for()
    assert page.locator(".frame").count() == 0


def test_a_browser_is_known_again_until_its_person_signs_out(lab, page):
    sign_in(page, lab, "cleo")
    page.get_by_text("Signed in as cleo").wait_for()
    page.wait_for_function("document.cookie.includes('fewshot=')")
    page.reload()
    page.get_by_text("Signed in as cleo").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("textbox", name="Password").wait_for()
    page.wait_for_function("!/fewshot=./.test(document.cookie)")
    page.reload()
    page.get_by_role("textbox", name="Password").wait_for()


def test_two_people_never_hold_one_item(lab, window):
    project = projects.make(lab, ["pos"], projects.sample("ja")[:4], people=["ana", "ben"], annotators=[None])
    held = []
    for name in ("ana", "ben"):
        page = window()
        sign_in(page, lab, name)
        page.get_by_text(f"Signed in as {name}").wait_for()
        page.wait_for_function("document.cookie.includes('fewshot=')")
        page.goto(f"{lab.address}/annotate?project={project.id}")
        page.locator(".frame").wait_for()
        held.append(page.locator(".frame").get_attribute("data-item"))
    assert held[0] != held[1]


def test_two_windows_of_one_person_show_the_newest_version(served, window):
    project = projects.make(served, ["pos"], projects.sample("ja")[:1])
    first, second = window(), window()
    moves.annotate(first, served, project)
    moves.annotate(second, served, project)
    moves.press(first, "n")
    moves.saved(first)
    moves.press(second, "v", "v")
    moves.saved(second)
    first.bring_to_front()
    first.reload()
    first.locator(".frame .token.sure").nth(1).wait_for()
    assert first.locator(".frame .token.sure .tag").all_inner_texts() == ["VERB", "VERB"]
