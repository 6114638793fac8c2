import json
from dataclasses import replace

import pytest
from experiments.planned import IN_ROUNDS, PLAN, PRICED, RATES, of, prompted, timeless
from llm.scripted import asked, gold, response, serving

from fewshot import tasks
from fewshot.curves.points import curves
from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.experiments import plan_file
from fewshot.experiments.draws import Draws
from fewshot.experiments.language_model import PROMPT_FILE, execute_prompted
from fewshot.experiments.run import execute
from fewshot.llm.cache import ANSWERS, CapReachedError

POS = tasks.get("pos")


def erring(corpus, wrong=(), refused=()):
    """A script: the first word of some test sentences gets a wrong tag, others never get a whole answer."""
    answers = gold(POS, corpus.test)
    questions = list(answers)
    for place in wrong:
        row = answers[questions[place]]["words"][0]
        row["upos"] = "X"
    for place in refused:
        answers[questions[place]]["words"].pop()
    return lambda request, _: response(json.dumps(answers[asked(request)]))


def test_score_bill_and_refusals_are_as_by_hand(setup, tmp_path):
    test = setup.corpus.test
    sizes = [len(sentence.words) for sentence in test]
    with serving(erring(setup.corpus, wrong=(0, 1, 2), refused=(3, 4))) as server:
        results = execute_prompted(prompted(setup, server), tmp_path, PRICED, cap=100.0)
    assert [(one.k, one.sampler, one.shot_set, one.seed) for one in results] == [
        (0, "", 0, 0),
        *((k, sampler, number, 0) for k in (3, 6) for number in (0, 1) for sampler in ("random", "longest")),
    ]
    right = sum(sizes) - 3 - sizes[3] - sizes[4]
    for result in results:
        assert result.score == pytest.approx(100 * right / sum(sizes))
        assert result.low < result.score < result.high
        assert result.asked == {
            "answers": 17, "input_tokens": 1700, "output_tokens": 170, "examples": 15, "refused": 2,
        }  # fmt: skip
        assert (result.method, result.model) == ("prompt", "tiny")
    for curve in curves(results, PRICED, group="tiny"):
        for point in curve.points:
            assert point.compute == pytest.approx(17 * 0.20)
            assert point.dollars == pytest.approx(17 * 0.20 + 0.005 * point.tokens)
    assert read_results(tmp_path / RESULTS) == results


def test_the_shots_are_those_that_the_encoder_is_trained_on(setup, tmp_path):
    trained = {(r.sampler, r.k, r.shot_set): r.shots for r in execute(setup, tmp_path / "encoder", RATES)}
    with serving(erring(setup.corpus)) as server:
        results = execute_prompted(prompted(setup, server), tmp_path / "llm", RATES, cap=1.0)
        shown = {tuple(turn["content"] for turn in one["messages"][1:-1]) for one in server.requests}
        questions = set(gold(POS, setup.corpus.test))
        assert all(one["messages"][-1]["content"] in questions for one in server.requests)
        assert not questions & {turn for turns in shown for turn in turns}
    assert {(r.sampler, r.k, r.shot_set): r.shots for r in results} == trained
    texts = {example.id: example.text for example in setup.corpus.pool}
    for shots in trained.values():
        ordered = [turns for turns in shown if len(turns) == 2 * len(shots)]
        assert any(all(texts[name] in turn for name, turn in zip(shots, turns[::2], strict=True)) for turns in ordered)


def test_the_second_run_asks_nothing_and_changes_nothing(setup, tmp_path):
    with serving(erring(setup.corpus, refused=(0,))) as server:
        results = execute_prompted(prompted(setup, server), tmp_path, PRICED, cap=100.0)
        before, requests = (tmp_path / ANSWERS).read_bytes(), len(server.requests)
        assert execute_prompted(prompted(setup, server), tmp_path, PRICED, cap=100.0) == results
        (tmp_path / RESULTS).unlink()
        again = execute_prompted(prompted(setup, server), tmp_path, PRICED, cap=0.0)
        assert again == results
        assert (tmp_path / ANSWERS).read_bytes() == before
        assert len(server.requests) == requests
    asked_for = {(r.sampler, r.k, frozenset(r.shots)) for r in results}
    assert requests == len(asked_for) * 16  # draws of the same sentences are asked once
    assert len(asked_for) < len(results)


def test_the_cap_stops_and_a_higher_one_goes_on_to_the_same_results(setup, tmp_path):
    with serving(erring(setup.corpus, wrong=(2,), refused=(4,))) as server:
        whole = execute_prompted(prompted(setup, server), tmp_path / "whole", PRICED, cap=100.0)
        requests = len(server.requests)
        with pytest.raises(CapReachedError, match=r"\$4.00 of --llm-cap 4 are spent on 20 answers"):
            execute_prompted(prompted(setup, server), tmp_path / "part", PRICED, cap=4.0)
        assert len(server.requests) == requests + 20
        assert [one.k for one in read_results(tmp_path / "part" / RESULTS)] == [0]
        assert plan_file.read(tmp_path / "part")["facts"]["Language model"]["answers"] == "20, $4.0000"
        went_on = execute_prompted(prompted(setup, server), tmp_path / "part", PRICED, cap=100.0)
        assert len(server.requests) == 2 * requests
        several = execute_prompted(replace(prompted(setup, server), at_once=8), tmp_path / "8", PRICED, cap=100.0)
    assert timeless(several) == timeless(whole)
    assert timeless(went_on) == timeless(whole)


def test_a_shot_of_the_test_set_is_refused(setup, tmp_path):
    with serving(erring(setup.corpus)) as server:
        with pytest.raises(FewshotError, match="is in the test set too; remove it"):
            prompted(setup, server).make_prompt([setup.corpus.test[3]])
        assert server.requests == []


def test_shots_of_rounds_are_those_that_models_chose(setup, tmp_path):
    experiment = of(setup, IN_ROUNDS)
    trained = {(r.sampler, r.k): r.shots for r in execute(experiment, tmp_path / "encoder", RATES)}
    with serving(erring(setup.corpus)) as server:
        results = execute_prompted(prompted(experiment, server), tmp_path / "llm", RATES, cap=1.0)
    assert {(r.sampler, r.k): r.shots for r in results} == trained
    assert [curve.name for curve in curves(results, RATES, group="tiny")] == ["tiny random", "tiny entropy 3+3+3"]


def test_shots_that_another_encoder_chose_are_not_taken_for_its_own(setup, tmp_path):
    class Others(Draws):
        def for_cell(self, cell):
            return self.pool[-cell.k :] if cell.sampler == "longest" else super().for_cell(cell)

    other = replace(setup, shots=Others(PLAN, setup.corpus.pool, setup.trainer))
    with serving(erring(setup.corpus)) as server:
        execute_prompted(prompted(setup, server), tmp_path, RATES, cap=1.0)
        requests = len(server.requests)
        with pytest.raises(FewshotError, match="longest k=3 set 0 seed 0 with other shots"):
            execute_prompted(prompted(other, server), tmp_path, RATES, cap=1.0)
        assert len(server.requests) == requests


def test_the_folder_says_what_was_asked_of_whom(setup, tmp_path):
    with serving(erring(setup.corpus)) as server:
        asked_of = replace(prompted(setup, server), guidelines="Names are PROPN.")
        execute_prompted(asked_of, tmp_path, RATES, cap=1.0, command="fewshot run")
        other = prompted(setup, server)
        assert other.folder_name != asked_of.folder_name
        with pytest.raises(FewshotError, match="holds runs of another prompt; give another --out"):
            execute_prompted(other, tmp_path, RATES, cap=1.0)
    facts = plan_file.read(tmp_path)["facts"]["Language model"]
    assert facts["version, as the server says"].startswith("tiny-2026 fp1 (20")
    assert facts["parameters"] == "temperature 0.0, seed 0, max_tokens 8192"
    prompt = (tmp_path / PROMPT_FILE).read_text()
    assert prompt.startswith("[system]\nYou are a linguist")
    assert "Names are PROPN." in prompt
    assert prompt.count("[assistant]") == 6
