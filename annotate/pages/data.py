"""The data page: figures of a project, export, import, lexicons, recordings."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path

import streamlit as st

from annotate.components import frame, lexicons, terms, uploads
from annotate.editing import content
from annotate.exchange import recordings, remarks
from annotate.exchange.exporting import PARTS, annotators, export_annotations
from annotate.exchange.importing import import_annotations
from annotate.exchange.projects import file_name
from annotate.language import _, gettext_noop, written
from annotate.rounds import effort
from annotate.store import REVIEW, SHOTS, TEST, Project
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.types import Sentence
from fewshot.costs import speed_up, time_model
from fewshot.errors import listed

MAX_LISTED = 10
"""Maximum number of missing recordings that are listed."""

EVERYBODY = gettext_noop("gold: agreed on, or decided")
PURPOSES = {SHOTS: gettext_noop("shots"), TEST: gettext_noop("test"), REVIEW: gettext_noop("review")}
NAMES = (
    gettext_noop("what is annotated"), gettext_noop("all original annotation"), gettext_noop("shots"),
    gettext_noop("test set"),
)  # fmt: skip
TITLES = dict(zip(PARTS, NAMES, strict=True))
STATES = {gettext_noop("finished only"): False, gettext_noop("as it is"): True}
AS_IT_IS = gettext_noop(
    "As it is: begun work is in the file too, marked as begun. Imported again, it is open and goes on; the mark leaves "
    "the file with the last of it."
)
ALL = gettext_noop(
    "Examples without annotation are written as they were imported. Everything else in the file is kept."
)


def show() -> None:
    """Draw the page."""
    project = frame.opened_project(curators=True)
    st.header(_("Data & export"))
    table = st.container()
    left, right = st.columns(2, gap="large")
    with right.container(border=True), frame.trouble():
        _import(project)  # first: the others show what it has saved
    with left.container(border=True), frame.trouble():
        _export(project)
    if project.kind == Sentence.kind:
        with left.container(border=True), frame.trouble():
            lexicons.show(project)
    if named := _named(project.id, project.created, project.pool_size):
        with right.container(border=True), frame.trouble():
            _recordings(project, named)
    with table:
        _progress(project)
    if st.toggle(_("Time: measured, published, and saved by suggestions")):
        with st.container(border=True), frame.trouble():
            _time(project)
    with st.expander(_("All saved revisions")):
        _log(project)


def _progress(project: Project) -> None:
    rows = [
        {
            _("task"): terms.task(row.task),
            _("for"): _(PURPOSES[row.purpose]),
            _("annotator"): row.annotator or _("any annotator"),
            _("done"): _("{done} of {all}", done=row.done, all=row.total),
            _("tokens"): row.tokens,
            _("active"): frame.duration(row.seconds),
            _("s per token"): written(row.seconds / row.measured_tokens, 1) if row.measured_tokens else "–",
            _("cost"): frame.money(row.seconds / 3600 * project.wage, project.currency),
        }
        for row in frame.store().progress(project.id)
    ]
    st.dataframe(rows, hide_index=True)


def _time(project: Project) -> None:
    """Draw measured beside published times, and the effects of suggestions."""
    for task in project.tasks:
        items = effort.measured_items(frame.store(), project, task)
        if not items:
            continue
        prior = tasks.get(task).time
        rows = [
            {
                _("annotator"): name,
                _("items"): model.items,
                _("measured"): frame.duration(60 * model.measured),
                _("published figures say"): frame.duration(60 * model.published),
                _("s per item"): round(float(model.seconds[0]), 1),
                _("s per token"): round(float(model.seconds[1]), 2),
                _("s per edit"): round(float(model.seconds[2]), 1),
            }
            for name, model in time_model.fit_by_annotator(items, prior).items()
        ]
        st.markdown(f"**{terms.task(task)}**")
        st.dataframe(rows, hide_index=True)
        seconds = {"item": f"{prior.item:g}", "token": f"{prior.token:g}", "edit": f"{prior.edit:g}"}
        fitted = _(
            "The time of an item is the sum of a constant, a time per token and a time per edit, "
            "fitted to the measured times."
        )
        published = _("Published: {item} s per item, {token} per token, {edit} per edit.", **seconds)
        st.caption(f"{fitted} {published} {prior.source}")
        for line in _suggestions(effort.effects(frame.store(), project, task)):
            st.caption(line)


def _suggestions(effects: Sequence[effort.SuggestionEffect]) -> list[str]:
    """Return sentences about the effects of suggestions, or why there are none yet."""
    if not effects:
        nothing = _(
            "The time that suggestions save is not known yet. It takes at least {fewest} items of "
            "one person with suggestions, and as many without.",
            fewest=speed_up.MIN_ITEMS,
        )
        return [nothing]
    texts = map(str, effects)
    return [_("{findings} ({chance} intervals).", chance="95%", findings=text[0].upper() + text[1:]) for text in texts]


def _export(project: Project) -> None:
    st.markdown("#### " + _("Export"))
    chosen = st.multiselect(_("Tasks"), list(project.tasks), list(project.tasks), format_func=terms.task)
    whose = st.container()
    part = st.radio(_("Part"), list(TITLES), format_func=lambda part: _(TITLES[part]), horizontal=True, help=_(ALL))
    as_it_is = STATES[str(st.radio(_("State"), list(STATES), format_func=_, horizontal=True, help=_(AS_IT_IS)))]
    people = annotators(frame.store(), project, as_it_is)
    who = whose.selectbox(_("Annotator"), [EVERYBODY, *people], format_func=_whose)
    if not chosen:
        st.warning(_("Choose at least one task."))
        return
    layers = [tasks.get(name) for name in chosen]
    names = formats.list_export_formats(layers)
    titles = {name: _(formats.FORMATS[name].title) for name in names} | {remarks.FORMAT: _(remarks.TITLE)}
    name = str(st.selectbox(_("Format"), list(titles), _came(project, names), format_func=lambda key: titles[key]))
    if not st.button(_("Export"), type="primary"):
        return
    if name == remarks.FORMAT:
        _remarks(project)
        return
    export = export_annotations(frame.store(), project, chosen, None if who == EVERYBODY else who, part, as_it_is)
    disputed = _("{number} in dispute are left out, see Review", number=export.disputed)
    if part == "all":
        disputed = _("{number} in dispute are left open, see Review", number=export.disputed)
    begun = _begun(export.begun, formats.FORMATS[name], as_it_is)
    examples = export.held_by(name)
    said = {terms.counted(len(examples), project.kind): True, disputed: export.disputed, begun: export.begun}
    if inner := export.inner(name):
        said[_(
            "{format} has no place for entities inside others: {number} left out, {names}",
            format=_(formats.FORMATS[name].title), number=len(inner), names=frame.plain(listed(inner, 5)),
        )] = True  # fmt: skip
    st.caption("; ".join(line for line, count in said.items() if count))
    if examples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"export{formats.FORMATS[name].suffix}"
            formats.export(examples, layers, name, path)
            content = path.read_bytes()
        file = file_name(project) + formats.FORMATS[name].suffix
        frame.download(_("Download"), lambda: content, file)


def _begun(number: int, format_: formats.Format, as_it_is: bool) -> str:
    """Return a message about begun examples."""
    if not as_it_is:
        return _("{number} begun and not finished; their annotation is not in the file", number=number)
    if format_.marks_begun:
        return _("{number} marked as begun", number=number)
    return _(
        "{number} begun; {format} has no place for the mark, so they look finished",
        number=number,
        format=_(format_.title),
    )


def _whose(name: str) -> str:
    return _(name) if name == EVERYBODY else name


def _remarks(project: Project) -> None:
    text, count = remarks.table(frame.store(), project)
    st.caption(_("Flags and comments of all tasks: {number}", number=written(count)))
    if count:
        file = file_name(project) + remarks.SUFFIX
        frame.download(_("Download"), lambda: text, file)


def _came(project: Project, names: Sequence[str]) -> int:
    """Return the index of the format of the project's file, by its examples or its name; 0 if unknown."""
    first = next(iter(frame.store().examples(project.id)), None)
    record = content.from_json(first.content).record if first else None
    suffix = Path(project.source).suffix
    if record and record.format in names:
        return names.index(record.format)
    return next((place for place, name in enumerate(names) if suffix in formats.FORMATS[name].suffixes), 0)


def _import(project: Project) -> None:
    st.markdown("#### " + _("Import"))
    st.caption(
        _("Imports annotations of this project's examples, which are matched by their text, and saves them as yours.")
    )
    task = st.selectbox(_("Task"), list(project.tasks), format_func=terms.task)
    files = uploads.uploader(_("File"), f"import {project.id}", False, help=_("Any export format"))
    if not files or not st.button(_("Import")):
        return
    with uploads.kept(files) as (path,):
        done = import_annotations(frame.store(), project, task, path, frame.user().name)
    show = st.success if done.saved and not done.problems else st.warning
    show(_(
        "{saved} saved, {unknown} not in this project, {wrong} not valid, {empty} without annotation, "
        "{unread} not readable",
        saved=done.saved, unknown=done.unknown, wrong=done.wrong, empty=done.empty, unread=done.unread,
    ))  # fmt: skip
    if done.unfinished:
        st.info(
            _("Saved, but not finished: {number}. Some of their labels are missing.", number=written(done.unfinished))
        )
    if done.added:
        st.info(_("Labels that this file added to the project: {labels}", labels=frame.plain(listed(done.added))))
    if done.problems:
        uploads.bad_rows(done.problems, path)


@st.cache_data(max_entries=20, show_spinner=False)
def _named(project_id: int, created: datetime, pool_size: int) -> dict[str, int]:
    """Return the recordings that sentences name, with counts; the pool size is part of the cache's key."""
    return frame.store().count_recordings(project_id)


def _recordings(project: Project, named: Mapping[str, int]) -> None:
    """Draw how much can be heard, and upload and remove recordings."""
    st.markdown("#### " + _("Recordings"))
    key = f"recordings {project.id} {st.session_state.get('recordings kept', 0)}"
    endings = [kind.removeprefix(".") for kind in recordings.KINDS]
    given = uploads.uploader(_("Recordings"), key, type=endings, label_visibility="collapsed")
    if given and st.button(_("Store these files"), type="primary"):
        for upload in given:
            recordings.add(frame.store(), project, upload.name, upload)
        st.session_state["recordings kept"] = st.session_state.get("recordings kept", 0) + 1  # an empty uploader
        st.rerun()
    kept = list(recordings.kept(frame.store(), project))
    covered = recordings.coverage(named, kept)
    counts = {"heard": written(covered.heard), "named": written(covered.named)}
    st.markdown(_("**{heard} of {named}** sentences that name a recording can be heard.", **counts))
    if missing := list(covered.missing):
        names = ", ".join(map(frame.plain, missing[:MAX_LISTED]))
        more = _(" and {number} more", number=len(missing) - MAX_LISTED) if len(missing) > MAX_LISTED else ""
        st.warning(_("Missing files: {names}", names=names + more))
    if kept:
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        chosen = left.multiselect(_("Stored here ({number})", number=len(kept)), kept, placeholder="")
        if right.button(_("Remove"), disabled=not chosen):
            for name in chosen:
                recordings.remove(frame.store(), project, name)
            st.rerun()
    where = frame.plain(str(recordings.folder(frame.store(), project)))
    told = _(
        "Recordings are stored on the machine of this app, in {folder}; backups do not contain them. "
        "Add larger files there with `fewshot projects recordings`.",
        folder=where,
    )
    st.caption(told)


def _log(project: Project) -> None:
    st.caption(_("Every revision with annotator, time, active seconds and edits, as one JSON object per line."))
    if st.button(_("Prepare the file")):
        frame.download(_("Download"), partial(_revisions, project), "revisions.jsonl")


def _revisions(project: Project) -> str:
    lines = []
    for item, revision in frame.store().log(project.id):
        row = asdict(revision) | {"example": item.example_id, "task": item.task, "blind": item.blind}
        lines.append(json.dumps(row, ensure_ascii=False, default=str))
    return "\n".join(lines)
