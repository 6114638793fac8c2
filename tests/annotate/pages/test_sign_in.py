"""The sign-in page of a lab."""

import pytest
from serving import ROOT
from streamlit.testing.v1 import AppTest

from annotate import accounts
from annotate.attempts import Attempts
from annotate.components import frame
from annotate.pages import sign_in


@pytest.fixture
def window(store, monkeypatch):
    """Opens a window of a lab's app in which nobody has signed in."""
    monkeypatch.setenv(frame.USERS, "1")
    monkeypatch.setattr(frame, "store", lambda: store)
    monkeypatch.setattr(accounts, "COST", 2**4)
    monkeypatch.setattr("annotate.pages.sign_in._from_cookie", lambda: None)
    monkeypatch.setattr(sign_in, "ATTEMPTS", Attempts())
    store.add_user("ana", accounts.hashed("correct horse"), "annotator")
    return lambda: AppTest.from_file(ROOT / "app.py", default_timeout=60).run()


def enter(page, name, password):
    """Try a password and return what the page says."""
    page.text_input[0].set_value(name)
    page.text_input[1].set_value(password)
    next(button for button in page.button if button.label == "Sign in").click().run()
    assert not page.exception
    return [one.value for one in page.error]


def test_passwords_that_are_guessed_in_several_windows_take_longer(window):
    windows = window(), window()
    for attempt in range(5):
        (said,) = enter(windows[attempt % 2], "ana", "wrong horse")
        assert said.startswith("This name and password are not known here")
    for page in windows:
        (said,) = enter(page, "ana", "correct horse")
        assert said.startswith("Too many wrong passwords were tried; try again in")
