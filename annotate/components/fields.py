"""Fields and buttons that several pages share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.components import frame, terms
from annotate.editing.labels import check
from annotate.exchange import defaults
from annotate.exchange.projects import separated
from annotate.language import _, gettext_noop
from annotate.rounds.draw import candidates, draw_round
from annotate.store import AUTO, BOTH, ENCODER, LLM, REVIEW, TEST, Item, Project, TaskProgress
from annotate.worker import settings
from fewshot import tasks
from fewshot.errors import FewshotError

SUGGESTED_BY = {
    ENCODER: gettext_noop("the encoder"),
    LLM: gettext_noop("the language model"),
    BOTH: gettext_noop("both"),
}
"""Whose suggestions a project shows."""


def task(
    project: Project, open_first: bool = False, on_change: Callable[[str, str], None] = lambda before, chosen: None
) -> str:
    """Return the task on the page: until another one is chosen, that of the linked item, else the first.

    Args:
        open_first: of those in which this person has something left to do, where there are any.
        on_change: called with the task before and the chosen one, before the page is drawn with that.
    """
    names = list(project.tasks)
    if len(names) == 1:
        return names[0]
    key = f"task {project.id}"
    chosen = st.session_state.pop("to task", None) or st.session_state.get(key)
    if chosen not in names:
        linked = frame.linked("item")
        items = frame.store().items(project.id, item_id=linked) if linked else []
        first = _unfinished(project) if open_first else names[0]
        chosen = items[0].task if items else first
    st.session_state[key] = before = chosen  # at each run: on another page it is another field, without a value

    def change() -> None:
        if (now := st.session_state[key]) in names:  # none, where somebody clicks the chosen one
            on_change(before, now)

    return str(
        st.segmented_control(
            _("Task"), names, format_func=terms.task, key=key, label_visibility="collapsed", on_change=change
        )
    )


def _unfinished(project: Project) -> str:
    """Return the first task in which there is something left to do for this person, else the first."""
    own = (None, frame.user().name)
    mine = (item for item in frame.store().items(project.id) if item.annotator in own)
    left = {item.task for item in mine if item.status != "done" and item.purpose != REVIEW}
    return next((name for name in project.tasks if name in left), project.tasks[0])


def open_item(project: Project, item: Item) -> None:
    """Show an item of whoever is here on the page Annotate."""
    st.session_state.setdefault("shown", {})[project.id, item.task] = item.id
    st.session_state["to task"] = item.task
    frame.open_project(project)


def annotators(given: str) -> list[str]:
    """Return the names of a list with commas; where people sign in, they must be able to."""
    people = separated(given)
    known = {user.name for user in frame.store().users() if user.active} if frame.signed_in() else set(people)
    if strangers := [name for name in people if name not in known]:
        raise FewshotError(
            _("{names} cannot sign in here; an admin adds people on the page People", names=", ".join(strangers))
        )
    return people


def encoder(place: DeltaGenerator, now: str, key: str) -> str:
    """Draw the field for the encoder of a project; return what is in it."""
    help_ = _(
        "mini, a hub id such as xlm-roberta-base, or a folder on the machine that trains. Every "
        "encoder but mini needs a source model, which you train once: fewshot source --task pos "
        "--model xlm-roberta-base --data ud"
    )
    return str(place.text_input(_("Encoder"), now, key=key, help=help_)).strip() or defaults.ENCODER


def source_model(place: DeltaGenerator, now: str, key: str) -> str:
    """Draw the field for the source model that a project continues; return what is in it, unchecked."""
    names = {"": _("the newest"), AUTO: _("ranked first")}
    help_ = _(
        "The source model, which continues its training on your language: the newest one, the one "
        "whose language ranks first for yours, or the one of the languages that you type, such as "
        "fi, or en,fi for a model of both. The command fewshot source trains source models."
    )
    offered = list(dict.fromkeys([*names, "en", now]))
    chosen = place.selectbox(
        _("Source model"), offered, offered.index(now),
        lambda value: names.get(value) or ", ".join(map(terms.language, value.split(","))), key, help_,
        accept_new_options=True,
    )  # fmt: skip
    return chosen or ""


def suggester(now: str, key: str) -> str:
    """Draw the field for whose suggestions a project shows, and say where texts go; return what is in it.

    Without a language model that the operator has named there is no choice.
    """
    model = settings.language_model()
    if model is None:
        return now
    names = list(SUGGESTED_BY)
    chosen = st.radio(
        _("Suggestions"), names, names.index(now), lambda name: _(SUGGESTED_BY[name]), key=key, horizontal=True
    )
    if chosen != ENCODER:
        st.caption(_sent_to(model))
    return str(chosen)


def learns(now: bool, key: str) -> bool:
    """Draw the box that lets a model learn while people annotate; return whether it is ticked."""
    help_ = _("After each finished sentence the encoder's model learns in the background, and suggests what comes next")
    return st.checkbox(_("Learn while people annotate"), now, key=key, help=help_)


def nested(now: bool, key: str) -> bool:
    """Draw the box that allows nested entities; return whether it is ticked."""
    help_ = _(
        "A type given to words inside an entity, or around it, makes a second one. Models learn and suggest the "
        "outermost entities. JSON Lines, WebAnno and Label Studio hold all of them."
    )
    return st.checkbox(_("Nested entities, one inside another"), now, key=key, help=help_)


def _sent_to(model: settings.LanguageModelSettings) -> str:
    """Say where texts go, see `Server.notice`."""
    server = model.server
    names = {"model": frame.plain(server.model), "url": frame.plain(server.url)}
    if server.is_here:
        said = _(
            "Texts are sent to {model} at {url}. They stay on this machine unless that server forwards them.", **names
        )
    elif server.is_encrypted:
        said = _("Texts LEAVE THIS MACHINE: they are sent to {model} at {url}.", **names)
    else:
        said = _("Texts LEAVE THIS MACHINE, UNENCRYPTED: they are sent to {model} at {url}.", **names)
    return said + " " + _("At most {amount} are spent on it in this project.", amount=frame.money(model.cap, "USD"))


def labels(task: str, options: Sequence[str], now: Sequence[str], key: str) -> list[str]:
    """Draw the field for the labels of a task, without the required ones, and return its value.

    Args:
        options: offered labels; others can be typed.
        now: initial value of the field.

    Raises:
        FewshotError: for a label that files could not hold.
    """
    kind, more = tasks.get(task), _("Type a label and press Enter. The labels of the data are added.")
    options, now = ([name for name in names if name not in kind.required_labels] for names in (options, now))
    name = terms.task(task)
    title = _("{task}: further labels", task=name) if kind.required_labels else _("{task}: labels", task=name)
    chosen = st.multiselect(
        title, list(dict.fromkeys(options)), now, help=more, key=key,
        accept_new_options=True, placeholder=_("your own labels"), filter_mode="contains", select_all=False,
    )  # fmt: skip
    names = [name if name in options else name.strip() for name in chosen]
    check(task, set(names).difference(options))
    return list(dict.fromkeys(filter(None, names)))


def test_set(project: Project, rows: Sequence[TaskProgress]) -> None:
    """Offer to annotate the test set, where there is one of which something is left for whoever is here.

    Args:
        rows: how far everybody is.
    """
    me = frame.user().name
    mine = [row for row in rows if row.purpose == TEST and row.annotator in (None, me)]
    undrawn = len(candidates(frame.store(), project, "test")) if project.test_size else 0
    waiting = [sum(row.total - row.done - row.skipped for row in mine if row.task == task) for task in project.tasks]
    left = undrawn + max(waiting)
    if not left:
        return
    kept = {"size": project.test_size, "things": terms.kind(project.kind), "left": left}
    st.caption(
        _(
            "{size} {things} are reserved for the test set. They are annotated without suggestions, "
            "and models are scored on them.",
            **kept,
        )
        if left == project.test_size
        else _(
            "{size} {things} are reserved for the test set; {left} of them are not annotated yet. "
            "They are annotated without suggestions, and models are scored on them.",
            **kept,
        )
    )
    if st.button(_("Annotate the test set"), key=f"test {project.id}"):
        if undrawn:
            draw_round(frame.store(), project, undrawn, "random", project.seed, purpose=TEST)
        opened = [open_next(project, task, TEST) for task in project.tasks]
        if any(opened):
            frame.open_project(project)
        st.rerun()


def open_next(project: Project, task: str, purpose: str) -> bool:
    """Make the annotate page open the next item of a purpose; return whether an item is left."""
    item = frame.store().next_item(project.id, task, frame.user().name, purpose)
    if item is not None:
        st.session_state.setdefault("shown", {})[project.id, task] = item.id
    return item is not None
