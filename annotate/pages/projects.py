"""The projects page: all projects, with the next round and the settings of each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.components import fields, frame, housekeeping, jobs, sampling, terms
from annotate.editing.labels import add
from annotate.exchange import defaults
from annotate.exchange.projects import checked_source_model
from annotate.language import _, gettext_noop
from annotate.pages import new_project
from annotate.rounds.draw import begin_round, next_seed
from annotate.store import Project, TaskProgress
from annotate.worker import queue
from fewshot import tasks
from fewshot.errors import listed
from fewshot.progress import format_duration

WELCOME = gettext_noop(
    "Annotate a few sentences of your language. A model trained on English learns from them, "
    "suggests labels for the next ones, and shows the gain and the price of each round."
)
STEPS = (
    (
        "add",
        gettext_noop("1. Make a project"),
        gettext_noop(
            "Upload sentences or use the sample, and choose what to annotate. The first ten "
            "sentences are drawn at once."
        ),
    ),
    (
        "keyboard",
        gettext_noop("2. Annotate"),
        gettext_noop("Every decision has a key, which is shown beside it. Each change is saved at once."),
    ),
    (
        "show_chart",
        gettext_noop("3. Train and see"),
        gettext_noop(
            "The learning curve shows the gain of these sentences and the expected gain of "
            "more. You can export at any time."
        ),
    ),
)
"""Steps for a newcomer: icon of Google's Material Symbols, title, explanation."""


def show() -> None:
    """Draw the page."""
    st.header(_("Projects"))
    mine = frame.projects()
    if not mine and frame.may_curate():
        _welcome()
    for project in mine:
        _card(project)
    if not frame.may_curate():
        if not mine:
            st.info(_("You have no project yet. Ask the person who leads the work to add you to one."))
        return
    with st.expander(_("New project"), expanded=not mine, icon=":material/add:"), frame.trouble():
        new_project.show()
    if archived := frame.store().projects(archived=True):
        with st.expander(_("Archived ({number})", number=len(archived)), icon=":material/archive:"), frame.trouble():
            housekeeping.archived(archived)


def _welcome() -> None:
    """Draw an introduction for people without a project."""
    st.markdown(f"#### {_(WELCOME)}")
    for column, (icon, title, text) in zip(st.columns(len(STEPS)), STEPS, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**:primary[:material/{icon}:] {_(title)}**  \n{_(text)}")


def _card(project: Project) -> None:
    """Draw a project: to a curator with everybody's progress, to an annotator with their own."""
    rows = frame.store().progress(project.id, None if frame.may_curate() else frame.user().name)
    with st.container(border=True):
        name, work, action = st.columns([3, 4, 2], vertical_alignment="center")
        titles = ", ".join(terms.task(task) for task in project.tasks)
        name.markdown(f"**{frame.plain(project.name)}**")
        sizes = _("pool {pool}, test {test}", pool=f"{project.pool_size:,}", test=f"{project.test_size:,}")
        name.caption(f"{terms.language(project.lang)} · {titles} · {sizes}")
        total, done = sum(row.total for row in rows), sum(row.done for row in rows)
        seconds = sum(row.seconds for row in rows)
        text = _("{done} of {all} done", done=done, all=total) if total else _("nothing drawn yet")
        work.progress(done / total if total else 0.0, text=text)
        active = _("{time} active", time=format_duration(seconds))
        work.caption(f"{active}, {frame.money(seconds / 3600 * project.wage, project.currency)}")
        if action.button(_("Open"), key=f"open {project.id}", type="primary", width="stretch"):
            frame.open_project(project)
        if frame.may_curate():
            title = _("Next round, suggestions, settings")
            opened = st.expander(title, expanded=not total, key=f"settings {project.id}")
            with opened, frame.trouble():
                _rounds(project, rows)
                housekeeping.show(project)


def _rounds(project: Project, rows: Sequence[TaskProgress]) -> None:
    draw, suggest = st.columns(2, gap="large")
    with draw:
        st.caption(_("NEXT ROUND"))
        sampler = sampling.choose(draw, project.sampler, f"sampler {project.id}")
        k = st.number_input(_("Sentences"), 1, 10_000, project.k, key=f"k {project.id}")
        if st.button(_("Draw {number}", number=k), key=f"draw {project.id}"):
            seed = next_seed(frame.store(), project)
            begin_round(frame.store(), project, int(k), sampler, seed)
            st.rerun()
        fields.test_set(project, rows)
    with suggest:
        _suggestions(project)
        _settings(project)


@jobs.follows("suggest", "ask", "draw")
def _suggestions(project: Project) -> None:
    if not frame.may_curate():
        return
    st.caption(_("SUGGESTIONS AND DRAWS BY A MODEL"))
    unfinished = jobs.show(project, "suggest", "ask", "draw")
    if unfinished or not st.button(_("Suggest labels"), key=f"suggest {project.id}"):
        return
    with frame.trouble():
        queue.suggest(frame.store(), project)
        st.rerun()


def _settings(project: Project) -> None:
    st.caption(_("SETTINGS"))
    name = st.text_input(_("Name"), project.name, key=f"name {project.id}")
    left, right = st.columns(2)
    wage = left.number_input(_("Wage per hour"), 0.0, 1000.0, project.wage, key=f"wage {project.id}")
    currencies = list(dict.fromkeys([project.currency, *defaults.CURRENCIES]))
    currency = right.selectbox(_("Currency"), currencies, key=f"currency {project.id}")
    st.caption(_("Wage and currency apply to earlier annotation too; no amount is converted."))
    double = st.slider(
        _("Annotated by two people, from the next round on"), 0, 100, round(100 * project.double_share), 5, "%d%%",
        key=f"double {project.id}",
    )  # fmt: skip
    left, right = st.columns(2)
    encoder = fields.encoder(left, project.encoder, f"encoder {project.id}")
    source_model = fields.source_model(right, project.source_model, f"source model {project.id}")
    if (encoder, source_model) != (project.encoder, project.source_model):
        st.caption(_("With another encoder or source model the curve starts again; the annotation is kept."))
    suggester = fields.suggester(project.suggester, f"suggester {project.id}")
    learns = fields.learns(project.learns, f"learns {project.id}")
    annotators = ", ".join(frame.store().project_people(project.id))
    people = st.text_input(_("Annotators, separated by commas"), annotators, key=f"people {project.id}")
    more = {task: _more_labels(project, task) for task in project.tasks if tasks.get(task).open}
    text = st.text_area(_("Guidelines (Markdown)"), project.guidelines, key=f"guidelines {project.id}")
    if st.button(_("Save settings"), key=f"save {project.id}"):
        names = fields.annotators(people)
        changes = {"name": name, "wage": wage, "currency": currency, "double_share": double / 100, "guidelines": text}
        frame.store().require_free_name(name, project)
        source_model = checked_source_model(source_model)
        computing = {"encoder": encoder, "source_model": source_model, "suggester": suggester, "learns": learns}
        frame.store().update_project(project.id, **computing, **changes)
        frame.store().set_project_people(project.id, names)
        for task, labels in more.items():
            add(frame.store(), project, task, labels)
        st.rerun()


def _more_labels(project: Project, task: str) -> list[str]:
    """Draw the field of labels; removed ones stay in the project, since annotation may use them."""
    now = project.labels.get(task, [])
    chosen = fields.labels(task, now, now, f"labels {task} {project.id} {len(now)}")
    if gone := [label for label in now if label not in (*chosen, *tasks.get(task).required_labels)]:
        st.caption(
            _("{labels} cannot be removed, since annotation may have these labels.", labels=frame.plain(listed(gone)))
        )
    return chosen
