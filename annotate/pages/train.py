"""The train page: one button, the curve so far, and what the newest model gets wrong."""

from __future__ import annotations

import io
import textwrap
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.components import frame, jobs
from annotate.editing import content, view
from annotate.pages import projects, work
from annotate.quality import adjudication, agreement
from annotate.rounds import comparison, curve, effort, simulation
from annotate.rounds.draw import lengths_ahead, next_seed
from annotate.rounds.training_data import TrainingData, training_data
from annotate.store import Project
from annotate.worker import queue
from fewshot import tasks
from fewshot.curves import advice
from fewshot.curves.plots import figure

WORST = 20
"""Most sentences that are shown as those with most errors."""

LARGE = 100_000
"""Examples in a pool from which on drawing from it is too slow to be tried for the price of the next round."""


def show() -> None:
    """Draw the page."""
    project = frame.project()
    if project is None or not frame.may_curate():
        st.info("Open a project; annotators do not see this page.")
        return
    st.header("Train & curve")
    task = work.task(project)
    found = training_data(frame.store(), project, task)
    if not found.shots:
        st.info("Nothing to train on yet: annotate the first sentences, then come back.")
        return
    _train(project, task, found)
    if not found.test:
        projects.test_set(project, frame.store().progress(project.id))
    _outdated(project, task, found)
    billed = st.session_state.get(_billed(project), False)
    made = curve.project_curve(frame.store(), project, task, frame.rates(), billed, found)
    if made is None:
        return
    said = effort.summary(frame.store(), project, task, made.curve)
    if made.curve.points[-1].k == found.ks[-1]:  # else there is more to train on before there is more to annotate
        _advice(project, made, said.price)
    _curve(project, task, found, made, said)
    if made.model:
        if made.curve.points[-1].k and not curve.newest_is_better(made.curve):
            st.warning("What labels the rest is the newest model, which does not beat the English one.")
        _label_the_rest(project, task, made.model)
    if made.predictions:
        _errors(project, task, found, made)


@st.fragment(run_every=1.5)
def _train(project: Project, task: str, found: TrainingData) -> None:
    """Draw what trains, and the button unless it is this task."""
    if not frame.may_curate():
        return
    if not any(task == queue.subject(job) for job in jobs.show(project, "train")):
        _start(project, task, found)


def _start(project: Project, task: str, found: TrainingData) -> None:
    button, text = st.columns([1, 3], vertical_alignment="center")
    if button.button(f"Train on {len(found.shots)} {project.kind}", type="primary"):
        queue.start(frame.store(), project.id, "train", {"task": task})
        st.rerun(scope="fragment")
    text.caption(_tested(project, found))


def _tested(project: Project, found: TrainingData) -> str:
    if not found.test:
        return "No test set: the sentences score each other in five parts, and the curve is rough. Better annotate one."
    who = "annotated here" if found.people else f"whose labels came with {project.source}"
    return f"Scored on {len(found.test):,} {project.kind} of the test set, {who}."


def _outdated(project: Project, task: str, found: TrainingData) -> None:
    """Say which points the curve lacks, because their annotation or the test set is new or has changed."""
    old = curve.outdated(curve.scores(frame.store(), project, task), found)
    if old:
        ks = ", ".join(f"{k}" for k in old)
        st.warning(f"Train again: k = {ks} {'has' if len(old) == 1 else 'have'} no score on what is annotated now.")


def _advice(project: Project, made: curve.ProjectCurve, price: float | None) -> None:
    """Say whether the next round is worth its price."""
    last = made.curve.points[-1].k
    box, limit = st.columns([4, 1], vertical_alignment="center")
    threshold = limit.number_input("A round is to bring (points)", 0.1, 20.0, advice.THRESHOLD, 0.5)
    each = advice.price_of_one(made.curve) if price is None else price
    found = advice.advise(made.curve, [last + project.k], each, threshold, project.kind)
    coming = found.rounds[0]
    cost = frame.money(coming.dollars, project.currency)
    text = (
        f"The next {coming.size} {project.kind} are expected to bring **{coming.gain:.1f}** points for **{cost}** "
        f"(80%: {coming.low:.1f} to {coming.high:.1f})."
    )
    if found.go_on:
        box.success(f"{text} Go on: they bring more than {threshold:g} with a probability of {coming.sure:.0%}.")
    else:
        box.warning(f"{text} Stop: more than {threshold:g} has a probability of {coming.sure:.0%} only.")
    if not curve.newest_is_better(made.curve):
        st.info(
            "Use the English model for now, as the suggestions do: the newest does not beat it by a standard error."
        )
    _by_sampler(project, made, coming)


def _by_sampler(project: Project, made: curve.ProjectCurve, coming: advice.NextRound) -> None:
    """Draw what the next round would cost with each sampler that needs no model."""
    *_, before, last = made.curve.points
    price = coming.dollars / coming.size * (last.k - before.k) / (last.tokens - before.tokens)  # of a token
    if not price or project.pool_size > LARGE:
        return
    lengths = _lengths(project.id, coming.size, next_seed(frame.store(), project))
    if not lengths:
        return
    with st.expander("The price of the next round with another sampler"):
        rows = [
            {
                "sampler": name,
                "mean tokens": round(length, 1),
                "price": frame.money(coming.size * length * price, project.currency),
                "points, borrowed": f"{coming.gain:.1f} [{coming.low:.1f}, {coming.high:.1f}]",
            }
            for name, length in lengths.items()
        ]
        st.dataframe(rows, hide_index=True)
        st.caption(
            f"The {project.kind} that each would draw, at {frame.money(1000 * price, project.currency)} for 1,000 "
            "tokens. The points are borrowed from the curve: what another sampler brings is not known."
        )


@st.cache_data(max_entries=100, show_spinner=False)
def _lengths(project_id: int, k: int, seed: int) -> dict[str, float]:
    """Return the lengths of what would be drawn next; the seed is another one after each draw."""
    return lengths_ahead(frame.store(), frame.store().project(project_id), k, seed)


def _billed(project: Project) -> str:
    """Return the key of the switch that counts the test set in the bill."""
    return f"bill test {project.id}"


def _curve(project: Project, task: str, found: TrainingData, made: curve.ProjectCurve, said: effort.Summary) -> None:
    if made.crossvalidated:
        st.warning("Scores are of cross-validation on the shots themselves, not of a test set.")
    points = made.curve.points
    first, last = points[0], points[-1]
    columns = iter(st.columns(3 + bool(last.k) + made.people))
    next(columns).metric("Zero-shot", f"{first.score:.1f}")
    if last.k:
        next(columns).metric(f"After {last.k} {project.kind}", f"{last.score:.1f}", f"{last.gain:+.1f}")
    active = frame.minutes(60 * (last.minutes - first.minutes))  # the test set stands beside it, and may be in both
    paid = frame.money(last.annotation - first.annotation, project.currency)
    next(columns).metric("Annotation", paid, active, "off", delta_arrow="off")
    next(columns).metric("Computing", f"${last.compute:.3f}", "each training", "off", delta_arrow="off")
    if made.people:
        minutes, price = made.test
        took = f"{frame.minutes(60 * minutes)}, once"
        next(columns).metric("Test set", frame.money(price, project.currency), took, "off", delta_arrow="off")
        st.toggle("Count the test set in the bill of every point", key=_billed(project))
    for line in curve.unbilled([made.curve]):
        st.caption(line)
    gold = simulation.simulated_curve(frame.store(), project, task, found, frame.rates()) if found.test else None
    drawn = figure([made.curve, *([gold] if gold else [])], tasks.get(task).score_label, project.kind, ahead=True)
    st.plotly_chart(drawn, key=f"curve {task}", config={"displayModeBar": False})
    if found.test and simulation.possible(frame.store(), project, task, found):
        _simulate(project, task)
    st.dataframe(comparison.table([made.curve]), hide_index=True)
    _downloads(project, task, made, said)


def _downloads(project: Project, task: str, made: curve.ProjectCurve, said: effort.Summary) -> None:
    """Offer the report of the curve and, where it was trained on this machine, the newest model."""
    name = f"{frame.file_name(project)}-{task}"
    wage = frame.money(project.wage, project.currency)
    prices = [f"annotation: active time measured here, at {wage} an hour", *frame.rates().computing()]
    if made.people:
        counted = "counted in every bill" if st.session_state.get(_billed(project)) else "in no bill"
        prices.append(f"annotation of the test set: {frame.money(made.test[1], project.currency)}, {counted}")
    group = {f"{project.lang}, {project.source}": [made.curve]}
    with st.container(horizontal=True):
        lines = comparison.amounts(task, group, None, {project.name: said})
        report = partial(comparison.html, task, group, lines, prices)
        st.download_button("Report", report, f"{name}.html", on_click="ignore", icon=frame.DOWNLOAD)
        if made.model and Path(made.model).is_dir():
            st.download_button(
                "Model", partial(_zipped, Path(made.model)), f"{name}.zip", on_click="ignore", icon=frame.DOWNLOAD
            )
        elif made.model:
            st.caption(f"The model is on the machine that trained it: {made.model}")


def _zipped(folder: Path) -> bytes:
    """Return a model as an archive, for ``fewshot predict`` and ``fewshot push``."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(folder.iterdir()):
            file.write(path, f"model/{path.name}")
    return archive.getvalue()


def _errors(project: Project, task: str, found: TrainingData, made: curve.ProjectCurve) -> None:
    """Draw what the newest model gets wrong: labels, confusions, sentences."""
    kind = tasks.get(task, project.labels[task])
    pairs = curve.predicted(task, found.scored, made.predictions)
    if not pairs:
        return
    result = agreement.agreement(kind, pairs)
    labels, confused = st.columns(2, gap="large")
    with labels.expander("Score of each label"):
        by_label = [
            {"label": one.label, "in gold": one.count_a, "predicted": one.count_b, "F1": one.f1}
            for one in result.by_label
        ]
        st.dataframe(by_label, hide_index=True)
    with confused.expander("Confused most"):
        rows = [{"gold": one.a, "predicted": one.b, "times": one.count} for one in result.confused]
        st.dataframe(rows, hide_index=True)
    with st.expander("Sentences it gets most wrong"):
        st.dataframe(_worst(kind, pairs), hide_index=True)
    with st.expander(f"One of the {project.kind}, before and after"):
        _before_and_after(task, found, made)


def _before_and_after(task: str, found: TrainingData, made: curve.ProjectCurve) -> None:
    test = {one.id: one for one in found.scored if one.id in made.predictions and one.id in made.before}
    if not test:
        st.caption("Train once more to see it.")
        return
    chosen = test[
        st.selectbox(
            "Of the test set" if found.test else "Of the shots",
            list(test),
            format_func=lambda one: textwrap.shorten(view.text(test[one]), 90),
        )
    ]
    versions = {
        "gold": content.annotation_of(task, chosen),
        "zero-shot": made.before[chosen.id],
        "now": made.predictions[chosen.id],
    }
    st.dataframe(adjudication.beside(versions, getattr(chosen, "words", ())), hide_index=True)


def _worst(kind: tasks.Task[Any], pairs: list[tuple[Any, Any]]) -> list[dict[str, Any]]:
    scored = [(kind.metrics(kind.counts(gold, predicted))[kind.metric], gold, predicted) for gold, predicted in pairs]
    worst = sorted(scored, key=lambda row: row[0])[:WORST]
    return [
        {
            "score": round(score, 1),
            "text": getattr(gold, "text", gold.id),
            "differs": curve.differences(kind, gold, predicted),
        }
        for score, gold, predicted in worst
    ]


@st.fragment(run_every=2.0)
def _label_the_rest(project: Project, task: str, model: str) -> None:
    """Offer to label what nobody has annotated with a model, and the file of the last time."""
    if not frame.may_curate():
        return
    unfinished = jobs.show(project, "predict")
    made = frame.store().labelled_file(project.id, task)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not any(task == queue.subject(job) for job in unfinished) and st.button(
            "Label the rest", help=f"The newest model labels all {project.kind} of the pool that nobody has annotated."
        ):
            queue.start(frame.store(), project.id, "predict", {"task": task, "model": model})
            st.rerun(scope="fragment")
        if made:
            _labelled_file(project, task, Path(made.path), made.examples)


def _labelled_file(project: Project, task: str, path: Path, count: int) -> None:
    what = f"{count:,} {project.kind}, labelled by a model"
    if not path.is_file():
        st.caption(f"{what}, are on the machine that did it: {path}")
        return
    name = f"{frame.file_name(project)}-{task}-labelled{path.suffix}"
    st.download_button("Labelled", path.read_bytes, name, on_click="ignore", icon=frame.DOWNLOAD)
    st.caption(what)


@st.fragment(run_every=2.0)
def _simulate(project: Project, task: str) -> None:
    """Draw the button, or the job that it started."""
    if not frame.may_curate():
        return
    if any(job.args["task"] == task for job in jobs.show(project, "simulate")):
        return
    help_ = (
        f"What {project.sampler} draws, up to {simulation.AHEAD} rounds ahead, with the labels that came with "
        f"{project.source}: what to expect of annotation without mistakes. Goes on where it was stopped."
    )
    if st.button("Simulate with gold labels", help=help_):
        queue.start(frame.store(), project.id, "simulate", {"task": task})
        st.rerun(scope="fragment")
