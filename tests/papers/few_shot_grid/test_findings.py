from dataclasses import replace

import pytest
from making import result
from scipy import stats

from fewshot.costs import prices as rates
from fewshot.curves.points import curves
from fewshot.papers.few_shot_grid.findings import Lead, best, common, leads, mean_curve, over_k, widening

RATES = rates.load()


def curve(scores, tokens, half=0.0, sampler="random", **changes):
    """A curve of one language from scores and tokens by k."""
    changes = {"seconds": 0, **changes}
    runs = [
        result(k, score, sampler, tokens=tokens[k], low=score - half, high=score + half, **changes)
        for k, score in scores.items()
    ]
    return curves(runs, RATES)[0]


RANDOM = curve({0: 30, 10: 60, 50: 70}, {0: 0, 10: 100, 50: 400})


def test_a_lead_at_equal_sentences_is_a_difference_and_nothing_is_read_off_beyond_the_last_point():
    longest = curve({0: 30, 10: 66, 50: 71}, {0: 0, 10: 400, 50: 1600}, sampler="longest")
    assert leads([longest], [RANDOM], "k") == {10: Lead(6, 0), 50: Lead(1, 0)}
    assert leads([longest], [RANDOM], "tokens") == {10: Lead(-4, 0), 50: None}
    assert leads([longest, RANDOM], [RANDOM, RANDOM], "tokens")[50] is None  # nor where one language is beyond


def test_tokens_between_two_points_are_read_off_an_axis_of_square_roots():
    sampler = curve({0: 30, 10: 50, 50: 60}, {0: 0, 10: 25, 50: 225}, sampler="shortest")
    found = leads([sampler], [RANDOM], "tokens")
    assert found[10].points == pytest.approx(50 - (30 + 60) / 2)  # the root of 25 is half that of 100
    assert found[50].points == pytest.approx(60 - (60 + 70) / 2)  # that of 225 is half-way from 10 to 20


def test_trees_are_paid_by_the_sentence_and_entities_too():
    longest = curve({0: 30, 10: 66, 50: 71}, {0: 0, 10: 400, 50: 1600}, sampler="longest", task="dep", seconds=99)
    base = curve({0: 30, 10: 60, 50: 70}, {0: 0, 10: 100, 50: 400}, task="dep")
    found = leads([longest], [base], "annotation")
    assert [lead.points for lead in found.values()] == pytest.approx([6, 1])


def test_leads_are_means_over_languages_and_their_intervals_shrink():
    one = [curve({0: 30, 10: score}, {0: 0, 10: 9}, half=3, sampler="longest") for score in (60, 70)]
    other = [curve({0: 30, 10: 50}, {0: 0, 10: 9}, half=4) for _ in one]
    (lead,) = leads(one, other, "k").values()
    assert (lead.points, lead.half) == pytest.approx((15, 5 / 2**0.5))
    assert lead.is_sure and not Lead(-1, 2).is_sure and Lead(-3, 2).is_sure
    assert over_k({10: lead, 50: None, 100: Lead(5, 0)}, [10, 100]) == Lead(10, pytest.approx(2.5 / 2**0.5))
    assert over_k({10: None}, []) is over_k({10: lead, 50: None}, [10, 50]) is None


def test_samplers_are_compared_at_the_k_that_all_have():
    one, other = {10: Lead(1, 0), 50: Lead(9, 0)}, {10: Lead(2, 0), 50: None}
    ks = common({"shortest": one, "longest": other, "none": {10: None, 50: None}})
    assert ks == (10,) and over_k(one, ks) == Lead(1, 0)
    assert common({"shortest": one}) == (10, 50)
    assert common({"shortest": {10: Lead(1, 0), 50: None}, "longest": {10: None, 50: Lead(1, 0)}}) == ()
    assert common({"none": {10: None}}) == common({}) == ()


def test_nothing_is_read_off_an_axis_that_does_not_rise():
    free = replace(RANDOM, points=tuple(replace(point, annotation=0.0) for point in RANDOM.points))
    assert leads([free], [free], "annotation") == {10: None, 50: None}
    assert leads([free], [free], "k") == {10: Lead(0, 0), 50: Lead(0, 0)}


def test_the_best_of_several_samplers_is_in_doubt_for_longer():
    assert widening(2, [RANDOM]) == 1
    assert widening(3, [RANDOM]) == pytest.approx(stats.norm.isf(0.025 / 3) / stats.norm.isf(0.025), rel=1e-6)
    points = tuple(replace(point, shot_sets=n) for point, n in zip(RANDOM.points, (1, 2, 3), strict=True))
    ratio = stats.t(1).isf(0.025 / 3) / stats.t(1).isf(0.025)
    assert widening(3, [RANDOM, replace(RANDOM, points=points)]) == pytest.approx(ratio)


def test_the_mean_of_languages_is_of_every_column():
    first = curve({0: 30, 10: 60}, {0: 0, 10: 100}, half=3, shot_set=0)
    second = curve({0: 50, 10: 70}, {0: 0, 10: 300}, half=4)
    start, point = mean_curve([first, second], "random").points
    assert (start.score, point.score, point.gain, point.tokens) == (40, 65, 25, 200)
    assert point.dollars == pytest.approx((first.points[1].dollars + second.points[1].dollars) / 2)
    assert (point.low, point.high) == (62.5, 67.5) and (point.runs, point.shot_sets) == (2, 1)


def test_the_best_sampler_is_named_with_its_distance_to_the_next():
    assert best({"longest": Lead(2, 1), "shortest": Lead(-3, 1)}, "random") == ("longest", "random", Lead(2, 1))
    assert best({"longest": Lead(-2, 1), "shortest": Lead(-3, 1)}, "random") == ("random", "longest", Lead(2, 1))
    assert best({"longest": Lead(9, 3), "shortest": Lead(8, 4)}, "random") == ("longest", "shortest", Lead(1, 5))
    assert best({"longest": None, "shortest": Lead(-3, 1)}, "random") == ("random", "shortest", Lead(3, 1))
    assert best({"longest": None}, "random") is None

    (_, _, lead) = best({"longest": Lead(0, 1)}, "random")
    assert f"{lead.points:.1f}" == "0.0" and not lead.is_sure
