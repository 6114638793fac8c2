"""The editors: a Streamlit component of plain JavaScript modules, in ``editors/``, which the browser fetches once.

What is part of a component is sent anew with every save, so this one only names the first module. An editor draws,
undoes and checks in the browser, with no call to the server; what it sends is a whole annotation with a sequence
number, see ``editors/runtime.js``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(str(files("annotate.components"))) / "editors"
"""Of the modules."""

START = """
const {{ default: editor }} = await import(new URL("{path}/editor.js", location.origin));
export default editor;
"""
"""The component's own script."""


@cache
def path() -> str:
    """Return where the server has the modules: another place when they change, so that no browser keeps old ones."""
    content = b"".join(file.read_bytes() for file in sorted(FOLDER.glob("*.js")))
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"{f'/{base}' if base else ''}/editors/{sha256(content).hexdigest()[:8]}"


def show(data: Mapping[str, Any], key: str, receive: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw the editor of an item's task.

    Args:
        data: what the editor shows, see `annotate.view.view`.
        key: of the component.
        receive: called with what the editor sends, before the page is drawn again.
    """

    def save() -> None:
        state = st.session_state.get(key)  # none, where the window was already leaving: the editor sends it again
        if state is not None and state.save is not None:
            receive(state.save)

    _component()(key=key, data=dict(data), on_save_change=save)


@cache
def _component() -> Any:
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    return st.components.v2.component("fewshot.editor", css=style, js=START.format(path=path()))
