from dataclasses import replace

import pytest
from making import examples

from fewshot import tasks
from fewshot.transfer import lauscher

TARGETS = {
    "pos": (70.74, 80.59, 85.73, 87.51, 91.49, 92.87),
    "dep": (56.22, 67.40, 73.77, 76.08, 81.43, 83.66),
    "ner": (77.79, 86.15, 89.09, 90.06, 91.64, 92.61),
}
"""Means of table 5 over the 12 targets at k = 0, 10, 50, 100, 500, 1000, computed apart from the code."""


def test_every_figure_of_the_three_tables_is_there():
    found = lauscher.figures()
    assert [sum(key[0] == table for key in found) for table in (1, 4, 5)] == [91, 78, 360]
    assert found[1, "nli", "XLM-R", "", "ur", 0] == -17.3
    assert found[4, "qa", "XLM-R", "random", "", 10] == 55.78
    assert found[5, "qa", "mBERT", "random", "ar", 8] == 48.21


@pytest.mark.parametrize("task", TARGETS)
def test_means_and_leads_leave_english_out(task):
    ks = (0, 10, 50, 100, 500, 1000)
    assert [round(lauscher.mean(task, "random", k), 2) for k in ks] == list(TARGETS[task])
    assert lauscher.gain(task, "random", 10) == pytest.approx(TARGETS[task][1] - TARGETS[task][0], abs=0.01)
    figures = lauscher.figures().items()
    table_4 = {key[3]: value for key, value in figures if key[:3] == (4, task, "mBERT") and key[5] == 10}
    for name in ("shortest", "longest"):
        assert lauscher.lead(task, name, "random", 10) * 12 / 13 == pytest.approx(table_4[name] - table_4["random"])


def test_a_mean_of_some_languages_and_of_none():
    assert lauscher.mean("pos", "random", 10, ["ja", "sv"]) == pytest.approx((81.67 + 88.41) / 2)
    assert lauscher.mean("dep+upos", "random", 10) == lauscher.mean("dep", "random", 10)
    assert lauscher.mean("topic", "random", 10) is lauscher.mean("pos", "entropy", 10) is None
    assert lauscher.mean("pos", "random", 20) is lauscher.gain("pos", "random", 20) is None


@pytest.mark.parametrize("task", lauscher.METRICS)
def test_the_paper_s_metrics_are_among_ours(task):
    ours = tasks.get(task)
    gold = examples(ours.example.kind, 1, seed=0)[0]
    if task == "nli":
        gold = replace(gold, label=ours.labels[0])
    assert ours.metrics(ours.counts(gold, gold))[lauscher.metric(task)] == 100
