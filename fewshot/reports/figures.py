"""The common style of figures, and heat maps of gains and losses in points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from fewshot.curves.plots import LAYOUT


def style_figure(figure: go.Figure, x: str, y: str) -> go.Figure:
    """Apply the style of all reports to a figure, for light and dark pages, and return the figure."""
    grid = {"gridcolor": "rgba(128,128,128,.2)", "zeroline": False}
    return figure.update_layout(LAYOUT).update_xaxes(title=x, **grid).update_yaxes(title=y, **grid)


def draw_heat_map(rows: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> go.Figure:
    """Return a heat map with gains in blue, losses in red, and the number in each cell.

    Args:
        rows: points by name of the row, from the top; None leaves a cell empty.
    """
    limit = max([abs(value) for line in rows.values() for value in line if value is not None] + [1.0])
    cells = go.Heatmap(
        z=[list(line) for line in rows.values()],
        x=list(columns),
        y=list(rows),
        zmin=-limit,
        zmax=limit,
        colorscale="RdBu",
        texttemplate="%{z:+.1f}",
        hovertemplate="%{y}, %{x}: %{z:+.1f} points<extra></extra>",
        hoverongaps=False,
        colorbar={"title": {"text": "points"}, "thickness": 14},
        xgap=2,
        ygap=2,
    )
    drawn = style_figure(go.Figure(cells), "", "")
    drawn.update_xaxes(type="category", showgrid=False)
    drawn.update_yaxes(type="category", autorange="reversed", showgrid=False, automargin=True)
    return drawn.update_layout(height=max(100 + 34 * len(rows), 200), margin={"b": 40, "t": 16})
