"""A lab's server: who may see what, and several people at once."""

import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import moves, projects

from annotate.components import cookie
from annotate.store import Store

pytestmark = pytest.mark.app


def entered(page, lab, name):
    """Sign in, and wait until the app says so and the browser keeps it."""
    moves.sign_in(page, lab, name)
    page.get_by_text(f"Signed in as {name}").wait_for()
    kept(page, True)


def kept(page, wanted):
    """Wait until the browser keeps a session, or none; no script of the page sees it."""
    for _ in range(100):
        found = [one for one in page.context.cookies() if one["name"] == cookie.NAME]
        if bool(found) == wanted:
            assert all(one["httpOnly"] and one["sameSite"] == "Strict" for one in found)
            assert f"{cookie.NAME}=" not in page.evaluate("document.cookie")
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the browser keeps {found}")


def links(page):
    """Return the pages that the navigation offers."""
    return [text.split("\n")[-1] for text in page.get_by_test_id("stSidebarNavLink").all_inner_texts()]


def mine(lab, count=2, **given):
    """Make a project of anna's."""
    return projects.make(
        lab, ["pos"], projects.sample("ja")[:count], **{"people": ["anna"], "annotators": ["anna"], **given}
    )


def test_a_wrong_password_is_refused_and_a_browser_is_known_again_until_it_signs_out(lab, page):
    moves.sign_in(page, lab, "anna", "wrong horse")
    page.get_by_text("This name and password are not known here").wait_for()
    assert page.get_by_text("Signed in as").count() == 0
    entered(page, lab, "anna")
    page.reload()
    page.get_by_text("Signed in as anna").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Password", exact=True).wait_for()
    kept(page, False)
    page.reload()
    page.get_by_label("Password", exact=True).wait_for()
    assert page.get_by_text("Signed in as").count() == 0


def test_an_annotator_sees_their_own_projects_and_no_page_of_a_curator(lab, page):
    own, other = mine(lab, lang="ja"), mine(lab, people=["ben"], annotators=["ben"], lang="sw")
    entered(page, lab, "anna")
    page.get_by_text(own.name).first.wait_for()
    assert page.get_by_text(other.name).count() == 0
    assert page.get_by_text("New project").count() == 0
    moves.annotate(page, lab, own)
    assert links(page) == ["Projects", "Annotate", "Sentences", "Consistency"]
    for path in ("review", "data", "train", "people"):
        page.goto(f"{lab.address}/{path}?project={own.id}")
        page.get_by_text("Page not found").wait_for()
        assert page.get_by_role("heading", name="Projects").count() == 1
    page.goto(f"{lab.address}/annotate?project={other.id}")
    page.get_by_text("Page not found").wait_for()
    assert page.locator(".frame").count() == 0


def test_a_link_leads_to_its_page_once_somebody_has_signed_in(lab, page):
    project = mine(lab)
    moves.sign_in(page, lab, "anna", path=f"/annotate?project={project.id}")
    page.locator(".frame").wait_for()
    assert page.get_by_text("Page not found").count() == 0


def test_an_admin_sees_every_page(lab, page):
    project = mine(lab)
    entered(page, lab, "ada")
    page.goto(f"{lab.address}/people?project={project.id}")
    page.get_by_role("heading", name="Somebody new").wait_for()
    shots = ["Annotate", "Sentences", "Consistency", "Train & curve", "Review", "Data & export"]
    assert links(page) == ["Projects", "Compare", *shots, "People"]


def test_two_people_at_one_open_queue_never_get_the_same_sentence(lab, window):
    project = mine(lab, 7, people=["anna", "ben"], annotators=[None])
    pages = {"anna": window(), "ben": window()}
    for name, page in pages.items():
        entered(page, lab, name)
        moves.annotate(page, lab, project)
    key = moves.keys_of("pos")["NOUN"]
    shown = {name: [] for name in pages}
    while any(page.locator(".frame").count() for page in pages.values()):
        for name, page in pages.items():
            moves.settle(page)  # what is there may be taken away when the other one has the last sentence
            for item in page.locator(".frame").evaluate_all("frames => frames.map(one => one.dataset.item)"):
                shown[name].append(item)
                moves.press(page, *[key] * len(moves.words(page)))
                moves.finish(page)
    assert len(shown["anna"]) > 1
    assert len(shown["ben"]) > 1
    assert not set(shown["anna"]) & set(shown["ben"])
    store = Store.open(lab.url)
    done = {str(item.id): item.annotator for item in store.items(project.id) if item.status == "done"}
    store.close()
    assert done == {item: name for name, items in shown.items() for item in items}
    assert len(done) == 7


def test_the_second_tab_sees_what_the_first_saved_and_the_first_what_the_second(lab, page):
    project = mine(lab)
    entered(page, lab, "anna")
    moves.annotate(page, lab, project)
    keys = moves.keys_of("pos")
    moves.press(page, keys["NOUN"])
    moves.saved(page)
    second = page.context.new_page()
    moves.annotate(second, lab, project)
    assert tags(second)[:2] == ["NOUN", "·"]
    moves.press(second, "ArrowRight", keys["VERB"])
    moves.saved(second)
    page.evaluate("dispatchEvent(new Event('focus'))")  # here every tab has the focus, all the time
    page.locator(".frame .note", has_text="changed in another window").wait_for()
    assert tags(page)[:3] == ["NOUN", "VERB", "·"]
    moves.press(page, "End", keys["PUNCT"])
    moves.saved(page)
    (_, annotation), _ = projects.held(lab, project, "pos")
    assert annotation["upos"] == ["NOUN", "VERB", *["_"] * (len(tags(page)) - 3), "PUNCT"]


def tags(page):
    """Return the tags that the editor shows."""
    return page.locator(".frame .token .tag").all_inner_texts()


def test_an_admin_to_whom_nothing_was_assigned_is_told_so_and_by_whom_it_is_annotated(lab, page):
    project = mine(lab)
    entered(page, lab, "ada")
    page.goto(f"{lab.address}/annotate?project={project.id}")
    page.get_by_text(f"Nobody has assigned you sentences of {project.name}: its annotators are anna").wait_for()
    assert page.get_by_text("Nothing left to do").count() == 0
    page.get_by_role("button", name="Draw more, or name annotators").click()
    page.get_by_role("heading", name="Projects").wait_for()


def test_what_a_browser_kept_is_worth_nothing_once_somebody_has_signed_out(lab, page, window):
    entered(page, lab, "anna")
    cookies = page.context.cookies()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Password", exact=True).wait_for()
    other = window()
    other.context.add_cookies([one for one in cookies if one["name"] == cookie.NAME])
    other.goto(lab.address)
    other.get_by_label("Password", exact=True).wait_for()
    assert other.get_by_text("Signed in as").count() == 0


def test_an_admin_ends_the_session_of_a_browser(lab, window):
    with closing(Store.open(lab.url)) as store:
        store.end_sessions("anna")  # those of other tests
    annas, adas = window(), window()
    entered(annas, lab, "anna")
    entered(adas, lab, "ada")
    adas.goto(f"{lab.address}/people")
    adas.get_by_role("button", name="Browsers").nth(1).click()  # ada, anna, ben
    adas.get_by_text("HeadlessChrome").wait_for()
    adas.get_by_role("button", name="Sign out").last.click()
    with closing(Store.open(lab.url)) as store:
        for _ in range(100):
            if not store.sessions("anna"):
                break
            adas.wait_for_timeout(100)
        assert not store.sessions("anna")
    annas.reload()
    annas.get_by_label("Password", exact=True).wait_for()


def test_passwords_that_are_guessed_in_several_windows_take_longer(lab, window):
    here, there = window(), window()
    for page in (here, there):
        moves.sign_in(page, lab, "nobody", "wrong horse")
        page.get_by_text("This name and password are not known here").wait_for()
    for _ in range(5):
        for page in (here, there):
            page.get_by_test_id("stFormSubmitButton").get_by_role("button").click()
    for page in (here, there):
        page.get_by_text("Too many wrong passwords were tried").wait_for()


def test_pictures_that_guidelines_name_elsewhere_are_not_fetched(lab, page):
    asked = []

    class Spy(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

    spy = ThreadingHTTPServer(("127.0.0.1", 0), Spy)
    threading.Thread(target=spy.serve_forever, daemon=True).start()
    project = mine(lab)
    with closing(Store.open(lab.url)) as store:
        text = f"Look ![who](http://127.0.0.1:{spy.server_port}/who.png) here"
        store.update_project(project.id, guidelines=text)
    entered(page, lab, "anna")
    moves.annotate(page, lab, project)
    page.get_by_role("button", name="Guidelines").click()
    page.get_by_text("Look").wait_for()
    page.wait_for_timeout(1000)
    spy.shutdown()
    assert asked == []
