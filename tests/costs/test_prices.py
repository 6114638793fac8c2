import re

import pytest

from fewshot import tasks
from fewshot.costs import prices as rates
from fewshot.errors import FewshotError


def test_minutes_follow_from_the_wage_and_energy_from_watts_and_cooling():
    prices = rates.Rates({"pos": tasks.Price("token", 0.01, 12.0, "")}, {})
    assert prices.price_annotation("pos", {"token": 100, "sentence": 9}) == pytest.approx((5, 1))  # $1 at $12 an hour
    assert rates.ComputeRate(1, 1000, "").kwh(3600) == pytest.approx(1.58)


def test_price_for_what_cannot_be_counted_is_refused(tmp_path):
    (tmp_path / "my.toml").write_text("[ner]\nunit = 'hour'\n")
    with pytest.raises(FewshotError, match="ner labels is for a unit 'hour'; give one for 'token' or 'sentence'"):
        rates.load(tmp_path / "my.toml").price_annotation("ner", {"token": 118, "sentence": 10})
    with pytest.raises(FewshotError, match=r"no price of sentiment labels; add a \[sentiment\] table"):
        rates.load().price_annotation("sentiment", {"item": 1})


def test_a_file_of_the_user_overrides_a_part(tmp_path):
    (tmp_path / "my.toml").write_text("\ufeff[pos]\ndollars = 0.02\n", encoding="utf-8")  # as Notepad writes it
    mine, default = rates.load(tmp_path / "my.toml"), rates.load()
    assert mine.annotation["pos"].dollars == 0.02
    assert mine.annotation["pos"].wage == default.annotation["pos"].wage
    assert mine.compute == default.compute


def test_tokens_of_a_language_model_are_paid_by_the_million_at_a_price_with_a_month_and_a_source(tmp_path):
    (tmp_path / "my.toml").write_text('[llm."a/b:7"]\ninput = 2\noutput = 10\ndate = "2026-11"\nsource = "mine"\n')
    mine, embedded = rates.load(tmp_path / "my.toml"), rates.load().language_models
    assert mine.price_answers("a/b:7", rates.REMOTE, 500_000, 100_000, 9) == pytest.approx(1 + 1)
    assert mine.describe_tokens("a/b:7") == ["a/b:7: $2 for a million tokens read, $10 written (2026-11). mine"]
    for price in embedded.values():
        assert re.fullmatch(r"20\d\d-\d\d", price.date) and price.source
        assert 0 < price.input < price.output


def test_a_language_model_without_a_price_is_paid_by_its_time_here_and_refused_elsewhere():
    prices = rates.load()
    assert prices.price_answers("unknown", "cpu", 10**9, 10**9, 3600) == prices.compute["cpu"].dollars_per_hour
    assert prices.describe_tokens("unknown") == []
    with pytest.raises(FewshotError, match=r'no price of unknown; add a table \[llm."unknown"\] with input and output'):
        prices.price_answers("unknown", rates.REMOTE, 1, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[llm.a]\ninput = 1\n", "must hold exactly input, output, date, source"),
        ("[llm.a]\ninput = 1\noutput = 1\ndate = 2026-11-01\nsource = 'x'\n", "date = .* must be a text"),
        ("llm = 3\n", "must be a table"),
        ("[pos]\ndollars = -1\n", "dollars = -1 must be a number"),
        ("[pos]\nwage = 0\n", "wage = 0 must be a number"),
        ("[pos]\ndollars = inf\n", "dollars = inf must be a number of dollars or watts below 1,000,000,000$"),
        (f"[pos]\ndollars = 1{'0' * 400}\n", "dollars = 10+ must be a number"),
        ("[pos]\nprice = 1\n", "must hold exactly"),
        ("[pos\n", "not valid TOML"),
    ],
)
def test_bad_rates_are_refused_with_the_file_name(tmp_path, text, message):
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(FewshotError, match=message) as error:
        rates.load(path)
    assert str(path) in str(error.value)
