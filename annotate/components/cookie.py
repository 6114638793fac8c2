"""The cookie by which a browser is known again on a lab's server."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

NAME = "fewshot"
"""The cookie's, by which a browser is known again."""

SCRIPT = """
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${data.name}=${data.value}; Max-Age=${data.seconds}; Path=/; SameSite=Strict${secure}`;
}
"""


def put(value: str, seconds: int) -> None:
    """Tell the browser to keep a value for some seconds; an empty one is forgotten."""
    _component()(data={"name": NAME, "value": value, "seconds": seconds if value else 0}, key="cookie", height=1)


@cache
def _component() -> Any:
    return st.components.v2.component("fewshot.cookie", js=SCRIPT)
