"""The compare page: curves of projects and of runs against each other, what a score costs, files to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from annotate import comparison
from annotate.pages import frame
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
    projects = frame.projects()
    for project in projects:
        alone = [other.name for other in projects].count(project.name) == 1
        name = project.name if alone else f"{project.name} ({project.id})"
        with frame.trouble():
            _add(groups, comparison.of_project(frame.store(), project, name, task, frame.rates()))
    if not frame.signed_in():  # on a lab's server nobody reads its folders from a page
        folder = right.text_input("Runs as well, of a folder on this machine", placeholder="runs")
        if folder.strip():
            with frame.trouble():
                _add(groups, comparison.of_runs(Path(folder.strip()), task, frame.rates()))
    every = {f"{one.name} · {group}": (group, one) for group, found in groups.items() for one in found}
    chosen = st.multiselect("Curves", list(every), list(every))
    if not chosen:
        st.info("Nothing to compare yet: train a project on its page *Train & curve*, or give a folder of runs.")
        return
    picked: Groups = {}
    for name in chosen:
        group, one = every[name]
        _add(picked, {group: [one]})
    _compare(task, picked)


def _add(groups: Groups, more: Groups) -> None:
    for name, found in more.items():
        groups.setdefault(name, []).extend(found)


def _compare(task: str, groups: Mapping[str, Sequence[Curve]]) -> None:
    kind, found = tasks.get(task), [one for group in groups.values() for one in group]
    st.plotly_chart(figure(found, kind.score_label, kind.example.kind, ahead=True))
    if len(groups) > 1:
        st.caption("Not all of these are on one scale: test sets differ, or what is paid for.")
    column, _ = st.columns([1, 3])
    target = column.number_input("A score to reach (%)", 1.0, 99.0, None, 1.0)
    prices = ["annotation: active time measured in the app at the wage of the project; in runs, the price of the task"]
    made = comparison.report(task, groups, target, prices)
    for line in made.findings:
        st.markdown(f"- {line[0].upper()}{line[1:]}".replace("$", r"\$"))
    st.dataframe(comparison.table(found), hide_index=True)
    with st.container(horizontal=True):
        page = partial(reports.html, made)
        st.download_button("Report", page, "comparison.html", on_click="ignore", type="primary", icon=frame.DOWNLOAD)
        for ending, title in ((".csv", "CSV"), (".md", "Markdown"), (".tex", "LaTeX")):
            text = tables.text(list(groups.values()), ending)
            st.download_button(title, text, f"comparison{ending}", on_click="ignore", icon=frame.DOWNLOAD)
