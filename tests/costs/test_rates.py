"""Prices: embedded, overridden, refused."""

import pytest

from fewshot import tasks
from fewshot.costs import rates
from fewshot.errors import FewshotError


def test_every_task_has_a_price_with_a_source_in_its_own_unit():
    prices = rates.load().annotation
    for task in tasks.registry().values():
        assert prices[task.name].unit == task.unit
        assert prices[task.name].source


def test_published_prices():
    prices = rates.load().annotation
    assert prices["pos"].dollars == 0.05 / 10  # Hovy et al. 2014
    assert prices["ner"].dollars == 0.06  # Bontcheva et al. 2017


def test_minutes_follow_from_the_wage():
    rate = rates.AnnotationRate("token", 0.01, 12.0, "")
    assert rate.minutes(100) == pytest.approx(5)  # $1 at $12 an hour


def test_energy_counts_cooling():
    assert rates.ComputeRate(1, 1000, "").kwh(3600) == pytest.approx(1.58)


def test_a_file_of_the_user_overrides_a_part(tmp_path):
    (tmp_path / "my.toml").write_text("[pos]\ndollars = 0.02\n")
    mine, default = rates.load(tmp_path / "my.toml"), rates.load()
    assert mine.annotation["pos"].dollars == 0.02
    assert mine.annotation["pos"].wage == default.annotation["pos"].wage
    assert mine.compute == default.compute


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[pos]\ndollars = -1\n", "dollars = -1 must be a number"),
        ("[pos]\ndollars = 'one'\n", "must be a number"),
        ("[pos]\nwage = 0\n", "wage = 0 must be a number"),
        ("[pos]\nprice = 1\n", "must hold exactly"),
        ("pos = 3\n", "must be a table"),
        ("[pos\n", "not valid TOML"),
    ],
)
def test_bad_rates_are_refused_with_the_file_name(tmp_path, text, message):
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(FewshotError, match=message) as error:
        rates.load(path)
    assert str(path) in str(error.value)
