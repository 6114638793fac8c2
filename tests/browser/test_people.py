"""A lab's server: who signs in, who may see what, and several people at once."""

import re

import pytest
from browser import moves, projects
from playwright.sync_api import expect
from waiting import wait_until

pytestmark = pytest.mark.app

KEYS = moves.keys_of("pos")


def session_of(page):
    """Return the cookies that hold a session in this browser."""
    return [one for one in page.context.cookies() if one["name"].startswith("fewshot-")]


def entered(page, lab, name):
    """Sign in, and wait until the app says so and the browser keeps it, where no script of the page sees it."""
    moves.sign_in(page, lab, name)
    page.get_by_text(f"Signed in as {name}").wait_for()
    kept = wait_until(lambda: page.evaluate("1") and session_of(page))
    assert all(one["httpOnly"] and one["sameSite"] == "Strict" for one in kept)
    assert "fewshot-" not in page.evaluate("document.cookie")
    return kept


def outside(page):
    """Wait for the page on which people sign in."""
    page.get_by_label("Password", exact=True).wait_for()
    expect(page.get_by_text("Signed in as")).to_have_count(0)


def expect_links(page, names):
    """Wait until the navigation offers these pages."""
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_text([re.compile(f"{re.escape(name)}$") for name in names])


def mine(lab, count=2, **given):
    """Make a project of anna's."""
    return projects.make(
        lab, ["pos"], projects.sample("ja")[:count], **{"people": ["anna"], "annotators": ["anna"], **given}
    )


def test_people_sign_in_see_what_their_role_lets_them_and_are_known_until_their_session_ends(lab, page, window, store):
    own, other = mine(lab), mine(lab, people=["ben"], annotators=["ben"], lang="sw")
    store.update_project(own.id, guidelines="Look ![who](http://127.0.0.1:9/who.png) here")
    moves.sign_in(page, lab, "anna", "wrong horse")
    page.get_by_text("The name or the password is wrong").wait_for()
    expect(page.get_by_text("Signed in as")).to_have_count(0)
    cookies = entered(page, lab, "anna")
    page.reload()
    page.get_by_text("Signed in as anna").wait_for()
    page.get_by_text(own.name).first.wait_for()
    expect(page.get_by_text(other.name).or_(page.get_by_text("New project"))).to_have_count(0)
    page.get_by_role("button", name="Sign out").click()
    outside(page)
    wait_until(lambda: page.evaluate("1") and not session_of(page))
    page.reload()
    outside(page)
    thief = window()
    thief.context.add_cookies(cookies)  # what the browser kept
    thief.goto(lab.address)
    outside(thief)

    moves.sign_in(page, lab, "anna", path=f"/annotate?project={own.id}")
    page.locator(".frame:focus").wait_for()  # the link leads to its page
    expect_links(page, ["Projects", "Annotate", "Sentences", "Consistency"])
    page.evaluate("addEventListener('securitypolicyviolation', (event) => (window.refused = event.blockedURI))")
    page.get_by_role("button", name="Guidelines").click()
    page.wait_for_function("window.refused === 'http://127.0.0.1:9/who.png'")  # a picture from elsewhere
    for path in (f"people?project={own.id}", f"train?project={own.id}", f"annotate?project={other.id}"):
        page.goto(f"{lab.address}/{path}")
        page.get_by_text("Page not found").wait_for()
        expect(page.get_by_role("heading", name="Projects")).to_have_count(1)
        expect(page.locator(".frame")).to_have_count(0)

    admin = window()
    entered(admin, lab, "ada")
    admin.goto(f"{lab.address}/annotate?project={own.id}")
    admin.get_by_text(f"You have no sentences in {own.name}. Its annotators are anna").wait_for()
    of_project = [
        "Annotate",
        "Sentences",
        "Consistency",
        "Train & curve",
        "Review",
        "Data & export",
        "Rounds & settings",
    ]
    expect_links(admin, ["Projects", "New project", "Compare", *of_project, "People"])
    admin.get_by_role("button", name="Draw more").click()
    admin.get_by_role("heading", name="Rounds & settings").wait_for()
    admin.goto(f"{lab.address}/people")
    admin.get_by_role("button", name="Browsers").nth(2).click()  # ada, ana@uni.edu, anna
    admin.get_by_text("HeadlessChrome").wait_for()
    admin.get_by_role("button", name="Sign out").last.click()
    wait_until(lambda: admin.evaluate("1") and not store.sessions("anna"))
    page.reload()
    outside(page)


def test_two_people_at_one_open_queue_never_get_the_same_sentence(lab, window, store):
    project = mine(lab, 5, people=["anna", "ben"], annotators=[None])
    pages = {"anna": window(), "ben": window()}
    for name, page in pages.items():
        entered(page, lab, name)
        moves.annotate(page, lab, project)
    shown = {name: [] for name in pages}
    while pages:
        for name, page in [*pages.items()]:
            moves.settle(page, end="Nothing left to do")  # as it is when the other one has the last sentence
            if page.get_by_text("Nothing left to do").count():  # the editor of the last sentence may be there yet
                del pages[name]
                continue
            shown[name].append(page.locator(".frame").get_attribute("data-item"))
            moves.press(page, *[KEYS["NOUN"]] * len(moves.words(page)))
            moves.finish(page)
    assert min(len(items) for items in shown.values()) > 1
    assert not set(shown["anna"]) & set(shown["ben"])
    done = {str(item.id): item.annotator for item in store.items(project.id) if item.status == "done"}
    assert done == {item: name for name, items in shown.items() for item in items}
    assert len(done) == 5


def ask_organisation(page, lab, name):
    """Go to the organisation's provider and say there who one is."""
    page.goto(lab.address)
    page.get_by_role("button", name="Sign in with your organisation").click()
    page.locator("input[name=sub]").fill(name)
    page.get_by_role("button", name="Authorize").click()


@pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning")  # the provider that stands in for a real one
def test_whom_the_organisation_knows_signs_in_and_out_and_the_others_read_why_not(lab, page, window, store):
    pytest.importorskip("oidc_provider_mock")
    page.goto(lab.address)
    page.get_by_role("button", name="Sign in with your organisation").click()
    page.get_by_role("button", name="Deny").click()
    page.get_by_role("button", name="Sign in with your organisation").wait_for()
    outside(page)
    ask_organisation(page, lab, "eve")
    page.get_by_text("eve@uni.edu may not sign in here").wait_for()
    outside(page)
    ask_organisation(page, lab, "ana")
    for _ in range(2):
        page.get_by_text("Signed in as ana@uni.edu").wait_for()
        wait_until(lambda: session_of(page))
        page.reload()
    page.get_by_text("Signed in as ana@uni.edu").wait_for()
    store.end_sessions("ana@uni.edu")
    page.reload()
    outside(page)  # the provider is asked again
    ask_organisation(page, lab, "ana")
    page.get_by_text("Signed in as ana@uni.edu").wait_for()
    wait_until(lambda: session_of(page))
    cookies = page.context.cookies()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="End session").click()  # of the provider
    page.get_by_role("button", name="Sign in with your organisation").wait_for()
    page.goto(lab.address)
    page.get_by_role("button", name="Sign in with your organisation").wait_for()
    outside(page)
    thief = window()
    thief.context.add_cookies(cookies)  # what the browser kept, Streamlit's cookie too
    thief.goto(lab.address)
    outside(thief)
