"""The looks of all figures, and heat maps of points gained and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from fewshot.curves.plots import LOOKS


def styled(figure: go.Figure, x: str, y: str) -> go.Figure:
    """Give a figure the looks of all reports, on light and dark pages.

    Args:
        figure: changed in place, and returned.
        x: title of the horizontal axis.
        y: of the vertical one.
    """
    grid = {"gridcolor": "rgba(128,128,128,.2)", "zeroline": False}
    return figure.update_layout(LOOKS).update_xaxes(title=x, **grid).update_yaxes(title=y, **grid)


def heat_map(rows: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> go.Figure:
    """Draw a table of points, gains blue and losses red, each number in its cell.

    Args:
        rows: points by name of the row, the first at the top; None leaves a cell empty.
    """
    known = [abs(value) for line in rows.values() for value in line if value is not None]
    end = max([*known, 1.0])
    cells = go.Heatmap(
        z=[list(line) for line in rows.values()],
        x=list(columns),
        y=list(rows),
        zmin=-end,
        zmax=end,
        colorscale="RdBu",
        texttemplate="%{z:+.1f}",
        hovertemplate="%{y}, %{x}: %{z:+.1f} points<extra></extra>",
        hoverongaps=False,
        colorbar={"title": {"text": "points"}, "thickness": 14},
        xgap=2,
        ygap=2,
    )
    drawn = styled(go.Figure(cells), "", "")
    drawn.update_xaxes(type="category", showgrid=False)
    drawn.update_yaxes(type="category", autorange="reversed", showgrid=False, automargin=True)
    return drawn.update_layout(height=max(100 + 34 * len(rows), 200), margin={"b": 40, "t": 16})
