"""The review page: how well people agree, and a decision where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotate import agreement, content, review, session, view
from annotate.components import editor
from annotate.pages import frame, work
from annotate.store import Project
from fewshot import tasks


def show() -> None:
    """Draw the page."""
    project = frame.project()
    if project is None or frame.user().role == "annotator":
        st.info("Open a project; annotators do not see this page.")
        return
    st.header("Review")
    task = work.task(project)
    found = review.cases(frame.store(), project, task)
    if not found:
        st.info(
            "Nothing to compare yet: no example is finished by two people. "
            "A share of the shots for two annotators is set when a project is made."
        )
        return
    _agreement(project, task, found)
    _decide(project, task, found)


def _agreement(project: Project, task: str, found: list[review.Case]) -> None:
    kind = tasks.get(task, project.labels[task])
    rows = {row.id: row for row in frame.store().examples(project.id, ids=[case.example_id for case in found])}
    pairs = []
    for case in found:
        example = content.from_json(rows[case.example_id].content).unannotated()
        first, second = (content.annotated(task, example, one.revision.annotation) for one in case.versions[:2])
        pairs.append((first, second))
    result = agreement.agreement(kind, pairs)
    columns = st.columns(len(result.measures) + 1)
    columns[0].metric(project.kind.capitalize(), len(found), f"{sum(case.differ for case in found)} in dispute", "off")
    for column, one in zip(columns[1:], result.measures, strict=True):
        between = f"{one.low:.2f} – {one.high:.2f}" if one.low is not None and one.high is not None else "one example"
        column.metric(one.name, "–" if one.value is None else f"{one.value:.2f}", between, "off")
    labels, confused = st.columns(2, gap="large")
    with labels.expander("By label"):
        rows_by_label = [
            {"label": one.label, "first": one.count_a, "second": one.count_b, "agreed": one.agreed, "F1": one.f1}
            for one in result.by_label
        ]
        st.dataframe(rows_by_label, hide_index=True)
    with confused.expander("Confused most"):
        rows_confused = [
            {"first": one.a, "second": one.b, "times": one.count, "for example": ", ".join(one.examples)}
            for one in result.confused
        ]
        st.dataframe(rows_confused, hide_index=True)


@st.fragment
def _decide(project: Project, task: str, found: list[review.Case]) -> None:
    disputed = {case.example_id: case for case in found if case.differ}
    if not disputed:
        st.success("The versions agree everywhere.")
        return
    names = {row.id: row.key for row in frame.store().examples(project.id, ids=list(disputed))}
    place = f"case {project.id} {task}"
    cases = {case.example_id: case for case in review.cases(frame.store(), project, task)}
    decided = {example for example in disputed if (item := cases[example].item) and item.status == "done"}
    left = [example for example in disputed if example not in decided]
    st.progress(len(decided) / len(disputed), text=f"{len(decided)} of {len(disputed)} decided")
    default = st.session_state.get(f"{place} next") or (left or list(disputed))[0]
    chosen = st.selectbox(
        "Example", list(disputed), index=list(disputed).index(default),
        format_func=lambda example: f"{names[example]}{' ✓' if example in decided else ''}",
    )  # fmt: skip
    case = cases[chosen]
    curator = frame.user().name
    item = review.begin(frame.store(), project, task, case, curator)
    if item.annotator != curator:
        st.warning(f"{item.annotator} decides this one.")
        return
    desk = session.desk(frame.store(), project, item)
    data = view.view(project, desk)
    first, second = case.versions[0], case.versions[1]
    if data["annotation"] is None:
        data["annotation"] = review.merged(first.revision.annotation, second.revision.annotation)
    data |= {
        "suggestion": None,
        "versions": [{"name": one.item.annotator, "annotation": one.revision.annotation} for one in (first, second)],
    }
    key = f"review {project.id} {task}"

    def save() -> None:
        event = st.session_state[key].save
        if event is not None and work.receive(project, task, event) and event["done"]:
            rest = [example for example in left if example != chosen]
            st.session_state[f"{place} next"] = rest[0] if rest else None

    editor.show(task, data, key, save)
    _table(desk, case)


def _table(desk: session.Desk, case: review.Case) -> None:
    """Draw where two versions differ."""
    first, second = (one.revision.annotation for one in case.versions[:2])
    names = [one.item.annotator or "?" for one in case.versions[:2]]
    rows = []
    for column, values in first.items():
        others = second.get(column)
        if isinstance(values, list) and isinstance(others, list) and len(values) == len(others):
            words = first.get("words") or getattr(desk.example, "words", values)
            for place, (one, other) in enumerate(zip(values, others, strict=True)):
                if one != other:
                    rows.append(_row(f"{place + 1} {words[place]}", column, names, (one, other)))
        elif values != others:
            rows.append(_row("", column, names, (values, others)))
    st.dataframe(rows, hide_index=True)


def _row(where: str, what: str, names: Sequence[str], values: tuple[Any, Any]) -> dict[str, str]:
    return {"": where, "what": what, names[0]: str(values[0]), names[1]: str(values[1])}
