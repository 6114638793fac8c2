"""Cookies: the session of a signed-in browser, and settings of a person."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

SESSION = "session"
"""The path at which the server sets it, so that no script of a page can read it."""

SCRIPT = """
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${data.name}=${data.value}; Max-Age=${data.seconds}; Path=/; SameSite=Strict${secure}`;
}
"""

SESSION_SCRIPT = f"""
export default function ({{ data }}) {{
  fetch(new URL("{SESSION}", document.baseURI), {{ method: "POST", body: data.token }});
}}
"""


def session_name(port: int | None = None) -> str:
    """Return the name of the session cookie; browsers send the cookies of a host to all of its ports.

    Args:
        port: of the app, by default of the one that runs here.
    """
    return f"fewshot-{port or st.get_option('server.port')}"


def put(name: str, value: str, seconds: int) -> None:
    """Tell the browser to keep a value for some seconds; an empty one is forgotten."""
    _component()(
        data={"name": name, "value": value, "seconds": seconds if value else 0}, key=f"cookie {name}", height=1
    )


def put_session(token: str) -> None:
    """Make the browser ask the server for its session cookie; an empty token deletes it."""
    _session()(data={"token": token}, key="session", height=1)


@cache
def _component() -> Any:
    return st.components.v2.component("fewshot.cookie", js=SCRIPT)


@cache
def _session() -> Any:
    return st.components.v2.component("fewshot.session", js=SESSION_SCRIPT)
