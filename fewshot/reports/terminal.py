"""The table of curves for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from fewshot.curves.points import Curve, Point


def make_table(curves: Sequence[Curve], metric_label: str) -> Table:
    """Return a table with one row for each point; a zero-shot point that curves share is shown once."""
    drawn = Table(title=metric_label, title_justify="left", title_style="bold", box=None, pad_edge=False)
    drawn.add_column("", overflow="fold")  # long names wrap, so that no number is cut
    for name in ("k", "score", "95%", "gain", "tokens", "$", "$/point"):
        drawn.add_column(name, justify="right", no_wrap=True)
    several = len({curve.group for curve in curves}) > 1
    seen: set[tuple[str, float]] = set()
    for curve in curves:
        for point in curve.points:
            if point.k == 0:
                if (curve.group, point.score) in seen:
                    continue
                seen.add((curve.group, point.score))
            start = f"{curve.group} zero-shot" if several else "zero-shot"
            drawn.add_row(curve.name if point.k else start, *_cells(point))
    return drawn


def _cells(point: Point) -> list[str]:
    interval = f"[{point.low:.1f}, {point.high:.1f}]"
    if not point.k:
        return ["0", f"{point.score:.1f}", interval, "", "0", "", ""]
    price = point.dollars_per_point
    return [
        str(point.k),
        f"{point.score:.1f}",
        interval,
        f"{point.gain:+.1f}",
        f"{point.tokens:.0f}",
        f"{point.dollars:.2f}",
        "–" if price is None else f"{price:.3f}",
    ]
