import sys

import pytest
from app_page import checked, draw, field, open_app, press, says, values
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate import accounts
from annotate.attempts import Attempts
from annotate.components import frame

VERIFIED = {"iss": "https://sso.uni.edu", "sub": "4711", "email": "ana@uni.edu", "email_verified": True}


@pytest.fixture
def signed_out(store, started, monkeypatch):
    """A lab's app in which nobody has signed in or tried a password."""
    monkeypatch.setenv(frame.USERS, "1")
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr("annotate.pages.sign_in._from_cookie", lambda: None)
    monkeypatch.setattr("annotate.pages.sign_in.ATTEMPTS", Attempts())


@pytest.fixture
def lab(store, signed_out):
    """Opens the app with somebody there, as the provider of the organisation describes them."""
    store.add_user("ana@uni.edu", accounts.random_hash(), "curator", oidc=True)

    def lab(**claims):
        page = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        page.secrets["auth"] = {"client_id": "x"}
        page.user = {"is_logged_in": bool(claims), "iat": store.now().timestamp()} | claims
        return checked(page.run())

    return lab


def enter(page, name, password):
    page.text_input[0].set_value(name)
    page.text_input[1].set_value(password)
    (error,) = values(press(page, "Sign in").error)
    return error


def test_guessed_passwords_take_longer_also_in_several_windows(store, signed_out):
    store.add_user("ana", accounts.hash_password("correct horse"), "annotator")
    windows = open_app(), open_app()
    for attempt in range(5):
        assert enter(windows[attempt % 2], "ana", "wrong horse").startswith("The name or the password is wrong")
    for page in windows:
        error = enter(page, "ana", "correct horse")
        assert error.startswith("Too many wrong passwords; try again in")


def is_outside(page):
    return [one.label for one in page.text_input] == ["Name", "Password"]


def test_a_sign_in_with_the_organisation_opens_one_session_and_a_reload_or_a_copied_cookie_none(lab, store):
    claims = VERIFIED | {"nonce": "one", "iat": store.now().timestamp()}
    page = lab(**claims)
    assert says(page.caption, "Signed in as **ana@uni.edu**")
    assert is_outside(lab(**claims))  # the cookies of Streamlit, in another browser
    store.end_sessions("ana@uni.edu")
    assert is_outside(checked(page.run()))
    page = lab(**claims | {"nonce": "two"})
    press(page, "Sign out")
    assert is_outside(page) and is_outside(lab(**claims | {"nonce": "two"}))
    assert store.sessions("ana@uni.edu") == []


def test_whoever_may_not_sign_in_with_the_organisation_is_told_why(lab, store):
    for minutes, claims, said in (
        (-11, {}, "The time of your sign-in with your organisation differs"),  # or by a clock that differs
        (11, {}, "The time of your sign-in with your organisation differs"),
        (0, {"email": "eve@uni.edu"}, "eve@uni.edu may not sign in here"),
    ):
        page = lab(**VERIFIED | {"iat": store.now().timestamp() + 60 * minutes} | claims)
        assert says([*page.info, *page.error], said)
        assert is_outside(page)


def test_a_missing_package_on_the_server_is_named_in_one_line(lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "authlib", None)
    monkeypatch.setattr("annotate.pages.sign_in.find_spec", lambda name: None)
    page = press(lab(), "Sign in with your organisation")
    assert says(page.error, "pip install 'fewshot[oidc]'")


def test_an_admin_adds_people_of_the_organisation_without_a_password(lab, store):
    store.set_role("ana@uni.edu", "admin")
    token = lab(**VERIFIED).session_state.token
    page = AppTest.from_function(draw, default_timeout=120, args=("people",))
    page.secrets["auth"] = {"client_id": "x"}
    page.session_state.token = token
    checked(page.run())
    field(page, "Name, or e-mail address of your organisation").set_value("eva@uni.edu")
    press(page, "Add")
    assert store.user("eva@uni.edu").role == "annotator"
    assert store.link_identity("eva@uni.edu", "https://sso.uni.edu", "815")


def people_page(lab, store):
    """Return the page People, opened by an admin, where ben is a curator."""
    store.set_role("ana@uni.edu", "admin")
    token = lab(**VERIFIED).session_state.token
    store.add_user("ben", "hash", "curator")
    page = AppTest.from_function(draw, default_timeout=120, args=("people",))
    page.session_state.token = token
    return checked(page.run())


def test_a_window_does_not_give_back_a_role_that_another_admin_has_taken(lab, store):
    page = people_page(lab, store)

    def choose(role):
        checked(page.selectbox[1].set_value(role).run())  # by name: ana, ben, somebody new

    choose("admin")
    choose("curator")
    assert store.user("ben").role == "curator"
    store.set_role("ben", "annotator")
    checked(page.run())
    checked(page.run())
    assert store.user("ben").role == "annotator"
    choose("curator")
    assert store.user("ben").role == "curator"


def test_a_double_click_blocks_somebody_and_lets_nobody_in_again(lab, store):
    page = people_page(lab, store)
    _, button = (one for one in page.button if one.label == "Block")
    for _ in range(2):  # the second click meets the page of the first
        checked(button.click().run())
    assert not store.user("ben").active
    press(page, "Unblock")
    assert store.user("ben").active
