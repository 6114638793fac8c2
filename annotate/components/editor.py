"""The editors: a Streamlit component of plain JavaScript modules in ``editors/``.

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

from annotate import language

FOLDER = Path(str(files("annotate.components"))) / "editors"
"""Where the modules are; the app serves them under `path`."""

START = """
const first = new URL("{path}/editor.js", document.baseURI);
let editors;
async function load(attempts) {{
  try {{
    return (await import(first)).default;
  }} catch (error) {{
    if (!attempts) throw error;
    await new Promise((again) => setTimeout(again, 1000));
    return load(attempts - 1);
  }}
}}
export default async (component) => (await (editors ??= load(30)))(component);
"""
"""The component's own script. Streamlit runs it once in a window, so it asks again itself where the network fails."""


@cache
def path() -> str:
    """Return the URL of the modules, which changes with them so that no browser keeps old ones."""
    catalogues = sorted(language.FOLDER.glob(f"*/LC_MESSAGES/{language.DOMAIN}.mo"))
    content = b"".join(file.read_bytes() for file in (*sorted(FOLDER.glob("*.js")), *catalogues))
    return f"editors/{sha256(content).hexdigest()[:8]}"


def show(data: dict[str, Any], key: str, receive: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw the editor of an item's task.

    Args:
        data: what the editor shows, see `annotate.editing.view.view`.
        receive: called with what the editor sends, before the page is drawn again.
    """

    def save() -> None:
        state = st.session_state.get(key)  # none, where the window was already leaving: the editor sends it again
        if state is not None and state.save is not None:
            receive(state.save)

    _component()(key=key, data=data | {"language": language.current()}, on_save_change=save)


@cache
def _component() -> Any:
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    return st.components.v2.component("fewshot.editor", css=style, js=START.format(path=path()))
