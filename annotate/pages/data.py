"""The data page: what there is, export in the field's formats, import of the same."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from annotate.components import frame
from annotate.editing import content
from annotate.exchange import remarks
from annotate.exchange.exporting import PARTS, annotators, export_annotations
from annotate.exchange.importing import import_annotations
from annotate.exchange.projects import file_name
from annotate.rounds import effort
from annotate.store import Project
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.costs import speed_up, time_model
from fewshot.errors import listed
from fewshot.progress import duration
from fewshot.reports import findings

EVERYBODY = "gold: agreed on, or decided"
TITLES = dict(zip(PARTS, ("what is annotated", "all that came", "shots", "test set"), strict=True))
ALL = "What nobody has annotated comes as it came; whatever else the file had, in each of its sentences, comes back"


def show() -> None:
    """Draw the page."""
    project = frame.project()
    if project is None or not frame.may_curate():
        st.info("Open a project; annotators do not see this page.")
        return
    st.header("Data & export")
    table = st.container()
    left, right = st.columns(2, gap="large")
    with right.container(border=True), frame.trouble():
        _import(project)  # first: the others show what it has saved
    with left.container(border=True), frame.trouble():
        _export(project)
    with table:
        _progress(project)
    if st.toggle("Time: measured, published, and what suggestions save"):
        with st.container(border=True), frame.trouble():
            _time(project)
    with st.expander("Everything that was ever saved"):
        _log(project)


def _progress(project: Project) -> None:
    rows = [
        {
            "task": tasks.get(row.task).title,
            "for": row.purpose,
            "annotator": row.annotator or "whoever comes first",
            "done": f"{row.done} of {row.total}",
            "tokens": row.tokens,
            "active": duration(row.seconds),
            "s a token": f"{row.seconds / row.measured_tokens:.1f}" if row.measured_tokens else "–",
            "cost": frame.money(row.seconds / 3600 * project.wage, project.currency),
        }
        for row in frame.store().progress(project.id)
    ]
    st.dataframe(rows, hide_index=True)


def _time(project: Project) -> None:
    """Draw measured against published time, and what suggestions save and do."""
    for task in project.tasks:
        items = effort.measured(frame.store(), project, task)
        if not items:
            continue
        prior = tasks.get(task).time
        rows = [
            {
                "annotator": name,
                "items": model.items,
                "measured": duration(60 * model.measured),
                "published figures say": duration(60 * model.published),
                "s an item": round(float(model.seconds[0]), 1),
                "s a token": round(float(model.seconds[1]), 2),
                "s an edit": round(float(model.seconds[2]), 1),
            }
            for name, model in time_model.fit_each(items, prior).items()
        ]
        st.markdown(f"**{tasks.get(task).title}**")
        st.dataframe(rows, hide_index=True)
        st.caption(
            f"Published: {prior.item:g} s an item, {prior.token:g} a token, {prior.edit:g} an edit. {prior.source}"
        )
        st.caption(_suggestions(speed_up.speed_up(items)))


def _suggestions(effect: speed_up.SpeedUp | None) -> str:
    if effect is None:
        few = f"at least {speed_up.FEWEST} items of one person that show their suggestion and as many that hide it"
        return f"What suggestions save cannot be said yet; it takes {few}."
    text = findings.suggestions(effect)
    return f"{text[0].upper()}{text[1:]} (95% intervals)."


def _export(project: Project) -> None:
    st.markdown("#### Export")
    chosen = st.multiselect(
        "Tasks", list(project.tasks), list(project.tasks), format_func=lambda name: tasks.get(name).title
    )
    who = st.selectbox("Whose", [EVERYBODY, *annotators(frame.store(), project)])
    part = st.radio("Part", list(TITLES), format_func=TITLES.get, horizontal=True, help=ALL)
    if not chosen:
        return
    layers = [tasks.get(name) for name in chosen]
    names = formats.holding(layers)
    titles = {name: formats.FORMATS[name].title for name in names} | {remarks.FORMAT: remarks.TITLE}
    name = str(st.selectbox("Format", list(titles), _came(project, names), format_func=lambda key: titles[key]))
    if not st.button("Export", type="primary"):
        return
    if name == remarks.FORMAT:
        _remarks(project)
        return
    export = export_annotations(frame.store(), project, chosen, None if who == EVERYBODY else who, part)
    left = "open" if part == "all" else "out"
    disputed = f"; {export.disputed} in dispute are left {left}, see Review" if export.disputed else ""
    examples = export.held_by(name)
    st.caption(f"{len(examples):,} {project.kind}{disputed}")
    if examples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"export{formats.FORMATS[name].suffix}"
            formats.export(examples, layers, name, path)
            content = path.read_bytes()
        file = file_name(project) + formats.FORMATS[name].suffix
        st.download_button("Download", content, file, on_click="ignore", icon=frame.DOWNLOAD)


def _remarks(project: Project) -> None:
    text, count = remarks.table(frame.store(), project)
    st.caption(f"{count:,} flags and comments of all tasks")
    if count:
        file = file_name(project) + remarks.SUFFIX
        st.download_button("Download", text, file, on_click="ignore", icon=frame.DOWNLOAD)


def _came(project: Project, names: Sequence[str]) -> int:
    """Return which format is that of the project's file: its examples have it, or its name tells; else the first."""
    first = next(iter(frame.store().examples(project.id)), None)
    record = content.from_json(first.content).record if first else None
    suffix = Path(project.source).suffix
    if record and record.format in names:
        return names.index(record.format)
    return next((place for place, name in enumerate(names) if suffix in formats.FORMATS[name].suffixes), 0)


def _import(project: Project) -> None:
    st.markdown("#### Import")
    st.caption("Annotations of examples that are in this project, matched by their text; saved as yours.")
    task = st.selectbox("Task", list(project.tasks), format_func=lambda name: tasks.get(name).title)
    file = st.file_uploader("File", help="Any of the formats of the export")
    if file is None or not st.button("Import"):
        return
    with frame.uploaded(file) as path:
        done = import_annotations(frame.store(), project, task, path, frame.user().name)
    show = st.warning if done.problems else st.success
    unread = done.problems.total - done.wrong
    show(f"{done.saved} saved, {done.unknown} not in this project, {done.wrong} not valid, {unread} not readable")
    if done.added:
        st.info(f"New labels of the project, from this file: {frame.plain(listed(done.added))}")
    if done.problems:
        frame.bad_rows(done.problems, path)


def _log(project: Project) -> None:
    st.caption("Each revision with who, when, active seconds and edits; one JSON object a line.")
    if st.button("Make the file"):
        lines = []
        for item in frame.store().items(project.id):
            for revision in frame.store().history(item.id):
                row = asdict(revision) | {"example": item.example_id, "task": item.task, "blind": item.blind}
                lines.append(json.dumps(row, ensure_ascii=False, default=str))
        st.download_button("Download", "\n".join(lines), "revisions.jsonl", on_click="ignore")
