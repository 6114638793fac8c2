"""The people page: who may sign in, and as what."""

from __future__ import annotations

import streamlit as st

from annotate import accounts
from annotate.components import frame
from annotate.pages import sign_in


def show() -> None:
    """Draw the page."""
    st.header("People")
    if frame.user().role != "admin":
        st.error("Only an admin sees this page.")
        return
    for person in frame.store().users():
        name, role, password, active = st.columns([3, 2, 3, 2], vertical_alignment="bottom")
        name.markdown(f"**{person.name}**" if person.active else f"~~{person.name}~~")
        name.caption(accounts.ROLES[person.role])
        names = list(accounts.ROLES)
        chosen = role.selectbox("Role", names, names.index(person.role), key=f"role {person.id}")
        if chosen != person.role:
            frame.store().set_role(person.name, chosen)
            st.rerun()
        with password.popover("New password"), st.form(f"password {person.id}", border=False), frame.trouble():
            new = st.text_input("New password", type="password")
            if st.form_submit_button("Set"):
                frame.store().set_password(person.name, accounts.hashed(new))
                st.success("Set; every browser has to sign in again.")
        label = "Shut out" if person.active else "Let in"
        if active.button(label, key=f"active {person.id}", disabled=person.name == frame.user().name):
            frame.store().set_active(person.name, not person.active)
            st.rerun()
    st.markdown("#### Somebody new")
    with st.form("new person"), frame.trouble():
        name, role, password = st.columns(3)
        given = name.text_input("Name, or e-mail address of your organisation")
        chosen = role.selectbox("Role", list(accounts.ROLES))
        organisation = "; none for who signs in with your organisation" if sign_in.has_provider() else ""
        help_ = f"At least {accounts.SHORTEST} characters{organisation}"
        secret = password.text_input("Password", type="password", help=help_)
        if st.form_submit_button("Add", type="primary") and given.strip():
            hashed = accounts.hashed(secret) if secret or not organisation else accounts.unknown()
            frame.store().add_user(given.strip(), hashed, chosen)
            st.rerun()
