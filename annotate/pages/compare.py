"""The compare page: curves of projects and of runs against each other, what a score costs, files to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from annotate import annotators, comparison, effort, transfer
from annotate.curve import sign
from annotate.pages import frame
from annotate.store import Project
from fewshot import tasks
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve
from fewshot.reports import report as reports
from fewshot.reports import tables

Groups = dict[str, list[Curve]]


def show() -> None:
    """Draw the page."""
    if not frame.may_curate():
        st.info("Annotators do not see this page.")
        return
    st.header("Compare")
    left, right = st.columns([1, 2])
    names = dict.fromkeys([*(task for project in frame.projects() for task in project.tasks), *tasks.registry()])
    task = str(left.selectbox("Task", list(names), format_func=lambda name: tasks.get(name).title))
    groups: Groups = {}
    said: dict[str, effort.Summary] = {}
    people: dict[str, comparison.Rows] = {}
    for name, project in _named(frame.projects(), task):
        with frame.trouble():
            found = comparison.of_project(frame.store(), project, name, task, frame.rates())
            _add(groups, found)
            said |= {
                one.name: effort.summary(frame.store(), project, task, one) for made in found.values() for one in made
            }
            if rows := _people(project, task):
                people[name] = rows
    if not frame.signed_in():  # on a lab's server nobody reads its folders from a page
        folder = right.text_input("Runs as well, of a folder on this machine", placeholder="runs")
        if folder.strip():
            with frame.trouble():
                _add(groups, comparison.of_runs(Path(folder.strip()), task, frame.rates()))
    picked = _chosen(groups)
    if picked:
        _compare(task, picked, said, people)
    else:
        st.info("Nothing to compare yet: train a project on its page *Train & curve*, or give a folder of runs.")
    for name, rows in people.items():
        st.markdown(f"**Annotators of {name}**")
        st.dataframe(rows, hide_index=True)
    if people:
        st.caption(
            "Agreement with gold (what a curator decided or all versions say, else the labels that came with the data) "
            "and, with Cohen's kappa, with others on what they annotated too; minutes are active ones, intervals 95%."
        )


def _named(projects: Sequence[Project], task: str) -> list[tuple[str, Project]]:
    """Return the projects that have a task, each by a name that no other has."""
    names = Counter(project.name for project in projects)
    return [
        (project.name if names[project.name] == 1 else f"{project.name} ({project.id})", project)
        for project in projects
        if task in project.tasks
    ]


def _people(project: Project, task: str) -> comparison.Rows:
    """Return a row an annotator where there are several."""
    if len(transfer.annotators(frame.store(), project)) < 2:
        return []
    found = annotators.annotators(frame.store(), project, task)
    return annotators.table(found, project.kind, sign(project.currency)) if len(found) > 1 else []


def _chosen(groups: Groups) -> Groups:
    """Return the curves that were chosen."""
    every = {f"{one.name} · {group}": (group, one) for group, found in groups.items() for one in found}
    picked: Groups = {}
    for name in st.multiselect("Curves", list(every), list(every)):
        group, one = every[name]
        _add(picked, {group: [one]})
    return picked


def _add(groups: Groups, more: Groups) -> None:
    for name, found in more.items():
        groups.setdefault(name, []).extend(found)


def _compare(
    task: str,
    groups: Mapping[str, Sequence[Curve]],
    said: Mapping[str, effort.Summary],
    people: Mapping[str, comparison.Rows],
) -> None:
    kind, found = tasks.get(task), [one for group in groups.values() for one in group]
    drawn = figure(found, kind.score_label, kind.example.kind, ahead=True, front=len(groups) == 1)
    st.plotly_chart(drawn, config={"displayModeBar": False})
    if len(groups) > 1:
        st.caption("Not all of these are on one scale: test sets differ, or what is paid for.")
    column, _ = st.columns([1, 3])
    target = column.number_input("A score to reach (%)", 1.0, 99.0, None, 1.0)
    paid = "annotation: active time measured in the app at the wage of the project; in runs, the price of the task"
    prices = [paid, *comparison.computing(frame.rates())]
    made = comparison.report(task, groups, target, prices, said, people)
    for line in made.findings:
        st.markdown(f"- {line[0].upper()}{line[1:]}".replace("$", r"\$"))
    st.dataframe(comparison.table(found), hide_index=True)
    with st.container(horizontal=True):
        page = partial(reports.html, made)
        st.download_button("Report", page, "comparison.html", on_click="ignore", type="primary", icon=frame.DOWNLOAD)
        for ending, title in ((".csv", "CSV"), (".md", "Markdown"), (".tex", "LaTeX")):
            text = tables.text(list(groups.values()), ending)
            st.download_button(title, text, f"comparison{ending}", on_click="ignore", icon=frame.DOWNLOAD)
