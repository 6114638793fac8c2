"""The consistency page: possible errors of a project, the most likely first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotate.components import fields, frame, jobs, terms
from annotate.language import _, gettext_noop, ngettext, written
from annotate.pages.sentences import changing, examples, hits
from annotate.quality import consistency
from annotate.quality.consistency import ConsistencyReport, Disagreement, Finding, ValidatorWarning
from annotate.search import queries
from annotate.search.settings import NO_ENTITY
from annotate.store import ExampleFilter, Project
from fewshot.corpora.consistency import OUTSIDE, Inconsistency
from fewshot.corpora.types import Sentence

COLUMNS = {
    "upos": gettext_noop("Tags"), "lemmas": gettext_noop("Lemmas"), "xpos": "XPOS", "feats": gettext_noop("Features"),
    "deprels": gettext_noop("Relations"), "entities": gettext_noop("Entities"),
}  # fmt: skip
"""Columns that are checked, with their titles."""

RARE, WARNINGS, MODEL = gettext_noop("Rare labels"), gettext_noop("Warnings"), gettext_noop("A model disagrees")

MAX_ROWS = 500
"""Maximum rows of a table; others follow when these are corrected or accepted."""

HELP = {
    "Tags": gettext_noop("The same word with different tags."),
    "Lemmas": gettext_noop("The same word and tag with different lemmas."),
    "XPOS": gettext_noop("The same word and tag with different language-specific tags."),
    "Features": gettext_noop("The same word and tag with different features."),
    "Relations": gettext_noop("The same head and dependent with different relations."),
    "Entities": gettext_noop("One name with several types, or without a type in some places."),
    RARE: gettext_noop("Labels that are used very rarely."),
    MODEL: gettext_noop("Models that did not learn from the sentence annotate it otherwise, the most certain first."),
    WARNINGS: gettext_noop(
        "Violations of the guidelines of Universal Dependencies, up to the validator level of the project."
    ),
}
ALIKE = gettext_noop("The likeliest errors come first: hits with the same words around them, then single hits.")


def show() -> None:
    """Draw the page."""
    project = frame.opened_project()
    st.header(_("Consistency"))
    if project.kind != Sentence.kind:
        st.info(_("This page compares words; it does not apply to {things}.", things=terms.kind(project.kind)))
        return
    task = fields.task(project)
    _cross_check(project, task)
    wanted = ExampleFilter(task, None if frame.may_curate() else frame.user().name)
    with frame.trouble():
        changing.said()
        _draw(project, wanted, _report(project, wanted))
        changing.made(project)


@jobs.follows("cross_check")
def _cross_check(project: Project, task: str) -> None:
    """Draw the button that lets models annotate the finished sentences, and how far they are."""
    if not frame.may_curate() or jobs.show(project, "cross_check"):
        return
    help_ = _("Models learn from four fifths of the finished sentences and annotate the last fifth, five times.")
    if st.button(_("Compare with a model"), icon=":material/compare_arrows:", type="tertiary", help=help_):
        st.session_state.pop("report", None)
        jobs.start(project, "cross_check", {"task": task})


def _report(project: Project, wanted: ExampleFilter) -> ConsistencyReport:
    """Return the possible errors; the search is repeated after a save, or on request.

    What others save does not change the list under the hand.
    """
    done = ("cross_check", "done", wanted.task)
    jobs_done = (job for job in frame.store().jobs(project.id) if (job.kind, job.state, job.args.get("task")) == done)
    compared = max((job.id for job in jobs_done), default=0)
    key = (project, wanted, frame.store().last_revision_id(frame.user().name), compared)

    def search() -> ConsistencyReport:
        st.session_state.pop("places", None)
        with st.spinner(_("Searching everything ...")):
            return consistency.find_inconsistencies(frame.store(), project, wanted)

    if st.button(_("Search again"), icon=":material/refresh:", type="tertiary"):
        st.session_state.pop("report", None)
    return frame.once("report", key, search)


def _draw(project: Project, wanted: ExampleFilter, report: ConsistencyReport) -> None:
    task = wanted.task
    accepted = frame.store().accepted(project.id, task)
    left = report if _shows_accepted(project, report, accepted) else report.without(accepted)
    sections = _sections(left)
    if not sections:
        st.info(_nothing(report))
        return
    names = list(sections)
    name = st.segmented_control(
        _("What"), names, format_func=lambda title: f"{_(title)} ({written(len(sections[title]))})", default=names[0],
        key=f"section {project.id} {task} {names}", label_visibility="collapsed",
    ) or names[0]  # fmt: skip
    st.caption(f"{_(HELP[name])} {_(ALIKE) if name in COLUMNS.values() else ''}")
    chosen = _chosen(project, task, name, sections[name][:MAX_ROWS], accepted)
    if isinstance(chosen, Inconsistency):
        _finding(project, wanted, chosen, accepted)
    elif isinstance(chosen, Disagreement):
        _doubted(project, task, chosen, accepted)
    elif chosen is not None:
        _warned(project, task, chosen, accepted)


def _nothing(report: ConsistencyReport) -> str:
    """Draw why the list is empty."""
    if not report.sentences:
        return _("Nothing is annotated yet.")
    if report.findings or report.disagreements or report.warnings:
        return ngettext(
            "Nothing is left of what was found in {number} annotated sentence.",
            "Nothing is left of what was found in {number} annotated sentences.",
            report.sentences,
        )
    return ngettext(
        "Nothing suspicious in {number} annotated sentence.",
        "Nothing suspicious in {number} annotated sentences.",
        report.sentences,
    )


def _shows_accepted(project: Project, report: ConsistencyReport, accepted: set[str]) -> bool:
    rows: list[Finding] = [*report.findings, *report.disagreements, *report.warnings]
    count = sum(consistency.key(row) in accepted for row in rows)
    return bool(
        count
        and st.toggle(
            _("Also show hits that were left as they are ({count})", count=written(count)), key=f"accepted {project.id}"
        )
    )


def _sections(report: ConsistencyReport) -> dict[str, Sequence[Finding]]:
    """Return the rows by the title of their table."""
    several, rare = ([finding for finding in report.findings if bool(finding.words) is many] for many in (True, False))
    by_title: dict[str, Sequence[Finding]] = {MODEL: report.disagreements}
    for column, title in COLUMNS.items():
        by_title[title] = [finding for finding in several if finding.column == column]
    by_title |= {RARE: rare, WARNINGS: report.warnings}
    return {title: rows for title, rows in by_title.items() if rows}


def _chosen(project: Project, task: str, name: str, rows: Sequence[Finding], accepted: set[str]) -> Finding | None:
    """Draw a table and return the clicked row."""
    table = [
        _row(row) | {_("left unchanged"): "✓" if consistency.key(row) in accepted else ""} for row in rows
    ]  # fmt: skip
    place = examples.choose(table, f"consistency {project.id} {task} {name} {hash(tuple(map(str, table)))}")
    return None if place is None else rows[place]


def _row(row: Finding) -> dict[str, object]:
    if isinstance(row, ValidatorWarning):
        return {_("warning"): row.message, _("annotator"): row.version.annotator or "", "id": row.version.row.key}
    if isinstance(row, Disagreement):
        hit = row.hit
        return {
            _("before"): hit.before, _("word"): hit.text, _("behind"): hit.after,
            _("annotated"): row.shown(row.annotated), _("by the model"): row.shown(row.suggested),
            _("confidence"): 100 * row.certainty,
            _("annotator"): row.version.annotator or "", "id": row.version.row.key,
        }  # fmt: skip
    return {
        _("words"): row.title,
        _("labels"): " · ".join(f"{_label(label)} {written(count)}" for label, count in row.labels),
        _("same words around"): "✓" if row.alike else "",
    }


def _label(label: str) -> str:
    return _(NO_ENTITY) if label == OUTSIDE else label or _("none")


def _finding(project: Project, wanted: ExampleFilter, finding: Inconsistency, accepted: set[str]) -> None:
    """Draw the places of a label, the rarest label first, with the actions for them."""
    labels = [label for label, *__ in reversed(finding.labels)]
    with st.container(horizontal=True, vertical_alignment="center"):
        label = st.segmented_control(
            _("Label"), labels, format_func=lambda label: frame.plain(_label(label)), default=labels[0],
            key=f"label {consistency.key(finding)}", label_visibility="collapsed",
        ) or labels[0]  # fmt: skip
        _accept(project, wanted.task, finding, accepted)
    pattern = finding.pattern(label)
    key = (project, pattern, wanted, frame.store().last_revision_id(frame.user().name))
    places = frame.once("places", key, lambda: queries.find(frame.store(), project, queries.PATTERN, pattern, wanted))
    hits.show(project, wanted.task, places)
    look = partial(queries.hits, frame.store(), project, queries.PATTERN, pattern, wanted)
    changing.propose(project, places, look, finding.column)


def _warned(project: Project, task: str, warned: ValidatorWarning, accepted: set[str]) -> None:
    st.markdown(frame.plain(warned.message))
    _accept(project, task, warned, accepted)
    if warned.version.annotator != frame.user().name or st.button(_("Open"), key=f"open {consistency.key(warned)}"):
        examples.open_or_show(project, task, warned.version.row.id, warned.version.item)


def _doubted(project: Project, task: str, doubted: Disagreement, accepted: set[str]) -> None:
    """Draw buttons that keep an annotation, change it to the model's, or open it."""
    version, me, setting = doubted.version, frame.user().name, doubted.correction
    with st.container(horizontal=True, vertical_alignment="center"):
        _accept(project, task, doubted, accepted)
        if setting:
            title = _("Change to {label}", label=frame.plain(doubted.shown(doubted.suggested)))
            changing.change(project, doubted.hit, setting, title)
        opens = version.annotator == me and st.button(_("Open"), key=f"open {consistency.key(doubted)}")
    if version.annotator != me or opens:
        examples.open_or_show(project, task, version.row.id, version.item)


def _accept(project: Project, task: str, row: Finding, accepted: set[str]) -> None:
    """Draw the curators' button that accepts a row, or reverts this."""
    if not frame.may_curate():
        return
    store, key = frame.store(), consistency.key(row)
    if key in accepted:
        if st.button(_("Put it back on the list"), key=f"reject {key}"):
            store.reject(project.id, task, key)
            st.rerun()
    elif st.button(_("Leave unchanged"), key=f"accept {key}", icon=":material/check:"):
        store.accept(project.id, task, key, frame.user().name)
        st.rerun()
