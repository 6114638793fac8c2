"""The people page: accounts, roles and the browsers in which people are signed in."""

from __future__ import annotations

import streamlit as st

from annotate import accounts
from annotate.components import frame
from annotate.language import _
from annotate.pages import sign_in
from annotate.store import User


def show() -> None:
    """Draw the page."""
    st.header(_("People"))
    if frame.user().role != "admin":
        st.error(_("Only admins have access to this page."))
        return
    for person in frame.store().users():
        _person(person)
    _somebody_new()


def _person(person: User) -> None:
    """Draw one account with the fields that an admin may change."""
    shown = frame.plain(person.name)
    name, role, password, active = st.columns([3, 2, 4, 2], vertical_alignment="bottom")
    name.markdown(f"**{shown}**" if person.active else f"~~{shown}~~")
    name.caption(_(accounts.ROLES[person.role]))
    names = list(accounts.ROLES)
    key = f"role {person.id} {person.role}"  # a field of a role that has changed since would give the old role back
    chosen = role.selectbox(_("Role"), names, names.index(person.role), _, key=key)
    if chosen != person.role:
        frame.store().set_role(person.name, chosen)
        st.rerun()
    ways = password.container(horizontal=True)
    with ways.popover(_("New password")), st.form(f"password {person.id}", border=False), frame.trouble():
        new = st.text_input(_("New password"), type="password")
        if st.form_submit_button(_("Set")):
            frame.store().set_password(person.name, accounts.hash_password(new))
            st.success(_("The password is set. Every browser has to sign in again."))
    with ways.popover(_("Browsers")), frame.trouble():
        _browsers(person)
    label = _("Block") if person.active else _("Unblock")
    key = f"active {person.id} {person.active}"  # another button then: a double click does not undo itself
    if active.button(label, key=key, disabled=person.name == frame.user().name):
        frame.store().set_active(person.name, not person.active)
        st.rerun()


def _somebody_new() -> None:
    st.markdown("#### " + _("New person"))
    with st.form("new person"), frame.trouble():
        name, role, password = st.columns(3)
        given = name.text_input(_("Name, or e-mail address of your organisation"))
        chosen = role.selectbox(_("Role"), list(accounts.ROLES), 0, _)
        organisation, least = sign_in.has_provider(), accounts.MIN_PASSWORD_CHARS
        help_ = _("At least {least} characters", least=least)
        if organisation:
            help_ = _("At least {least} characters; empty for people who sign in with your organisation", least=least)
        secret = password.text_input(_("Password"), type="password", help=help_)
        if st.form_submit_button(_("Add"), type="primary") and given.strip():
            oidc = organisation and not secret
            hashed = accounts.random_hash() if oidc else accounts.hash_password(secret)
            frame.store().add_user(given.strip(), hashed, chosen, oidc)
            st.rerun()


def _browsers(person: User) -> None:
    """Draw the browsers in which a person is signed in, with buttons to sign out."""
    sessions = frame.store().sessions(person.name)
    if not sessions:
        st.caption(_("This person is not signed in in any browser."))
    for session in sessions:
        dates = {"since": frame.moment(session.created), "until": frame.moment(session.expires)}
        st.text(session.browser or "?")
        st.caption(_("since {since}, until {until}", **dates))
        if st.button(_("Sign out"), key=f"end {session.id}"):
            frame.store().end_sessions(person.name, session.id)
            st.rerun()
