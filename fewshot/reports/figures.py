"""Heat maps of points gained and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from fewshot.reports.page import styled


def heat_map(rows: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> go.Figure:
    """Draw a table of points, gains blue and losses red, each number in its cell.

    Args:
        rows: points by name of the row, the first at the top; None leaves a cell empty.
        columns: their names.
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
