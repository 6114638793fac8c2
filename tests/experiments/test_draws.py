"""Shots that somebody else has drawn."""

from fewshot.experiments.draws import Given
from fewshot.experiments.plan import Condition


def test_a_condition_has_the_first_shots():
    assert Given(["a", "b", "c"]).of(Condition("random", 2, 0, 0)) == ["a", "b"]
