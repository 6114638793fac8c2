import json
from dataclasses import replace

import pytest
from experiments.planned import IN_ROUNDS, PRICED, RATES, LastFirst, of, prompted, timeless
from llm.scripted import asked, gold, response, serving

from fewshot import tasks
from fewshot.curves.points import curves
from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.experiments.run import execute
from fewshot.experiments.silver import SilverLabels
from fewshot.experiments.teacher import check_size, is_answered, label_pool, with_silver
from fewshot.llm.cache import ANSWERS, CapReachedError
from fewshot.llm.client import ServerError

POS = tasks.get("pos")


def script(corpus, never=lambda question: False, sure=None):
    """All words are tagged X; some questions never get a whole answer; how sure the model is, by question."""
    answers = gold(POS, corpus.pool)
    for answer in answers.values():
        for row in answer["words"]:
            row["upos"] = "X"

    def respond(request, _):
        question = asked(request)
        rows = answers[question]["words"]
        body = response(json.dumps({"words": rows[:-1] if never(question) else rows}))
        if sure:
            body["choices"][0]["logprobs"] = {"content": [{"logprob": sure(question)}]}
        return body

    return respond


def labels(setup, server, folder, size=5, cap=100.0, at_once=1):
    of_server = replace(prompted(setup, server), at_once=at_once)
    return label_pool(of_server, size, folder, PRICED, cap, None, "")


def test_labels_are_of_the_pool_and_never_of_shots_or_the_test_set(setup, tmp_path):
    with serving(script(setup.corpus)) as server:
        silver = labels(setup, server, tmp_path)
        questions = {asked(request) for request in server.requests}
        turns = {turn["content"] for request in server.requests for turn in request["messages"]}
    assert not turns & set(gold(POS, setup.corpus.test))
    assert questions <= set(gold(POS, setup.corpus.pool))
    assert len(silver.labelled) == 2 * 2 * 2  # k, samplers, shot sets
    for cell, labelled in silver.labelled.items():
        shots = {shot.id for shot in setup.shots.for_cell(cell)}
        assert len(labelled.examples) == 5
        assert not shots & {example.id for example in labelled.examples}
        assert {tag for example in labelled.examples for tag in example.upos} == {"X"}


def test_score_and_bill_are_as_by_hand(setup, tmp_path):
    refused = list(gold(POS, setup.corpus.pool))[::4]
    with serving(script(setup.corpus, refused.__contains__)) as server:
        silver = labels(setup, server, tmp_path / "llm")
    experiment = with_silver(prompted(setup, server), silver)
    assert experiment.silver_labels(setup.cells[0]) == SilverLabels()  # zero-shot learns nothing
    results = execute(experiment, tmp_path / "taught", PRICED)
    assert {one.run: one for one in read_results(tmp_path / "taught" / RESULTS)} == {one.run: one for one in results}
    for result in results[1:]:
        used = silver.labelled[replace_seed(experiment, result)]
        assert len(used.examples) == 5 - result.asked["refused"] == result.asked["kept"]
        answers = 5 + result.asked["refused"]  # asked twice
        assert (result.teacher, result.asked["answers"], result.asked["examples"]) == ("tiny", answers, 5)
        assert result.asked["input_tokens"] == 100 * answers
    assert any(result.asked["refused"] for result in results[1:])
    (random, longest) = curves(results, PRICED)
    for curve, sampler in ((random, "random"), (longest, "longest")):
        for point in curve.points[1:]:
            mine = [one for one in results if (one.sampler, one.k) == (sampler, point.k)]
            distinct = {frozenset(one.shots): one for one in reversed(mine)}.values()
            asking = sum(0.20 * one.asked["answers"] for one in distinct) / len(distinct)
            training = sum(RATES.compute["cpu"].dollars(one.seconds) for one in distinct) / len(distinct)
            assert point.compute == pytest.approx(asking + training)
            assert point.dollars == pytest.approx(asking + training + 0.005 * point.tokens)


def replace_seed(experiment, result):
    return next(
        one
        for one in experiment.silver.labelled
        if (one.sampler, one.k, one.shot_set) == (result.sampler, result.k, result.shot_set)
    )


def test_a_wrong_teacher_changes_the_model_and_one_that_says_nothing_does_not(setup, tmp_path):
    plain = execute(setup, tmp_path / "plain", RATES)
    with serving(script(setup.corpus)) as server:
        wrong = execute(
            with_silver(prompted(setup, server), labels(setup, server, tmp_path / "a")), tmp_path / "x", RATES
        )
    with serving(script(setup.corpus, lambda _: True)) as server:
        silent = execute(
            with_silver(prompted(setup, server), labels(setup, server, tmp_path / "b")), tmp_path / "y", RATES
        )
    scores = lambda results: [one.metrics for one in results]  # noqa: E731
    assert scores(plain) == scores(silent)
    assert scores(plain) != scores(wrong)
    assert {one.run for one in plain}.isdisjoint(one.run for one in silent)
    assert {one.asked["kept"] for one in silent if one.k} == {0}


def test_the_surest_are_kept_where_the_server_says_how_sure_it_is(setup, tmp_path):
    questions = list(gold(POS, setup.corpus.pool))
    sure = lambda question: -0.01 * questions.index(question)  # noqa: E731
    with serving(script(setup.corpus, sure=sure)) as server:
        silver = labels(setup, server, tmp_path, size=8)
    for labelled in silver.labelled.values():
        places = [questions.index(next(iter(gold(POS, [example])))) for example in labelled.examples]
        assert len(places) == 6
        assert places == sorted(places)


def test_the_cap_counts_the_answers_of_all_draws(setup, tmp_path):
    with serving(script(setup.corpus)) as server:
        with pytest.raises(CapReachedError):
            labels(setup, server, tmp_path, cap=1.9)
        assert len(server.requests) == 10


def test_a_run_that_was_killed_goes_on_to_the_same_results_whoever_carries_it_out(setup, tmp_path):
    right = script(setup.corpus)
    with serving(lambda request, number: right(request, number) if number < 7 else (500, {}, {})) as server:
        with pytest.raises(ServerError):
            labels(setup, server, tmp_path / "llm")
        assert not is_answered(prompted(setup, server), tmp_path / "llm", PRICED, 5)
        assert len((tmp_path / "llm" / ANSWERS).read_text().splitlines()) == 7
        server.script = right
        silver = labels(setup, server, tmp_path / "llm")
        experiment = with_silver(prompted(setup, server), silver)

    def stop(result):
        if result.k == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(experiment, tmp_path / "taught", RATES, on_result=stop)
    went_on = execute(experiment, tmp_path / "taught", RATES)
    whole = execute(experiment, tmp_path / "whole", RATES, workers=LastFirst())
    assert timeless(went_on) == timeless(whole)


def test_shots_of_rounds_are_those_that_the_untaught_model_chose(setup, tmp_path):
    experiment = of(setup, IN_ROUNDS)
    plain = execute(experiment, tmp_path / "encoder", RATES)
    with serving(script(setup.corpus)) as server:
        silver = labels(experiment, server, tmp_path / "llm")
    results = execute(with_silver(prompted(experiment, server), silver), tmp_path / "taught", RATES)
    assert [one.shots for one in results] == [one.shots for one in plain]


def test_a_pool_that_is_too_small_is_refused(setup):
    check_size(setup, 24)
    with pytest.raises(FewshotError, match="--silver 25: without 6 shots the pool has 24 sentences left"):
        check_size(setup, 25)
