"""What a page asks the database for once, and not at every save."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


def once(name: str, key: Hashable, ask: Callable[[], list[T]]) -> list[T]:
    """Return what was asked for this key last time, or ask.

    Args:
        name: of the question; only its last answer in this window is kept.
        key: another one asks again.
        ask: the question.
    """
    kept = st.session_state.get(name)
    if kept is None or kept[0] != key:
        kept = st.session_state[name] = (key, ask())
    answer: list[T] = kept[1]
    return answer
