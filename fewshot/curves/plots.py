"""Learning curves as Plotly figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from fewshot.curves.advice import Forecast, forecast
from fewshot.curves.compare import pareto
from fewshot.curves.points import Curve, Point

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#B8A000")
"""Colours of Okabe & Ito, which colour-blind readers can distinguish."""

LAYOUT = {
    "template": "plotly_white",
    "colorway": PALETTE,
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "font": {"family": "system-ui, sans-serif", "size": 14, "color": "#777"},
    "hovermode": "closest",
    "height": 480,
    "margin": {"l": 64, "r": 24, "t": 56, "b": 110},
    "legend": {"orientation": "h", "y": -0.22, "x": 0},
}
"""The layout of all figures, for light and dark pages."""

DASHES = ("solid", "dot", "dash", "dashdot")

AXES = {
    "k": "annotated {kind}",
    "tokens": "annotated tokens",
    "minutes": "minutes of annotation",
    "dollars": "cost",
}
"""Title of the horizontal axis by field of a point."""

SCALE = "square-root scale"
"""Remark in the title of an axis."""

HUMAN_AXES = ("minutes", "dollars")
"""The axes on which simulated curves are not shown."""


def figure(
    curves: Sequence[Curve],
    metric_label: str,
    kind: str = "sentences",
    ahead: bool = False,
    front: bool = False,
) -> go.Figure:
    """Return a figure of curves with 95% bands and buttons for the horizontal axis, see `AXES`.

    Positions on the horizontal axis are square roots, so that the first steps with the largest gains are not squeezed;
    ticks show true values.

    Args:
        metric_label: title of the score axis, for example ``POS accuracy (%)``.
        ahead: whether to draw the fitted curves with their 80% bands, dashed beyond the last point.
        front: whether to draw the Pareto front on the axis of dollars; requires several curves with one test set.
    """
    drawn = go.Figure()
    styles = _styles(curves)
    for curve, (colour, dash) in zip(curves, styles, strict=True):
        drawn.add_traces(_traces(curve, colour, dash))
    fitted = [forecast(curve) if ahead and not curve.simulated else None for curve in curves]
    for curve, fit, (colour, _) in zip(curves, fitted, styles, strict=True):
        if fit:
            drawn.add_traces(_fitted(curve, fit, colour))
    best = [point for _, point in pareto(curves)] if front and len(curves) > 1 else []
    if best:
        drawn.add_trace(_front(best))
    for score in sorted({curve.points[0].score for curve in curves if not curve.points[0].k}):
        drawn.add_hline(score, line={"dash": "dot", "width": 1, "color": "#888"})
    drawn.update_layout(
        LAYOUT,
        yaxis={"title": metric_label, "gridcolor": "rgba(128,128,128,.2)", "zeroline": False},
        xaxis=_axis(curves, fitted, "k", kind),
        updatemenus=[_buttons(curves, fitted, best, kind)],
    )
    return drawn


def _styles(curves: Sequence[Curve]) -> list[tuple[str, str]]:
    """Return colour and dash of each curve: a colour for each group, or for each curve of a single group.

    After the last colour the first one follows with the next dash.
    """
    groups = list(dict.fromkeys(curve.group for curve in curves))
    seen: Counter[str] = Counter()
    styles = []
    for number, curve in enumerate(curves):
        colour = groups.index(curve.group) if len(groups) > 1 else number
        dash = colour // len(PALETTE) + (seen[curve.group] if len(groups) > 1 else 0)
        styles.append((PALETTE[colour % len(PALETTE)], "dash" if curve.simulated else DASHES[dash % len(DASHES)]))
        seen[curve.group] += 1
    return styles


def _traces(curve: Curve, colour: str, dash: str) -> list[go.Scatter]:
    points = curve.points
    x = _places(curve, "k")
    band = go.Scatter(
        x=[*x, *x[::-1]],
        y=[*(point.high for point in points), *(point.low for point in points[::-1])],
        mode="lines",
        fill="toself",
        fillcolor=colour,
        opacity=0.15,
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        legendgroup=curve.name,
        name=f"{_shown_name(curve)} (95% interval)",
    )
    line = go.Scatter(
        x=x,
        y=[point.score for point in points],
        mode="lines+markers",
        line={"color": colour, "width": 2.5, "dash": dash},
        marker={"size": 8},
        name=_shown_name(curve),
        legendgroup=curve.name,
        text=[_hover(curve, point) for point in points],
        hovertemplate="%{text}<extra></extra>",
    )
    return [band, line]


def _fitted(curve: Curve, fit: Forecast, colour: str) -> list[go.Scatter]:
    """Return the band, the line up to the last point and the dashed line beyond it, as in `_fitted_x`."""
    end = fit.measured
    lines = [
        ([*fit.high, *fit.low[::-1]], {"width": 0}),
        (fit.score[:end], {"color": colour, "width": 1}),
        (fit.score[end:], {"color": colour, "width": 1.5, "dash": "dash"}),
    ]
    band = {"fill": "toself", "fillcolor": colour, "opacity": 0.08}
    return [
        go.Scatter(
            x=x,
            y=y,
            mode="lines",
            line=line,
            hoverinfo="skip",
            showlegend=False,
            legendgroup=curve.name,
            name=f"{_shown_name(curve)} (fitted, 80% band)",
            **({} if number else band),
        )
        for number, (x, (y, line)) in enumerate(zip(_fitted_x(fit, "k"), lines, strict=True))
    ]


def _fitted_x(fit: Forecast, axis: str) -> list[list[float]]:
    x = [value**0.5 for value in getattr(fit, axis)]
    return [[*x, *x[::-1]], x[: fit.measured], x[fit.measured :]]


def _front(best: Sequence[Point]) -> go.Scatter:
    """Return the line of the Pareto front, whose positions are set for the axis of dollars only."""
    return go.Scatter(
        x=[],
        y=[point.score for point in best],
        mode="lines",
        line={"dash": "dot", "color": "#888", "width": 2},
        hoverinfo="skip",
        showlegend=False,
        name="best for the money",
    )


def _shown_name(curve: Curve) -> str:
    """Return the name of a curve with its markup escaped; plotly reads names as HTML."""
    return escape(curve.name, quote=False)


def _hover(curve: Curve, point: Point) -> str:
    price = point.dollars_per_point
    lines = [
        f"<b>{_shown_name(curve)}</b>, k = {point.k}" if point.k else "<b>zero-shot</b>",
        f"{point.score:.1f} [{point.low:.1f}, {point.high:.1f}], gain {point.gain:+.1f}",
        f"{point.tokens:.0f} tokens"
        + ("" if curve.simulated else f", {point.minutes:.0f} min, {curve.currency}{point.dollars:.2f}"),
    ]
    if price is not None and not curve.simulated:
        lines.append(f"{curve.currency}{price:.3f} a point")
    return "<br>".join([*lines, f"runs: {point.runs}"])


def _values(curve: Curve, axis: str) -> list[float]:
    """Return the value of each point; an empty list if the curve is not shown on the axis."""
    return [] if curve.simulated and axis in HUMAN_AXES else [float(getattr(point, axis)) for point in curve.points]


def _places(curve: Curve, axis: str) -> list[float]:
    return [value**0.5 for value in _values(curve, axis)]


def _axis(curves: Sequence[Curve], fitted: Sequence[Forecast | None], axis: str, kind: str) -> dict[str, object]:
    ends = {round(getattr(fit, axis)[-1], 2) for fit in fitted if fit}
    values = sorted({value for curve in curves for value in _values(curve, axis)} | ends)
    ticks = _spread(values) if axis == "k" else _spread(_round_ticks(max(values, default=0.0)))
    signs = {curve.currency for curve in curves}
    sign = signs.pop() if axis == "dollars" and len(signs) == 1 else ""
    return {
        "title": {"text": _title(axis, kind)},
        "tickvals": [value**0.5 for value in ticks],
        "ticktext": [f"{sign}{value:g}" for value in ticks],
        "gridcolor": "rgba(128,128,128,.2)",
        "zeroline": False,
    }


def _title(axis: str, kind: str) -> str:
    return f"{AXES[axis].format(kind=kind)} ({SCALE})"


def _round_ticks(largest: float) -> list[float]:
    """Return 0 and the values 1, 2, 5, 10 ... times a power of ten up to the largest."""
    if largest <= 0:
        return [0.0]
    steps = [base * 10.0**power for power in range(-3, 8) for base in (1, 2, 5)]
    return [0.0] + [step for step in steps if largest / 200 <= step <= largest]


def _spread(values: Sequence[float]) -> list[float]:
    if not values:
        return []
    width = max(values) ** 0.5 or 1.0
    kept: list[float] = []
    for value in values:
        if not kept or (value**0.5 - kept[-1] ** 0.5) / width > 0.05:
            kept.append(value)
    return kept


def _buttons(
    curves: Sequence[Curve], fitted: Sequence[Forecast | None], best: Sequence[Point], kind: str
) -> dict[str, object]:
    named = [False, True] * len(curves) + [False] * 3 * sum(fit is not None for fit in fitted)
    buttons = []
    for axis in AXES:
        x: list[list[float]] = []
        for curve in curves:
            line = _places(curve, axis)
            x += [[*line, *line[::-1]], line]
        for fit in fitted:
            x += _fitted_x(fit, axis) if fit else []
        data: dict[str, object] = {"x": x}
        if best:
            x.append([point.dollars**0.5 for point in best] if axis == "dollars" else [])
            data["showlegend"] = [*named, axis == "dollars"]
        settings = _axis(curves, fitted, axis, kind)
        layout = {f"xaxis.{name}": value for name, value in settings.items() if name in ("tickvals", "ticktext")}
        layout |= {"xaxis.title.text": _title(axis, kind), "xaxis.autorange": True}
        label = {"k": kind, "dollars": "cost"}.get(axis, axis)
        buttons.append({"label": label, "method": "update", "args": [data, layout]})
    return {
        "type": "buttons",
        "direction": "right",
        "buttons": buttons,
        "x": 1,
        "xanchor": "right",
        "y": 1.02,
        "yanchor": "bottom",
        "showactive": True,
        "bgcolor": "rgba(128,128,128,.08)",
        "bordercolor": "rgba(128,128,128,.4)",
        "font": {"size": 13},
        "pad": {"t": 0, "b": 6},
    }
