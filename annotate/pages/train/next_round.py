"""Forecast of the next round, and its price with other samplers."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from annotate.components import frame, terms
from annotate.language import _, figures, written
from annotate.rounds import curve
from annotate.rounds.draw import candidates, mean_lengths, next_seed
from annotate.store import Project
from fewshot.curves import advice

MAX_POOL = 100_000
"""Pool size from which the price with other samplers is not computed, because drawing takes too long."""


def show(project: Project, made: curve.ProjectCurve, price: float | None) -> None:
    """Draw whether the next round is worth its price."""
    left = _left(project.id, project.created, project.pool_size, len(frame.store().rounds(project.id)))
    coming = _worth(project, made, price, min(project.k, left)) if left else None
    if not coming:
        st.caption(_("Every example of the pool is drawn. You can add more text on the page *Data & export*."))
    if not curve.beats_zero_shot(made.curve):
        message = _(
            "For now, use the source model, which also makes the suggestions: the newest model is "
            "not better by a standard error."
        )
        st.info(message)
    if coming:
        _by_sampler(project, made, coming)


def _worth(project: Project, made: curve.ProjectCurve, price: float | None, k: int) -> advice.NextRound:
    """Draw the forecast of a round of k and return it."""
    box, limit = st.columns([4, 1], vertical_alignment="center")
    threshold = limit.number_input(_("Minimum gain of a round (points)"), 0.1, 20.0, advice.MIN_GAIN, 0.5)
    each = advice.price_per_example(made.curve) if price is None else price
    advised = advice.advise(made.curve, [made.curve.points[-1].k + k], each, threshold, project.kind)
    coming = advised.rounds[0]
    cost = frame.money(coming.dollars, project.currency)
    text = _(
        "The next round of {things} is expected to bring **{gain}** points for **{cost}** (80%: {low} to {high}).",
        things=terms.counted(coming.size, project.kind), cost=cost,
        gain=written(coming.gain, 1), low=written(coming.low, 1), high=written(coming.high, 1),
    )  # fmt: skip
    chance = {"least": figures(f"{threshold:g}"), "chance": f"{coming.sure:.0%}"}
    if advised.go_on is None:
        last = made.curve.points[-1]
        between = {"low": f"{last.low:.0f}", "high": f"{last.high:.0f}"}
        box.info(
            _(
                "No advice: the test set is too small; the true score may lie anywhere between {low} and {high}.",
                **between,
            )
        )
    elif advised.go_on:
        box.success(text + " " + _("Continue: the probability of a gain above {least} is {chance}.", **chance))
    else:
        box.warning(text + " " + _("Stop: the probability of a gain above {least} is only {chance}.", **chance))
    return coming


def _by_sampler(project: Project, made: curve.ProjectCurve, coming: advice.NextRound) -> None:
    """Draw the price of the next round with each passive sampler."""
    price = coming.dollars / coming.size / made.curve.per_example("tokens")  # of a token
    if not price or project.pool_size > MAX_POOL:
        return
    lengths = _lengths(project.id, coming.size, next_seed(frame.store(), project))
    if not lengths:
        return
    with st.expander(_("The price of the next round with another sampler")):
        rows = [
            {
                _("sampler"): name,
                _("mean tokens"): round(length, 1),
                _("price"): frame.money(coming.size * length * price, project.currency),
                _("points, borrowed"): figures(f"{coming.gain:.1f} [{coming.low:.1f}, {coming.high:.1f}]"),
            }
            for name, length in lengths.items()
        ]
        st.dataframe(rows, hide_index=True)
        about = _(
            "The next {things} of each sampler, at {price} for 1,000 tokens. The expected points are "
            "those of the curve, since the gain of another sampler is unknown.",
            things=terms.kind(project.kind), price=frame.money(1000 * price, project.currency),
        )  # fmt: skip
        st.caption(about)


@st.cache_data(max_entries=100, show_spinner=False)
def _left(project_id: int, created: datetime, size: int, rounds: int) -> int:
    """Return how many examples of a pool are not drawn after some rounds."""
    store = frame.store()
    return len(candidates(store, store.project(project_id), "pool"))


@st.cache_data(max_entries=100, show_spinner=False)
def _lengths(project_id: int, k: int, seed: int) -> dict[str, float]:
    """Return the lengths of the examples that would be drawn next."""
    return mean_lengths(frame.store(), frame.store().project(project_id), k, seed)
