"""The sign-in page of a lab's server."""

from __future__ import annotations

from datetime import timedelta
from importlib.util import find_spec
from math import ceil

import streamlit as st
from streamlit.errors import StreamlitAuthError

from annotate import accounts, language, oidc
from annotate.attempts import Attempts
from annotate.components import chooser, cookie, frame
from annotate.language import _
from annotate.store import User
from fewshot.errors import FewshotError

ATTEMPTS = Attempts()
"""Count of wrong passwords, kept outside of Streamlit's caches because a browser can clear those."""


def known() -> bool:
    """Return whether somebody is signed in: in this window, in this browser, or by their organisation."""
    for kept in (st.session_state.get("token"), _from_cookie()):
        if kept and accounts.session_user(frame.store(), kept):
            st.session_state.token = kept
            return True
    st.session_state.token = ""
    person = _from_provider()
    if person is not None:
        _enter(person)
    return person is not None


def show() -> None:
    """Draw the page."""
    with st.columns([1, 1.2, 1])[1]:
        st.title("fewshot")
        chooser.show()
        if not frame.store().users():
            st.info(_("Nobody can sign in yet. On the server: `fewshot users add NAME --role admin`"))
            return
        with st.form("sign in"):
            name = st.text_input(_("Name"))
            password = st.text_input(_("Password"), type="password")
            if st.form_submit_button(_("Sign in"), type="primary"):
                _try(name.strip(), password)
        if has_provider() and st.button(_("Sign in with your organisation")):
            _ask_provider()


def sign_out() -> None:
    """End the session of this browser, in all its windows."""
    accounts.close_session(frame.store(), st.session_state.get("token", ""))
    for name in set(st.session_state) - {language.STATE_KEY}:
        del st.session_state[name]
    st.session_state.cookie = ""
    if has_provider() and st.user.is_logged_in:
        st.logout()


def keep() -> None:
    """Send the session cookie to the browser after somebody signed in or out."""
    if "cookie" in st.session_state:
        cookie.put_session(st.session_state.cookie)
        del st.session_state["cookie"]


def _try(name: str, password: str) -> None:
    address = st.context.ip_address or "this machine"
    if (seconds := ATTEMPTS.wait(name, address)) > 0:
        st.error(_("Too many wrong passwords; try again in {seconds} seconds.", seconds=ceil(seconds)))
        return
    person = accounts.sign_in(frame.store(), name, password)
    if person is None:
        st.error(_("The name or the password is wrong. Ask the person who runs this server for a new password."))
        return
    ATTEMPTS.succeed(name, address)
    _enter(person)
    st.rerun()


def _from_cookie() -> str | None:
    return st.context.cookies.get(cookie.session_name())


def _enter(person: User) -> None:
    browser = st.context.headers.get("User-Agent") or ""
    st.session_state.token = st.session_state.cookie = accounts.open_session(frame.store(), person.name, browser)


def has_provider() -> bool:
    """Return whether the server's secrets name an OpenID Connect provider."""
    try:
        return "auth" in st.secrets
    except FileNotFoundError:
        return False


def _ask_provider() -> None:
    try:
        st.login()
    except StreamlitAuthError as error:
        installed = find_spec("authlib") is not None
        what = str(error).partition("\n")[0] if installed else _("install it with pip install 'fewshot[oidc]'")
        message = _(
            "Sign-in with your organisation is not set up: {what}. Tell the person who runs this "
            "server, or use a password.",
            what=what,
        )
        st.error(message)


def _from_provider() -> User | None:
    if not has_provider() or not st.user.is_logged_in:
        return None
    store = frame.store()
    try:
        login = oidc.read_login(st.user)
        if not oidc.is_fresh(store, login):
            st.info(_(
                "The time of your sign-in with your organisation differs from this server's time by "
                "more than {minutes} minutes. Sign in again. If you have just done so, tell the "
                "person who runs this server that the two clocks differ.",
                minutes=oidc.MAX_AGE // timedelta(minutes=1),
            ))  # fmt: skip
            return None
        trusts_address = st.secrets["auth"].get("trust_email") is True
        person = oidc.find_person(store, login, trusts_address)
    except FewshotError as error:
        st.error(str(error))
        return None
    return person if oidc.accept(store, login) else None
