"""Pages of tables and figures."""

import re

import plotly.graph_objects as go

from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables, write

TABLE = Table("Scores", ("language", "score"), (("<b>ja", "1.5"),))


def page(tmp_path, figures=(), **given):
    sections = figures_and_tables(dict(figures), [TABLE])
    write(Page("Title", "Found.", sections, ["A note."], {"Run": {"device": "cpu"}}, **given), tmp_path / "x.html")
    return (tmp_path / "x.html").read_text(encoding="utf-8")


def test_a_page_without_figures_carries_no_plotly(tmp_path):
    text = page(tmp_path, commands=["fewshot x"])
    assert "&lt;b&gt;ja" in text and "fewshot x" in text and len(text) < 20_000


def test_figures_are_drawn_under_their_titles_from_the_file_alone(tmp_path):
    figure = style_figure(go.Figure(go.Scatter(x=[1], y=[2], name="</script>")), "layer", "score")
    text = page(tmp_path, figures={"By layer": figure, "Again": figure})
    assert re.findall(r'id="figure-(\d)"[^>]*aria-label="([^;]*);', text) == [("1", "By layer"), ("2", "Again")]
    assert text.count('"text":"layer"') == 2 and '"name":"</script>"' not in text
    assert "<script src" not in text and "<link" not in text
