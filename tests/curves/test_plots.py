from dataclasses import replace

import pytest
from making import result

from fewshot.costs import prices as rates
from fewshot.curves.advice import forecast
from fewshot.curves.compare import pareto
from fewshot.curves.plots import AXES, figure
from fewshot.curves.points import curves


@pytest.fixture
def drawn():
    runs = [result(0, 30), result(10, 60, low=58, high=62), result(100, 70), result(10, 50, "longest")]
    made = curves(runs, rates.load())
    return made, figure(made, "POS accuracy (%)")


def lines(fig):
    return [trace for trace in fig.data if trace.mode == "lines+markers"]


def test_one_line_and_band_a_sampler(drawn):
    made, fig = drawn
    assert [line.name for line in lines(fig)] == ["random", "longest"]
    assert list(lines(fig)[0].y) == [30, 60, 70]
    assert list(lines(fig)[0].x) == pytest.approx([0, 10**0.5, 10])
    assert len(fig.data) == 2 * len(made)
    points = made[0].points
    assert list(fig.data[0].y) == [*(p.high for p in points), *(p.low for p in reversed(points))]
    axis = fig.layout.xaxis
    assert list(axis.ticktext) == ["0", "10", "100"]
    assert [value**2 for value in axis.tickvals] == pytest.approx([0, 10, 100])
    assert len(figure(made[:1], "POS accuracy (%)", front=True).data) == 2  # one curve has no front
    zero_shot = curves([result(0, 30)], rates.load())
    assert len(figure(zero_shot, "POS accuracy (%)", ahead=True).data) == 2  # and this no fitted curve


def test_buttons_put_every_point_at_its_value_on_each_axis(drawn):
    made, fig = drawn
    for button, axis in zip(fig.layout.updatemenus[0].buttons, AXES, strict=True):
        x = button.args[0]["x"][1::2]
        for curve, places in zip(made, x, strict=True):
            assert [place**2 for place in places] == pytest.approx([getattr(point, axis) for point in curve.points])
        assert button.args[1]["xaxis.title.text"] == f"{AXES[axis].format(kind='sentences')} (square-root scale)"


def test_a_simulated_curve_is_dashed_and_stands_on_no_axis_of_people(drawn):
    measured = drawn[0][0]
    gold = replace(measured, name="gold", simulated=True)
    fig = figure([measured, gold], "POS accuracy (%)", ahead=True)
    assert [line.line.dash for line in lines(fig)] == ["solid", "dash"]
    assert not any("min" in text for text in lines(fig)[1].text)
    for button, axis in zip(fig.layout.updatemenus[0].buttons, AXES, strict=True):
        x = button.args[0]["x"]
        assert len(x) == len(fig.data) == 2 + 2 + 3
        assert list(x[3]) == (list(x[1]) if axis in ("k", "tokens") else [])


def test_the_front_is_drawn_against_dollars_alone(drawn):
    made, _ = drawn
    fig = figure(made, "POS accuracy (%)", ahead=True, front=True)
    line = fig.data[-1]
    best = [point for _, point in pareto(made)]
    assert (line.name, line.line.dash, list(line.y)) == ("best for the money", "dot", [point.score for point in best])
    for button, axis in zip(fig.layout.updatemenus[0].buttons, AXES, strict=True):
        *others, places = button.args[0]["x"]
        *named, shown = button.args[0]["showlegend"]
        assert len(others) == len(named) == len(fig.data) - 1
        wanted = [point.dollars for point in best] if axis == "dollars" else []
        assert [place**2 for place in places] == pytest.approx(wanted)
        assert (shown, sum(named)) == (axis == "dollars", len(made))


def test_groups_have_one_colour_and_a_dash_for_each_of_their_curves():
    runs = [result(0, 30), result(10, 60), result(10, 50, "longest")]
    both = [one for group in ("ja", "sv") for one in curves(runs, rates.load(), group=group)]
    colours, dashes = zip(*((line.line.color, line.line.dash) for line in lines(figure(both, "x"))), strict=True)
    assert colours[0] == colours[1] != colours[2] == colours[3]
    assert dashes[0] == dashes[2] != dashes[1] == dashes[3]


def test_more_curves_than_colours_still_look_different():
    names = [f"s{number}" for number in range(12)]
    grouped = [one for name in names for one in curves([result(0, 30), result(10, 60)], rates.load(), group=name)]
    samplers = curves([result(0, 30), *(result(10, 60, name) for name in names)], rates.load())
    for made in (grouped, samplers):
        looks = {(line.line.color, line.line.dash) for line in lines(figure(made, "POS accuracy (%)"))}
        assert len(made) == len(looks) == 12


def test_fitted_curve_goes_on_dashed_to_the_next_rung_on_every_axis(drawn):
    made, _ = drawn
    fig = figure(made, "POS accuracy (%)", ahead=True)
    band, solid, dashed = fig.data[4:7]
    fit = forecast(made[0])
    assert dashed.line.dash == "dash"
    ends = [value**2 for value in (solid.x[0], solid.x[-1], dashed.x[0], dashed.x[-1])]
    assert ends == pytest.approx([10, 100, 100, 500])
    assert list(dashed.y) == list(fit.score[fit.measured :])
    assert list(band.y) == [*fit.high, *fit.low[::-1]]
    for button, axis in zip(fig.layout.updatemenus[0].buttons, AXES, strict=True):
        x = button.args[0]["x"]
        assert len(x) == len(fig.data)
        assert x[6][-1] ** 2 == pytest.approx(getattr(fit, axis)[-1])
    assert fig.layout.xaxis.ticktext[-1] == "500"


def test_names_are_no_markup_of_the_figure():
    made = curves([result(0, 30), result(10, 60)], rates.load(), group='<b>"R&D"</b>')
    (line,) = lines(figure(made, "POS accuracy (%)"))
    assert line.name == '&lt;b&gt;"R&amp;D"&lt;/b&gt; random'
    assert '<b>&lt;b&gt;"R' in line.text[1]
