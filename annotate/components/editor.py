"""The editors: a Streamlit component of plain JavaScript modules in ``editors/``.

An editor draws, undoes and checks in the browser, and saves over HTTP (``docs/developers/saving.md``). Streamlit hands
it an item, and draws the page again when the editor asks for that or for another item. What is part of a component is
sent anew each time, so this one only names the first module.
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
from annotate.components import frame
from annotate.editing import messages
from fewshot.errors import FewshotError

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


def show(data: dict[str, Any], key: str, move: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw the editor of an item's task, and why its last request was refused.

    Args:
        data: what the editor shows, see `annotate.editing.view.view`.
        move: called with a request of the editor, see `messages.Move`, before the page is drawn again.
    """
    asked = st.session_state.setdefault(f"{key} asked", {"turn": None, "refused": None})

    def on_move() -> None:
        state = st.session_state.get(key)  # none, where the window was already leaving: the editor asks again
        if state is None or state.move is None:
            return
        try:
            event = messages.check_move(state.move)
            asked["turn"] = event["turn"]
            move(event)
        except FewshotError as error:
            asked["refused"] = error

    _component()(key=key, data=data | {"language": language.current(), "turn": asked["turn"]}, on_move_change=on_move)
    if refused := asked.pop("refused", None):
        st.error(frame.plain(str(refused)))


@cache
def _component() -> Any:
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    return st.components.v2.component("fewshot.editor", css=style, js=START.format(path=path()))
