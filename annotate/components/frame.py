"""What every page uses: the store, the current user, the open project, navigation, error messages."""

from __future__ import annotations

import gc
import getpass
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

import regex
import streamlit as st
from plotly.graph_objects import Figure

from annotate import accounts
from annotate.editing.saving import MAX_DIGITS, NotAllowedError
from annotate.internals import forget_stale_widgets
from annotate.language import SEPARATORS, _, current, figures, written
from annotate.rounds.curve import sign
from annotate.store import Project, Store, User
from fewshot.errors import FewshotError
from fewshot.progress import format_duration
from samplers import SamplerError

T = TypeVar("T")

A_DAY = timedelta(days=1)
"""After which fragments are drawn anew. A window that waits for such a time asks for its page when a server is back;
others go on with fragments that the new server has not drawn, and for which it does not answer."""

USERS = "FEWSHOT_USERS"
"""Environment variable that is set if people sign in."""

CURATORS = ("curator", "admin")
"""Roles that may create projects, review and export."""

FONT = '"Source Sans", sans-serif'
"""Font of Streamlit."""

DOWNLOAD = ":material/download:"
"""Icon of download buttons."""

MARKUP = regex.compile(r"(?m)[\\`*_\[\]<>$~&]|:(?=[a-z])|^\s*\K[#+-]|^\s*\d{1,9}\K[.)]")
"""Characters with a meaning in Markdown: emphasis, code, links, HTML, formulas, entities, colours, headings, lists."""

ICON = re.compile(r":(?=(?:\d*[A-Za-z+-][\w+/-]*|100|1234):)")
"""The start of an emoji or icon by its name, such as ``:dog:``; Streamlit replaces them even where they are escaped."""

SIGN = re.compile(r"(?<!\S)(?=(?:<->|->|<-|--|>=|<=|~=)(?!\S))(.)")
"""The start of what Streamlit replaces by one sign between spaces, such as ``--`` by a dash, even where escaped."""

TURNED = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
"""A letter of a right-to-left script."""

QUOTES = (("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("'", "'"), ('"', '"'))
QUOTED = re.compile("|".join(f"(?<={a})(?=\\S)[^{b}]*{TURNED}[^{b}]*(?={b})" for a, b in QUOTES))
"""A quotation in a right-to-left script in a message."""

FIGURES = re.compile(r"(?:\W|[A-Z]{3} )?[+-]?\d[\d., +–%\[\]-]*")
"""Figures alone: a number or an amount, also with an interval."""

OPENING = threading.Lock()
"""Lock for opening the store, which two windows may need at the same time."""


def store() -> Store:
    """Return the store of this process, which is opened once.

    Streamlit's caches do not hold the store: a cleared cache would open another one and leave this one's connections.
    """
    with OPENING:
        return _store()


@cache
def _store() -> Store:
    opened = Store.open()
    gc.collect()
    gc.freeze()  # Streamlit collects garbage after every run of a page: not what was imported, which stays
    return opened


def user() -> User:
    """Return the current user: the person who signed in, or the user of this machine."""
    person = known_as(st.session_state.get("token", ""))
    if person is None:
        st.stop()  # signed out, shut out, or a new password since
    return person


def known_as(token: str) -> User | None:
    """Return the person of a session cookie; without sign-in, the user of this machine."""
    return accounts.session_user(store(), token) if signed_in() else User(0, _local_name(), "admin", True)


def may_curate() -> bool:
    """Return whether the current user may create projects, review and export."""
    return user().role in CURATORS


def download(label: str, make: Callable[[], str | bytes], name: str, roles: Sequence[str] = CURATORS) -> None:
    """Draw a download button, which makes the file when it is pressed, if the user may have it.

    Args:
        make: returns the content.
        name: of the file.
        roles: that have the right.
    """
    token = st.session_state.get("token", "")

    def made() -> str | bytes:
        person = known_as(token)
        if person is None or person.role not in roles:
            raise FewshotError(f"{name}: only {' or '.join(roles)} may download it; who asked is none any more")
        return make()

    st.download_button(label, made, name, on_click="ignore", icon=DOWNLOAD)


def signed_in() -> bool:
    """Return whether this app asks people to sign in."""
    return bool(os.environ.get(USERS))


def project() -> Project | None:
    """Return the open project, or None."""
    wanted = st.session_state.get("project") or linked("project")
    chosen = next((project for project in projects() if project.id == wanted), None)
    if chosen is not None:
        st.session_state.project = chosen.id
        st.query_params["project"] = str(chosen.id)
    return chosen


def opened_project(curators: bool = False) -> Project:
    """Return the open project; where there is none, the page says so and stops.

    Args:
        curators: whether the page is for curators alone.
    """
    opened = project()
    if opened is not None and (may_curate() or not curators):
        return opened
    curators_only = _("Open a project first. Annotators have no access to this page.")
    st.info(curators_only if curators else _("Open a project first."))
    st.stop()


def once(name: str, key: object, ask: Callable[[], T]) -> T:
    """Return the last answer for the same key, or ask: a page need not ask at every save.

    Args:
        name: of the question in the session's state; only its last answer in this window is kept.
        key: another key asks again.
        ask: the question.
    """
    kept = st.session_state.get(name)
    if kept is None or kept[0] != key:
        kept = st.session_state[name] = (key, ask())
    answer: T = kept[1]
    return answer


def linked(name: str) -> int | None:
    """Return an id from the query parameters of the address, or None."""
    given = st.query_params.get(name, "")
    return int(given) if len(given) < MAX_DIGITS and given.isdecimal() else None


def projects() -> list[Project]:
    """Return the projects that the current user may open."""
    return store().projects(None if may_curate() else user().name)


def belongs(person: User, project: Project) -> bool:
    """Return whether somebody may work on a project."""
    return person.role in CURATORS or person.name in store().project_people(project.id)


def require_member(project: Project, person: User | None = None) -> None:
    """Raise NotAllowedError unless somebody may work on a project; rights can end while a window is open.

    Args:
        person: the current user by default.
    """
    if not belongs(person or user(), project):
        raise NotAllowedError(
            _("you are no longer an annotator of {project}; nothing more is saved", project=project.name)
        )


def open_project(project: Project, page: str = "Annotate") -> None:
    """Open a project and show one of its pages, given by its title."""
    st.session_state.project = project.id
    show_page(page)


def show_page(page: str) -> None:
    """Show another page, given by its title."""
    st.session_state["to page"] = page
    st.rerun()


@contextmanager
def trouble() -> Iterator[None]:
    """Show errors that the user can correct as one line; also a decorator for fragments."""
    try:
        yield
    except (FewshotError, SamplerError) as error:
        st.error(plain(str(error)))


def plain(text: str) -> str:
    """Escape a text for Markdown, so that text of people and files is never markup.

    What it quotes from a script from right to left is isolated, so that this turns nothing around it.
    """
    isolated = QUOTED.sub("\u2068\\g<0>\u2069", SIGN.sub("\\1\u2060", ICON.sub(":\u2060", text)))
    return MARKUP.sub(r"\\\g<0>", isolated)


def table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw rows as a table, with one decimal, and figures as the language of the window writes them."""
    names = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    style = "localized" if current() in SEPARATORS else "%.1f"  # the first is the browser's, and leaves a final 0 out
    digits = {name: st.column_config.NumberColumn(format=style) for name in names}
    shown = [{name: _figures_in(value) for name, value in row.items()} for row in rows]
    st.dataframe(shown, hide_index=True, column_config=digits)


def page(draw: Callable[[], None]) -> Callable[[], None]:
    """Return a page that shows errors that the user can correct as one line."""

    def shown() -> None:
        forget_stale_widgets()
        with trouble():
            draw()

    return shown


def chart(drawn: Figure, key: str | None = None) -> None:
    """Draw a figure in the font and the colours of the app, with numbers as its language writes them."""
    drawn.layout.font = {"family": FONT, "size": 14}
    drawn.layout.separators = SEPARATORS.get(current(), ",.")[::-1]
    st.plotly_chart(drawn, key=key, config={"displayModeBar": False})


def moment(time: datetime) -> str:
    """Return date and time, which are written alike in all languages of the app."""
    return f"{time:%Y-%m-%d %H:%M}"


def money(amount: float, currency: str) -> str:
    """Return an amount with its currency, for example ``€4.80``, in German ``4,80 €``."""
    value = written(amount, 2)
    return f"{value}\u00a0{sign(currency).strip()}" if current() in SEPARATORS else f"{sign(currency)}{value}"


def duration(seconds: float) -> str:
    """Return a duration, for example ``12 min`` or ``2.5 h``, in German ``2,5 h``."""
    return figures(format_duration(seconds))


def _figures_in(cell: Any) -> Any:
    if isinstance(cell, float):
        return round(cell, 1)
    return figures(cell) if isinstance(cell, str) and FIGURES.fullmatch(cell) else cell


def _local_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "me"
