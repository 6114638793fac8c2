"""The choice of the app's language, and the cookie that keeps it in this browser."""

from __future__ import annotations

import streamlit as st

from annotate import language
from annotate.components import cookie
from annotate.language import _

FIELD = "choose the language"
UNKEPT = "language to keep"


def show() -> None:
    """Draw the language of the window, which opens the others."""
    now = language.current()
    with st.popover(language.LANGUAGES[now], icon=":material/translate:", type="tertiary", key="languages"):
        codes = list(language.LANGUAGES)
        st.radio(
            _("Language of the app"), codes, codes.index(now), lambda code: language.LANGUAGES[code], key=FIELD,
            on_change=_take,
        )  # fmt: skip


def keep() -> None:
    """Tell the browser to keep what was chosen, once."""
    if chosen := st.session_state.pop(UNKEPT, None):
        cookie.put(language.COOKIE, chosen, language.COOKIE_SECONDS)


def _take() -> None:
    st.session_state[language.STATE_KEY] = st.session_state[UNKEPT] = st.session_state[FIELD]
