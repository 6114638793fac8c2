"""Signing in to the app of a lab, with a password or through an organisation."""

import sys

import pytest
from app_page import checked, draw, field, open_app, press, says, values
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate import accounts
from annotate.attempts import Attempts
from annotate.components import frame

VERIFIED = {"email": "ana@uni.edu", "email_verified": True}


@pytest.fixture
def signed_out(store, started, monkeypatch):
    """A lab's app in which nobody has signed in or tried a password."""
    monkeypatch.setenv(frame.USERS, "1")
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr(accounts, "COST", 2**4)
    monkeypatch.setattr("annotate.pages.sign_in._from_cookie", lambda: None)
    monkeypatch.setattr("annotate.pages.sign_in.ATTEMPTS", Attempts())


@pytest.fixture
def lab(store, signed_out):
    """Opens the app with somebody there, as the provider of the organisation describes them."""
    store.add_user("ana@uni.edu", accounts.unknown(), "curator")

    def lab(trusted=False, **claims):
        page = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        page.secrets["auth"] = {"client_id": "x"} | ({"trust_email": True} if trusted else {})
        page.user = {"is_logged_in": bool(claims)} | claims
        return checked(page.run())

    return lab


def enter(page, name, password):
    """Try a password; return the error that the page shows."""
    page.text_input[0].set_value(name)
    page.text_input[1].set_value(password)
    (error,) = values(press(page, "Sign in").error)
    return error


def test_guessed_passwords_take_longer_also_in_several_windows(store, signed_out):
    store.add_user("ana", accounts.hashed("correct horse"), "annotator")
    windows = open_app(), open_app()
    for attempt in range(5):
        assert enter(windows[attempt % 2], "ana", "wrong horse").startswith("This name and password are not known here")
    for page in windows:
        error = enter(page, "ana", "correct horse")
        assert error.startswith("Too many wrong passwords were tried; try again in")


@pytest.mark.parametrize("verified", [{"trusted": True}, {"email_verified": True}])
def test_whoever_the_organisation_knows_is_in(lab, verified):
    for address in ("ana@uni.edu", "Ana@Uni.edu"):
        assert says(lab(email=address, **verified).caption, "Signed in as **ana@uni.edu**")


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email": "ana@uni.edu", "email_verified": False}, "has not verified that ana@uni.edu is yours"),
        ({"email": "ana@uni.edu", "email_verified": "false"}, "has not verified that ana@uni.edu is yours"),
        ({"email": "ana@uni.edu"}, "does not say whether ana@uni.edu is verified"),
        ({"email": "ana@uni.edu", "email_verified": "false", "trusted": True}, "has not verified that"),
        ({"email": "eva@uni.edu", "email_verified": True}, "eva@uni.edu may not sign in here"),
        ({"name": "Ana"}, "does not say your e-mail address"),
    ],
)
def test_an_address_that_is_not_verified_or_not_known_stays_outside(lab, claims, reason):
    page = lab(**claims)
    assert [reason in value for value in values(page.error)] == [True]
    assert [one.label for one in page.text_input] == ["Name", "Password"]


def test_a_missing_package_on_the_server_is_named_in_one_line(lab, monkeypatch):
    monkeypatch.setitem(sys.modules, "authlib", None)
    monkeypatch.setattr("annotate.pages.sign_in.find_spec", lambda name: None)
    page = press(lab(), "Sign in with your organisation")
    assert ["pip install 'fewshot[oidc]'" in value for value in values(page.error)] == [True]


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
