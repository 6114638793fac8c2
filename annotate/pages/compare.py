"""The compare page: curves of projects and runs, the price of a score, tables to download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.components import frame, terms
from annotate.exchange import exporting
from annotate.language import _
from annotate.quality import annotators
from annotate.rounds import comparison, effort
from annotate.rounds.curve import sign
from annotate.store import Project
from annotate.worker import settings
from fewshot import tasks
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve
from fewshot.reports import tables

Groups = dict[str, list[Curve]]

RUNS = "runs"
"""Default folder of ``fewshot run``."""


def show() -> None:
    """Draw the page."""
    if not frame.may_curate():
        st.info(_("Annotators have no access to this page."))
        return
    st.header(_("Compare"))
    left, right = st.columns([1, 2])
    names = dict.fromkeys([*(task for project in frame.projects() for task in project.tasks), *tasks.registry()])
    task = str(left.selectbox(_("Task"), list(names), format_func=terms.task))
    groups: Groups = {}
    named, tests = _named(frame.projects(), task), dict[str, str]()
    for name, project in named.items():
        with frame.trouble():
            _add(groups, comparison.project_curves(frame.store(), project, name, task, settings.rates(), tests))
    if not frame.signed_in():  # on a lab's server nobody reads its folders from a page
        folder = right.text_input(_("Add runs from a folder on this machine"), placeholder=RUNS)
        if folder.strip():
            with frame.trouble():
                _add(groups, comparison.run_curves(Path(folder.strip()), task, settings.rates()))
                for line in comparison.describe_left_out(Path(folder.strip())):
                    st.warning(frame.plain(line))
    picked = _chosen(groups)
    if picked:
        _compare(task, picked, named)
    else:
        nothing = _(
            "There is no curve to compare yet. Train a project on its page *Train & curve*, or enter a folder of runs."
        )
        st.info(_("Choose a curve.") if groups else nothing)
        _show_people(_people(named, task, st.container()))


def _named(projects: Sequence[Project], task: str) -> dict[str, Project]:
    """Return the projects with a task by unique names."""
    names = Counter(project.name for project in projects)
    return {
        project.name if names[project.name] == 1 else f"{project.name} ({project.id})": project
        for project in projects
        if task in project.tasks
    }


def _chosen(groups: Groups) -> Groups:
    """Draw the choice of curves and return the chosen ones."""
    every = {f"{curve.name} · {group}": (group, curve) for group, curves in groups.items() for curve in curves}
    picked: Groups = {}
    for name in st.multiselect(_("Curves"), list(every), list(every)) if every else ():
        group, curve = every[name]
        _add(picked, {group: [curve]})
    return picked


def _add(groups: Groups, more: Groups) -> None:
    for name, curves in more.items():
        groups.setdefault(name, []).extend(curves)


def _compare(task: str, groups: Mapping[str, Sequence[Curve]], named: Mapping[str, Project]) -> None:
    kind, curves = tasks.get(task), [curve for group in groups.values() for curve in group]
    made_here = [curve for curve in curves if curve.name in named]
    drawn = figure(curves, kind.score_label, kind.example.kind, ahead=True, front=len(groups) == 1)
    frame.chart(drawn)
    if len(groups) > 1:
        st.caption(_("These curves are not all comparable: their test sets or their units of payment differ."))
    column, right = st.columns([1, 3], vertical_alignment="bottom")
    target = column.number_input(_("Target score (%)"), 1.0, 99.0, None, 1.0)
    paid = "annotation: active time measured in the app at the wage of the project; in runs, the price of the task"
    prices = [paid, *settings.rates().describe_computing()]
    spent = {curve.name: effort.summary(frame.store(), named[curve.name], task, curve) for curve in made_here}
    people = _people({curve.name: named[curve.name] for curve in made_here}, task, right)
    lines = comparison.summarize(task, groups, target, spent)
    for line in lines:
        st.markdown(f"- {frame.plain(line[0].upper() + line[1:])}")
    frame.table(comparison.table(curves))
    with st.container(horizontal=True):
        report = partial(comparison.html, task, groups, lines, prices, people)
        frame.download(_("Report"), report, "comparison.html")
        for ending, title in ((".csv", "CSV"), (".md", "Markdown"), (".tex", "LaTeX"), (".parquet", "Parquet")):
            frame.download(title, partial(tables.render, groups, ending), f"comparison{ending}")
    _show_people(people)


def _show_people(people: Mapping[str, comparison.Rows]) -> None:
    for name, rows in people.items():
        st.markdown("**" + _("Annotators of {project}", project=frame.plain(name)) + "**")
        st.dataframe(rows, hide_index=True)
    if people:
        about = _(
            "Agreement with gold (what a curator decided, else the labels that came with the data) "
            "and, with Cohen's kappa, with others on what they annotated too; minutes are active ones, intervals 95%."
        )
        st.caption(about)


def _people(projects: Mapping[str, Project], task: str, place: DeltaGenerator) -> dict[str, comparison.Rows]:
    """Return a row for each annotator of projects that have several, if the switch is on."""
    several = {
        name: project for name, project in projects.items() if len(exporting.annotators(frame.store(), project)) > 1
    }
    if not several or not place.toggle(_("Annotators side by side")):
        return {}
    people = {name: annotators.annotators(frame.store(), project, task) for name, project in several.items()}
    return {
        name: annotators.table(rows, several[name].kind, sign(several[name].currency))
        for name, rows in people.items()
        if len(rows) > 1
    }
