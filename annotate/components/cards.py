"""Cards side by side with an icon, a title and a text, such as the steps for a newcomer."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.language import _

Card = tuple[str, str, str]
"""Icon of Google's Material Symbols, title, text; title and text in English."""


def draw(cards: Sequence[Card]) -> list[DeltaGenerator]:
    """Draw cards and return their containers, to which the page may add something."""
    boxes = []
    for column, (icon, title, text) in zip(st.columns(len(cards)), cards, strict=True):
        box = column.container(border=True, height="stretch")
        box.markdown(f"**:primary[:material/{icon}:] {_(title)}**  \n{_(text)}")
        boxes.append(box)
    return boxes
