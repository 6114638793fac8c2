"""The train page, from top to bottom."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import streamlit as st

from annotate.components import cards, fields, frame, jobs, terms
from annotate.exchange.projects import file_name
from annotate.language import _, figures, gettext_noop, ngettext, written
from annotate.pages.train import errors, next_round
from annotate.rounds import comparison, curve, effort, simulation
from annotate.rounds.training_data import TrainingData, training_data
from annotate.store import Project
from annotate.worker import queue, settings
from fewshot import tasks
from fewshot.curves.plots import figure

FIRST_TRAINING = (
    (
        "flag",
        gettext_noop("Zero-shot"),
        gettext_noop("First the source model is scored as it is: it has not seen a sentence of your language."),
    ),
    (
        "model_training",
        gettext_noop("After your annotation"),
        gettext_noop(
            "Then it learns from all that is annotated. Trainings with different seeds show how much the score varies."
        ),
    ),
    (
        "show_chart",
        gettext_noop("The next round"),
        gettext_noop(
            "The curve shows the gain and its price, and what the next round is expected to bring. Report, model and "
            "labels for the rest of the pool can then be downloaded."
        ),
    ),
)
"""What a training does and shows, for people who have not trained yet."""


def show() -> None:
    """Draw the page."""
    project = frame.opened_project(curators=True)
    st.header(_("Train & curve"))
    task = fields.task(project)
    data = training_data(frame.store(), project, task)
    if not data.shots:
        st.info(_("There is nothing to train on yet. Annotate the first sentences, then come back."))
        return
    _train(project, task, data, curve.estimate_seconds(frame.store(), project, task, data))
    if not data.test:
        fields.test_set(project, frame.store().progress(project.id))
    _outdated(project, task, data)
    billed = st.session_state.get(_billed(project), False)
    made = curve.project_curve(frame.store(), project, task, settings.rates(), billed, data)
    if made is None:
        cards.draw(FIRST_TRAINING)
        return
    said = effort.summary(frame.store(), project, task, made.curve)
    if made.curve.points[-1].k == data.ks[-1]:  # else there is more to train on before there is more to annotate
        next_round.show(project, made, said.price)
    _curve(project, task, data, made, said)
    if made.model:
        if made.curve.points[-1].k and not curve.beats_zero_shot(made.curve):
            st.warning(_("The newest model, which labels the rest, is not better than the English one."))
        _label_the_rest(project, task, made.model)
    if made.predictions:
        errors.show(project, task, data, made)


@jobs.follows("train")
def _train(project: Project, task: str, data: TrainingData, seconds: float | None) -> None:
    """Draw what trains, and the button unless it is this task."""
    if not frame.may_curate():
        return
    if not any(task == queue.subject(job) for job in jobs.show(project, "train")):
        _start(project, task, data, seconds)


def _start(project: Project, task: str, data: TrainingData, seconds: float | None) -> None:
    title = _("Train on {things}", things=terms.counted(len(data.shots), project.kind))
    with suppress(OSError, NotImplementedError):  # the job itself reports errors of files and locks
        queue.start_worker(frame.store())  # it loads its libraries while people read
    lasting = (
        _("Takes about {time}, as estimated from the last training.", time=frame.duration(seconds)) if seconds else ""
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if st.button(title, type="primary"):
            jobs.start(project, "train", {"task": task})
        st.caption(f"{_tested(project, data)} {lasting}".strip(), width="content")


def _tested(project: Project, data: TrainingData) -> str:
    if not data.test:
        return _(
            "No test set is annotated. Scores come from cross-validation on the shots in five "
            "parts, so the curve is rough."
        )
    counts = {"things": terms.counted(len(data.test), project.kind), "source": project.source}
    if data.people:
        return _("Scored on {things} of the test set, which were annotated here.", **counts)
    return _("Scored on {things} of the test set, whose labels came with {source}.", **counts)


def _outdated(project: Project, task: str, data: TrainingData) -> None:
    """Say which points the curve lacks, because their annotation or the test set is new or has changed."""
    results = curve.scores(frame.store(), project, task)
    old = curve.outdated_ks(results, data)
    if 0 in old and any(result.scored_on == curve.PART_SCORE for result in results):
        st.warning(
            _("Zero-shot is left out until you train again, since it may have been scored on known labels only.")
        )
    if old:
        ks = ", ".join(f"{k}" for k in old)
        st.warning(ngettext(
            "Train again: k = {ks} has no score on the present annotation.",
            "Train again: k = {ks} have no score on the present annotation.",
            len(old), ks=ks,
        ))  # fmt: skip


def _billed(project: Project) -> str:
    """Return the key of the switch that counts the test set in the bill."""
    return f"bill test {project.id}"


def _curve(
    project: Project, task: str, data: TrainingData, made: curve.ProjectCurve, said: effort.EffortSummary
) -> None:
    if made.crossvalidated:
        st.warning(_("Scores come from cross-validation on the shots, not from a test set."))
    points = made.curve.points
    first, last = points[0], points[-1]
    columns = iter(st.columns(2 + (not first.k) + bool(last.k) + made.people))
    if not first.k:
        part = first.known_only
        known = None if part is None else _("known labels only: {score}", score=written(part, 1))
        next(columns).metric(_("Zero-shot"), written(first.score, 1), known, "off", delta_arrow="off")
    if last.k:
        gained = written(last.gain, 1, "+") if last is not first else None
        title = _("After {things}", things=terms.counted(last.k, project.kind))
        next(columns).metric(title, written(last.score, 1), gained)
    minutes, price = made.test if st.session_state.get(_billed(project)) else (0.0, 0.0)  # which stands beside it
    active = frame.duration(60 * (last.minutes - minutes))
    paid = frame.money(last.annotation - price, project.currency)
    next(columns).metric(_("Annotation"), paid, active, "off", delta_arrow="off")
    next(columns).metric(_("Computing"), figures(f"${last.compute:.3f}"), _("each training"), "off", delta_arrow="off")
    if made.people:
        minutes, price = made.test
        took = _("{time}, once", time=frame.duration(60 * minutes))
        next(columns).metric(_("Test set"), frame.money(price, project.currency), took, "off", delta_arrow="off")
        st.toggle(_("Add the price of the test set to every point"), key=_billed(project))
    for line in curve.describe_unbilled([made.curve]):
        st.caption(line)
    gold = simulation.simulated_curve(frame.store(), project, task, data, settings.rates()) if data.test else None
    drawn = figure([made.curve, *([gold] if gold else [])], tasks.get(task).score_label, project.kind, ahead=True)
    frame.chart(drawn, f"curve {task}")
    if data.test and simulation.is_possible(frame.store(), project, task, data):
        _simulate(project, task)
    frame.table(comparison.table([made.curve]))
    _downloads(project, task, made, said)


def _downloads(project: Project, task: str, made: curve.ProjectCurve, said: effort.EffortSummary) -> None:
    """Offer the report of the curve and, where it was trained on this machine, the newest model."""
    name = f"{file_name(project)}-{task}"
    currency = curve.sign(project.currency)
    prices = [
        f"annotation: active time measured here, at {currency}{project.wage:,.2f} an hour",
        *settings.rates().describe_computing(),
    ]
    if made.people:
        counted = "counted in every bill" if st.session_state.get(_billed(project)) else "in no bill"
        prices.append(f"annotation of the test set: {currency}{made.test[1]:,.2f}, {counted}")
    group = {f"{project.lang}, {project.source}": [made.curve]}
    with st.container(horizontal=True):
        lines = comparison.summarize(task, group, None, {project.name: said})
        report = partial(comparison.html, task, group, lines, prices)
        frame.download(_("Report"), report, f"{name}.html")
        if made.model and Path(made.model).is_dir():
            model = partial(_zipped, Path(made.model))
            frame.download(_("Model"), model, f"{name}.zip")
        elif made.model:
            st.caption(_("The model is on the machine that trained it: {path}", path=made.model))


def _zipped(folder: Path) -> bytes:
    """Return a model as an archive, for ``fewshot predict`` and ``fewshot push``."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(folder.iterdir()):
            file.write(path, f"model/{path.name}")
    return archive.getvalue()


@jobs.follows("predict")
def _label_the_rest(project: Project, task: str, model: str) -> None:
    """Offer to label what nobody has annotated with a model, and the file of the last time."""
    if not frame.may_curate():
        return
    unfinished = jobs.show(project, "predict")
    made = frame.store().labelled_file(project.id, task)
    things = terms.kind(project.kind)
    help_ = _("The newest model labels all {things} of the pool that are not annotated.", things=things)
    if not project.hides_gold:
        help_ = _(
            "The newest model labels all {things} of the pool that are not annotated, here or in their file.",
            things=things,
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        if not any(task == queue.subject(job) for job in unfinished) and st.button(_("Label the rest"), help=help_):
            jobs.start(project, "predict", {"task": task, "model": model})
        if made:
            _labelled_file(project, task, Path(made.path), made.examples)


def _labelled_file(project: Project, task: str, path: Path, count: int) -> None:
    counted = {"things": terms.counted(count, project.kind), "path": path}
    if not path.is_file():
        st.caption(_("{things}, labelled by a model, are on the machine of the worker: {path}", **counted))
        return
    name = f"{file_name(project)}-{task}-labelled{path.suffix}"
    frame.download(_("Labelled"), path.read_bytes, name)
    st.caption(_("{things}, labelled by a model", **counted))


@jobs.follows("simulate")
def _simulate(project: Project, task: str) -> None:
    """Draw the button, or the job that it started."""
    if not frame.may_curate():
        return
    if any(job.args["task"] == task for job in jobs.show(project, "simulate")):
        return
    help_ = _(
        "Simulates up to {ahead} more rounds of {sampler} with the labels of {source}: the curve to "
        "expect from annotation without mistakes. A stopped simulation continues where it stopped.",
        sampler=project.sampler, ahead=simulation.ROUNDS_AHEAD, source=project.source,
    )  # fmt: skip
    if st.button(_("Simulate with gold labels"), help=help_):
        jobs.start(project, "simulate", {"task": task})
