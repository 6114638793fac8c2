"""The editors: one Streamlit component a task, each of a few plain JavaScript modules joined into one.

An editor draws, undoes and checks in the browser, with no call to the server; what it sends is a whole annotation with
a sequence number, see ``runtime.js``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

MODULES = {
    "pos": ("runtime", "versions", "words", "pos"),
    "dep": ("runtime", "versions", "words", "tree", "dep"),
    "ner": ("runtime", "versions", "words", "letters", "spans"),
    "nli": ("runtime", "versions", "choice"),
    "topic": ("runtime", "versions", "choice"),
    "qa": ("runtime", "versions", "qa"),
}
"""What each task's editor is made of."""


def show(task: str, data: Mapping[str, Any], key: str, receive: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw a task's editor.

    Args:
        task: name of the task, without options.
        data: what the editor shows: item, example, annotation, suggestion, labels, keys, acknowledgements.
        key: of the component.
        receive: called with what the editor sends, before the page is drawn again.
    """

    def save() -> None:
        state = st.session_state.get(key)  # none, where the window was already leaving: the editor sends it again
        if state is not None and state.save is not None:
            receive(state.save)

    _component(MODULES[task])(key=key, data=dict(data), on_save_change=save)


@cache
def _component(modules: tuple[str, ...]) -> Any:
    folder = files("annotate.components")
    script = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in modules)
    style = (folder / "style.css").read_text(encoding="utf-8")
    return st.components.v2.component(f"fewshot.{modules[-1]}", css=style, js=script)
