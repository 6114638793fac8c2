"""The review page: agreement between annotators, and decisions where they differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from annotate.components import comments, editor, fields, frame, recordings, terms
from annotate.editing import saving, session, view
from annotate.language import _, ngettext
from annotate.quality import adjudication, agreement, annotators
from annotate.store import Project
from fewshot import tasks

MAX_TITLE = 80
"""Maximum characters of an example's text in the list."""


def show() -> None:
    """Draw the page."""
    project = frame.opened_project(curators=True)
    st.header(_("Review"))
    comments.show(project)
    task = fields.task(project)
    cases = adjudication.cases(frame.store(), project, task)
    if not cases:
        nothing = _(
            "There is nothing to compare yet: no example is finished by two people. The form of a "
            "new project sets the share of shots for two annotators."
        )
        st.info(nothing)
        return
    with frame.trouble():
        _agreement(project, task, cases)
    _decide(project, task)


def _agreement(project: Project, task: str, cases: list[adjudication.Case]) -> None:
    kind = tasks.get(task, project.labels[task])
    result = agreement.agreement(kind, annotators.pairs(frame.store(), project, task))
    disputed = _("{number} in dispute", number=sum(case.differ for case in cases))
    figures = [(terms.kind(project.kind).capitalize(), str(result.examples), disputed)]
    for measure in result.measures:
        digits = 2 if measure.key in ("kappa", "alpha") else 1  # others are percentages
        known = measure.low is not None and measure.high is not None
        between = f"{measure.low:.{digits}f} – {measure.high:.{digits}f}" if known else measure.note
        value = "–" if measure.value is None else f"{measure.value:.{digits}f}"
        figures.append((f"{measure.name[0].upper()}{measure.name[1:]}", value, between))
    with st.container(horizontal=True):
        for name, value, between in figures:
            st.metric(name, value, between, "off", delta_arrow="off", width="content")
    words = ngettext("{number} word in one version only", "{number} words in one version only", result.other_words)
    gaps = _("{things} with gaps", things=terms.counted(result.unfinished, project.kind))
    counts = (result.other_words, words), (result.unfinished, gaps)
    if left_out := ", ".join(why for count, why in counts if count):
        st.caption(_("Left out of the figures: {reasons}", reasons=left_out))
    labels, confused = st.columns(2)
    with labels.expander(_("By label")):
        rows_by_label = [
            {
                _("label"): row.label,
                _("first"): row.count_a,
                _("second"): row.count_b,
                _("agreed"): row.agreed,
                "F1": row.f1,
            }
            for row in result.by_label
        ]
        frame.table(rows_by_label)
    with confused.expander(_("Confused most")):
        rows_confused = [
            {_("first"): row.a, _("second"): row.b, _("times"): row.count, _("for example"): ", ".join(row.examples)}
            for row in result.confused
        ]
        st.dataframe(rows_confused, hide_index=True)


@st.fragment(run_every=frame.A_DAY)
def _decide(project: Project, task: str) -> None:
    """Draw the disputed examples and the editor of the chosen one."""
    if not frame.may_curate():
        st.info(_("Open a project first. Annotators have no access to this page."))
        return
    with frame.trouble():
        project = saving.project_of(frame.store(), project.scope)
        disputed = {case.example_id: case for case in adjudication.cases(frame.store(), project, task) if case.differ}
        if not disputed:
            st.success(_("The versions are equal."))
            return
        decided = {key for key, case in disputed.items() if case.is_decided}
        st.progress(
            len(decided) / len(disputed), text=_("**{done} of {all}** decided", done=len(decided), all=len(disputed))
        )
        shown = _chosen(project, task, disputed, decided)
        curator = frame.user().name
        item = adjudication.open_review(frame.store(), project, task, disputed[shown], curator)
        if item.annotator != curator:
            st.warning(_("{person} reviews this example.", person=frame.plain(item.annotator or "")))
            return
        opened = session.open_item(frame.store(), project, item)
        _editor(project, opened, disputed[shown], list(disputed.values()))
        st.caption(_("DIFFERENCES"))
        st.dataframe(_differences(opened, disputed[shown]), hide_index=True)


def _chosen(project: Project, task: str, disputed: Mapping[int, adjudication.Case], decided: Collection[int]) -> int:
    """Draw the choice of an example and return it; by default the first undecided one."""
    texts = view.texts(frame.store(), project, disputed)
    key = _place(project, task)
    if st.session_state.get(key) not in disputed:
        undecided = (example_id for example_id in disputed if example_id not in decided)
        st.session_state[key] = next(undecided, next(iter(disputed)))

    def title(example_id: int) -> str:
        return f"{'✓' if example_id in decided else '·'} {view.beginning(texts[example_id], MAX_TITLE)}"

    return st.selectbox(_("Example"), list(disputed), key=key, label_visibility="collapsed", format_func=title)


def _editor(
    project: Project, opened: session.OpenItem, case: adjudication.Case, cases: Sequence[adjudication.Case]
) -> None:
    task = opened.item.task
    versions = adjudication.versions_to_decide(case, opened.example)
    data = view.view(project, opened) | {
        "recording": recordings.heard(project, opened),
        "versions": versions,
    }
    if data["annotation"] is None:
        data["annotation"] = adjudication.merged(*(version["annotation"] for version in versions))

    def move(event: Mapping[str, Any]) -> None:
        if event.get("go") and event["item"] == opened.item.id:  # else a repeated request of an example that was left
            is_decided = frame.store().item(opened.item.id).status == "done"
            target = adjudication.neighbour(cases, case.example_id, event["go"], is_decided)
            st.session_state[_place(project, task)] = target

    editor.show(data, f"review {project.id} {task}", move)


def _differences(opened: session.OpenItem, case: adjudication.Case) -> list[dict[str, str]]:
    """Return a row for each difference between two versions, with the decision."""
    first, second = (version.item.annotator or "?" for version in case.versions[:2])
    annotations = [version.revision.annotation for version in case.versions[:2]]
    versions = {first: annotations[0], second: annotations[1], _("decided"): opened.annotation or {}}
    rows = adjudication.compare(versions, getattr(opened.example, "words", ()))
    return [row for row in rows if row[first] != row[second]]


def _place(project: Project, task: str) -> str:
    return f"case {project.id} {task}"
