"""The page *Rounds & settings*: next round, suggestions, settings, guidelines; archive and delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotate.components import fields, frame, housekeeping, jobs, progress, sampling, terms
from annotate.editing.labels import add
from annotate.exchange import defaults
from annotate.exchange.project_data import annotates_entities
from annotate.exchange.projects import checked_source_model, separated
from annotate.language import _
from annotate.rounds.draw import begin_round, next_seed
from annotate.store import SHOTS, Project, TaskProgress
from annotate.worker import queue
from fewshot import tasks
from fewshot.errors import FewshotError, listed

GUIDELINES_HEIGHT = 320
"""Pixels of the field and of the preview of guidelines."""


def show() -> None:
    """Draw the page."""
    project = frame.opened_project(curators=True)
    st.header(_("Rounds & settings"))
    rows = frame.store().progress(project.id)
    progress.show(project, rows)
    draw, suggest = st.columns(2)
    with draw.container(border=True, height="stretch"), frame.trouble():  # which leaves the fields below as they are
        _next_round(project, rows)
    with suggest.container(border=True, height="stretch"):
        _suggestions(project)
    with frame.trouble():
        _settings(project)
    st.divider()
    housekeeping.show(project)


def _next_round(project: Project, rows: Sequence[TaskProgress]) -> None:
    st.markdown("##### " + _("Next round"))
    sampler_field, k_field = st.columns([3, 1])
    sampler = sampling.choose(sampler_field, project.sampler, f"sampler {project.id}")
    things = terms.kind(project.kind)
    k = int(k_field.number_input(things.capitalize(), 1, 10_000, project.k, key=f"k {project.id}"))
    # another button for each round: a double click draws one
    drawn = sum(each.purpose == SHOTS for each in frame.store().rounds(project.id))
    if st.button(_("Draw {number}", number=k), key=f"draw {project.id} {drawn}", type="primary"):
        begin_round(frame.store(), project, k, sampler, next_seed(frame.store(), project))
        st.rerun()
    fields.test_set(project, rows)


@jobs.follows("suggest", "ask", "draw")
def _suggestions(project: Project) -> None:
    if not frame.may_curate():
        return
    st.markdown("##### " + _("Suggestions and draws by a model"))
    unfinished = jobs.show(project, "suggest", "ask", "draw")
    if unfinished:
        return
    st.caption(_("The newest model suggests labels for all examples that are not finished."))
    if not st.button(_("Suggest labels"), key=f"suggest {project.id}"):
        return
    with frame.trouble():
        queue.suggest(frame.store(), project)
        st.rerun()


def _settings(project: Project) -> None:
    st.markdown("##### " + _("Settings"))
    if f"name {project.id}" not in st.session_state:  # the fields are drawn for the first time
        st.session_state[_seen(project)] = _values(project)
    people_and_money, model = st.columns(2, gap="large")
    with people_and_money:
        typed = _people_and_money(project)
    with model:
        typed, more = typed | _model(project), None
        with frame.trouble():  # a wrong label leaves what is written below as it is
            more = {task: _more_labels(project, task) for task in project.tasks if tasks.get(task).open}
    typed["guidelines"] = _guidelines(project)
    pressed = st.button(_("Save settings"), key=f"save {project.id}", type="primary", disabled=more is None)
    if not pressed or more is None:
        return
    typed["source_model"] = checked_source_model(typed["source_model"])
    _save(project, typed)
    for task, labels in more.items():
        add(frame.store(), project, task, labels)
    st.rerun()


def _seen(project: Project) -> str:
    """Return the session key of the settings that this window knows."""
    return f"settings {project.id}"


def _values(project: Project) -> dict[str, Any]:
    """Return the settings of a project as the fields show them."""
    names = ("name", "wage", "currency", "encoder", "source_model", "suggester", "learns", "nested", "guidelines")
    people = frame.store().project_people(project.id)
    return {name: getattr(project, name) for name in names} | {
        "double_share": round(100 * project.double_share) / 100, "people": people,
    }  # fmt: skip


def _save(project: Project, typed: dict[str, Any]) -> None:
    """Save the settings that were changed in this window, and leave those that others have changed.

    Raises:
        FewshotError: when another window has changed one of them differently, or a setting is invalid.
    """
    seen, now = st.session_state[_seen(project)], _values(project)
    edited = {name: value for name, value in typed.items() if value != seen[name]}
    if any(now[name] not in (seen[name], value) for name, value in edited.items()):
        raise FewshotError(_(
            "somebody else has changed these settings since you opened this page; nothing was saved: copy what you "
            "have written, and reload the page"
        ))  # fmt: skip
    changes = {name: value for name, value in edited.items() if name != "people"}
    people = fields.annotators(", ".join(edited["people"])) if "people" in edited else None
    if "name" in changes:
        frame.store().require_free_name(changes["name"], project)
    saved = frame.store().update_project(project.id, **changes)
    if people is not None:
        frame.store().set_project_people(project.id, people)
    after = _values(saved)
    seen.update({name: after[name] for name in edited})


def _people_and_money(project: Project) -> dict[str, Any]:
    """Draw the fields of name, annotators and wage; return the settings, and the annotators as ``people``."""
    name = st.text_input(_("Name"), project.name, key=f"name {project.id}")
    annotators = ", ".join(frame.store().project_people(project.id))
    people = st.text_input(_("Annotators, separated by commas"), annotators, key=f"people {project.id}")
    double = st.slider(
        _("Annotated by two people, from the next round on"), 0, 100, round(100 * project.double_share), 5, "%d%%",
        key=f"double {project.id}",
    )  # fmt: skip
    left, right = st.columns(2)
    wage = left.number_input(_("Wage per hour"), 0.0, 1000.0, project.wage, key=f"wage {project.id}")
    currencies = list(dict.fromkeys([project.currency, *defaults.CURRENCIES]))
    currency = right.selectbox(_("Currency"), currencies, key=f"currency {project.id}")
    st.caption(_("Wage and currency apply to earlier annotation too; no amount is converted."))
    return {
        "name": name, "wage": wage, "currency": currency, "double_share": double / 100, "people": separated(people),
    }  # fmt: skip


def _model(project: Project) -> dict[str, Any]:
    """Draw the fields of the model and return the settings."""
    left, right = st.columns(2)
    encoder = fields.encoder(left, project.encoder, f"encoder {project.id}")
    source_model = fields.source_model(right, project.source_model, f"source model {project.id}")
    if (encoder, source_model) != (project.encoder, project.source_model):
        st.caption(_("With another encoder or source model the curve starts again; the annotation is kept."))
    suggester = fields.suggester(project.suggester, f"suggester {project.id}")
    learns = fields.learns(project.learns, f"learns {project.id}")
    nested = project.nested
    if annotates_entities(project.tasks):
        nested = fields.nested(nested, f"nested {project.id}")
    return {
        "encoder": encoder, "source_model": source_model, "suggester": suggester, "learns": learns, "nested": nested,
    }  # fmt: skip


def _guidelines(project: Project) -> str:
    """Draw the field of the guidelines with a preview, and return what is in it."""
    written, preview = st.columns(2, gap="large")
    text = written.text_area(
        _("Guidelines (Markdown)"), project.guidelines, GUIDELINES_HEIGHT, key=f"guidelines {project.id}"
    )
    preview.caption(_("As annotators see them"))
    with preview.container(border=True, height=GUIDELINES_HEIGHT):
        st.markdown(text)
    return text


def _more_labels(project: Project, task: str) -> list[str]:
    """Draw the field of labels; removed ones stay in the project, since annotation may use them."""
    now = project.labels.get(task, [])
    chosen = fields.labels(task, now, now, f"labels {task} {project.id} {len(now)}")
    if gone := [label for label in now if label not in (*chosen, *tasks.get(task).required_labels)]:
        st.caption(
            _("{labels} cannot be removed, since annotation may have these labels.", labels=frame.plain(listed(gone)))
        )
    return chosen
