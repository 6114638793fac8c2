import re
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from making import result
from rich.console import Console

from fewshot.costs import prices as rates
from fewshot.curves.points import curves
from fewshot.reports import learning_curves, page, tables
from fewshot.reports.figures import style_figure

LABEL = "POS accuracy (%)"


@pytest.fixture
def made():
    runs = [result(0, 30.04), result(10, 60, tokens=200), result(10, 62, tokens=200, shot_set=1), result(50, 70)]
    return curves([*runs, result(10, 25, "<longest>")], rates.load())


def written(made, tmp_path, commands=("fewshot run --k 10",), **changes):
    values = {"title": "ja: POS", "headline": "h", "metric": LABEL, "kind": "sentences", "findings": []}
    values |= {"facts": {"Data": {"source": "a < b"}}, "shots": {"random, shot set 0": ["ja-1", "ja-2"]}}
    values |= {"prices": ["annotation: $0.005"], "commands": [*commands], "notes": ["a note"]}
    page.write(learning_curves.make_page(made, **values, **changes), tmp_path / "report.html")
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def test_page_holds_every_number_needs_no_network_and_cannot_be_broken_by_names(made, tmp_path):
    html = written(made, tmp_path, commands=["fewshot </code><script>alert(1)</script>"])
    for curve in made:
        for point in curve.points:
            assert f"<td>{point.score:.1f}</td>" in html
            assert f"<td>{point.low:.1f} – {point.high:.1f}</td>" in html
    assert f"<td>{made[0].points[1].dollars_per_point:.3f}</td>" in html
    outside = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert not re.search(r"(?:src|href)\s*=", outside)
    assert "Plotly.newPlot" in html
    assert "<script>alert" not in html
    assert "&lt;longest&gt;" in html
    assert "XLM-R" not in html  # of further commands
    assert "fewshot run --model big" in written(made, tmp_path, further=["fewshot run --model big"])


def test_headline_says_what_was_bought_and_owns_up_to_a_loss_and_to_noise(made):
    def said(*runs):
        return learning_curves.headline(curves(runs, rates.load()), "ja", "sentences", LABEL)

    assert re.fullmatch(
        r"10 ja sentences \(200 tokens, \$1\.00\) lift POS accuracy from 30\.0 to 61\.0: \$0\.032 a point\.",
        learning_curves.headline(made, "ja", "sentences", LABEL),
    )
    zero = result(0, 30)
    assert said(zero) == "Without labelled ja sentences, POS accuracy is 30.0."
    assert "do not help" in said(zero, result(10, 29))
    assert said(zero, result(10, 29), result(50, 40)).startswith("50 ja sentences")
    assert said(zero, result(1, 31)).startswith("1 ja sentence (100 tokens, $0.50) lifts POS accuracy")
    assert "the intervals overlap" in said(zero, result(10, 31, low=28, high=34))
    assert "the intervals overlap" not in said(zero, result(10, 40))


def test_one_shot_set_is_owned_up_to(made):
    (line,) = learning_curves.one_draw(made)
    assert line.startswith("One shot set of random, <longest>: the intervals include the noise of the test set")
    two = [result(0, 30), result(10, 60), result(10, 62, shot_set=1)]
    assert learning_curves.one_draw(curves(two, rates.load())) == []


def printed(made):
    console = Console(width=80)
    with console.capture() as captured:
        console.print(tables.terminal_table(made, LABEL))
    return captured.get()


def test_terminal_table_fits_80_columns_shows_zero_shot_once_and_figures_whole_beside_long_names(made):
    text = printed(made)
    assert text.count("zero-shot") == 1
    assert max(map(len, text.splitlines())) <= 80
    long = [replace(one, name=f"SmolLM2-135M-Instruct.Q4_1 {one.name}", group=str(n)) for n, one in enumerate(made)]
    for shown in (text, printed(long)):
        assert "…" not in shown
        for point in (point for curve in made for point in curve.points):
            assert f"{point.score:.1f}" in shown and f"[{point.low:.1f}, {point.high:.1f}]" in shown


TABLE = page.Table("Scores", ("language", "score"), (("<b>ja", "1.5"),))


def with_figures(tmp_path, figures=(), **given):
    sections = page.figures_and_tables(dict(figures), [TABLE])
    page.write(
        page.Page("Title", "Found.", sections, ["A note."], {"Run": {"device": "cpu"}}, **given), tmp_path / "x.html"
    )
    return (tmp_path / "x.html").read_text(encoding="utf-8")


def test_a_page_without_figures_carries_no_plotly(tmp_path):
    text = with_figures(tmp_path, commands=["fewshot x"])
    assert "&lt;b&gt;ja" in text and "fewshot x" in text and len(text) < 20_000


def test_figures_are_drawn_under_their_titles_from_the_file_alone(tmp_path):
    figure = style_figure(go.Figure(go.Scatter(x=[1], y=[2], name="</script>")), "layer", "score")
    text = with_figures(tmp_path, figures={"By layer": figure, "Again": figure})
    assert re.findall(r'id="figure-(\d)"[^>]*aria-label="([^;]*);', text) == [("1", "By layer"), ("2", "Again")]
    assert text.count('"text":"layer"') == 2 and '"name":"</script>"' not in text
    assert "<script src" not in text and "<link" not in text
