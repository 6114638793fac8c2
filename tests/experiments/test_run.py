import json
from dataclasses import replace

import pytest
import torch
from experiments.planned import FAST, IN_ROUNDS, PLAN, RATES, of, scores
from making import examples, made_up, small_recipe

import samplers
from fewshot import evaluation, tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import Corpus, fingerprint
from fewshot.corpora.pool import PoolCount
from fewshot.curves.points import curves
from fewshot.curves.results import RESULTS, lock_results, read_results
from fewshot.errors import FewshotError
from fewshot.experiments import plan_file
from fewshot.experiments.draws import Draws, FixedShots
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Cell, Plan, check_plan, expand_samplers, parse_ks
from fewshot.experiments.rounds import rounds
from fewshot.experiments.run import MODEL_FOLDER, execute
from fewshot.experiments.source_data import load_mixed_in
from fewshot.experiments.trainer import Trainer
from fewshot.training.adapt import adapt
from fewshot.training.description import read_description
from fewshot.training.model import build_model, load_model
from samplers import SamplerError

CPU = torch.device("cpu")
JOINT = small_recipe(regime="joint")


def copy(folder, other, names=(RESULTS, plan_file.PLAN_FILE)):
    for name in names:
        (other / name).write_bytes((folder / name).read_bytes())


def by_run(results):
    """Return results by run: one that repeats another is stored right after the other."""
    return {one.run: one for one in results}


@pytest.fixture(scope="module")
def whole(setup, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return execute(setup, folder, RATES), folder


def test_a_plan_is_carried_out_and_written_once(whole, setup):
    results, folder = whole
    assert len(results) == 1 + 2 * 2 * 2
    assert by_run(read_results(folder / RESULTS)) == by_run(results)
    assert [r.k for r in results] == sorted(r.k for r in results)
    assert results[0].dollars == 0
    assert all(r.dollars == pytest.approx(0.005 * r.tokens) for r in results)
    lines = (folder / RESULTS).read_text().splitlines()
    names = "task lang sampler k shot_set seed method regime model score metrics tokens minutes dollars seconds"
    assert set(names.split()) <= set(json.loads(lines[0]))
    by = {(r.sampler, r.k, r.shot_set): r.shots for r in results}
    assert by["random", 6, 0][:3] == by["random", 3, 0]  # nested
    assert by["random", 6, 0] != by["random", 6, 1]
    kept = next(r for r in results if (r.sampler, r.k, r.shot_set) == ("random", 6, 0))
    assert evaluation.evaluate(load_model(folder / MODEL_FOLDER), setup.corpus.test).score == pytest.approx(kept.score)
    before = (folder / RESULTS).read_bytes()
    assert execute(setup, folder, RATES) == results
    assert (folder / RESULTS).read_bytes() == before


def test_active_samplers_ask_the_source_model_once_and_old_results_stay(whole, setup, tmp_path, monkeypatch):
    results, folder = whole
    copy(folder, tmp_path, [RESULTS])
    asked = []
    monkeypatch.setattr(
        "fewshot.experiments.draws.signals", lambda *given: asked.append(given[2]) or evaluation.signals(*given)
    )
    active = of(setup, replace(PLAN, samplers=("random", "longest", "entropy", "dpp"), shot_sets=1))
    again = execute(active, tmp_path, RATES)
    assert asked == [{"entropy", "embeddings"}]
    assert {score for score in scores(again) if score[0] in ("", "random", "longest")} < set(scores(results))
    by = {(r.sampler, r.k): r.shots for r in again}
    for name in ("entropy", "dpp"):
        assert by[name, 6][:3] == by[name, 3]
    read = evaluation.signals(setup.trainer.source, setup.corpus.pool, {"entropy"})["entropy"]
    least_sure = sorted(zip(-read, (one.id for one in setup.corpus.pool), strict=True))
    assert by["entropy", 3] == tuple(name for _, name in least_sure[:3])
    before = (tmp_path / RESULTS).read_bytes()
    assert execute(replace(active), tmp_path, RATES) == again
    assert (tmp_path / RESULTS).read_bytes() == before


def test_all_is_every_sampler_that_the_task_can_use():
    assert expand_samplers(["all"], tasks.get("pos")) == tuple(samplers.registry())
    assert expand_samplers(["longest", "all"], tasks.get("pos"))[0] == "longest"
    assert set(samplers.registry()) - set(expand_samplers(["all"], tasks.get("qa"))) == {"confused"}


def test_rounds_ask_the_model_of_the_round_before(source_model):
    pool, seen, trained = made_up(20, seed=8), [], []

    def train(shots):
        seen.append([shot.id for shot in shots])
        trained.append(adapt(source_model, shots, small_recipe(regime="sequential", updates=3, batch=4), 0, CPU))
        return trained[-1]

    found = list(rounds(source_model, pool, "entropy", [3, 3], train))
    assert [[shot.id for shot in shots] for shots, _ in found] == seen
    assert [len(ids) for ids in seen] == [3, 6]
    assert seen[1][:3] == seen[0]
    assert len(set(seen[1])) == 6
    left = [one for one in pool if one.id not in seen[0]]
    entropy = evaluation.signals(trained[0], left, {"entropy"})["entropy"]
    assert seen[1][3] == left[int(entropy.argmax())].id
    with pytest.raises(SamplerError, match="pool has 20 examples"):
        next(rounds(source_model, pool, "random", [15, 6], train))


@pytest.fixture(scope="module")
def in_rounds(setup, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rounds")
    return execute(of(setup, IN_ROUNDS), folder, RATES), folder


def trained(setup, folder):
    """Carry out a plan, and return its results and what it trained for them."""
    seen = []
    say = lambda now: None if now.loss is None else seen.append(now.doing)  # noqa: E731
    named = {str(cell): cell for cell in setup.cells}
    results = execute(replace(setup, name=str), folder, RATES, say, keep=False)
    return results, [named[name] for name in dict.fromkeys(seen)]


def test_shot_sets_of_the_same_examples_are_trained_on_once(setup, tmp_path):
    plan = replace(PLAN, samplers=("random", "entropy"), shot_sets=3, seeds=2, ks=(3, 6))
    results, ran = trained(of(setup, plan), tmp_path)
    assert len(results) == len({one.run for one in results}) == 1 + 2 * 2 * 3 * 2
    assert len([one for one in ran if one.sampler == "random"]) == 2 * 3 * 2
    assert [one for one in ran if one.sampler == "entropy"] == [
        Cell("entropy", k, 0, seed) for k in (3, 6) for seed in range(2)
    ]
    assert by_run(results) == by_run(read_results(tmp_path / RESULTS))
    alike = [(r.k, r.seed, r.score, r.shots) for r in results if r.sampler == "entropy"]
    assert len(set(alike)) == 4 and len(alike) == 12
    assert trained(of(setup, plan), tmp_path) == (results, [])
    lines = (tmp_path / RESULTS).read_bytes().splitlines(keepends=True)
    (tmp_path / RESULTS).write_bytes(
        b"".join(line for line in lines if json.loads(line)["sampler"] != "entropy" or not json.loads(line)["shot_set"])
    )
    again, ran = trained(of(setup, plan), tmp_path)
    assert (scores(again), ran) == (scores(results), [])


def test_a_model_that_has_to_choose_is_trained_though_another_learned_from_the_same(setup, tmp_path):
    plan = replace(IN_ROUNDS, samplers=("entropy",), ks=(3, 6), shot_sets=2, seeds=1)
    results, ran = trained(of(setup, plan), tmp_path)
    assert [(one.k, one.shot_set) for one in ran] == [(3, 0), (3, 1), (6, 0)]
    assert [(one.k, len(one.chosen)) for one in results] == [(0, 0), (3, 3), (3, 3), (6, 0), (6, 0)]


def test_rounds_of_a_plan_are_those_of_the_notebook(in_rounds, setup):
    results, folder = in_rounds
    recipe, trainer = small_recipe(**FAST), setup.trainer
    train = lambda shots: adapt(trainer.source, shots, recipe, 0, CPU, trainer.source_data)  # noqa: E731
    expected = rounds(setup.trainer.source, setup.corpus.pool, "entropy", [3, 3, 3], train)
    for k, (shots, _) in zip((3, 6, 9), expected, strict=True):
        for seed in range(2):
            (one,) = [r for r in results if (r.sampler, r.k, r.seed) == ("entropy", k, seed)]
            assert one.shots == tuple(shot.id for shot in shots)
            assert one.rounds == (3,) * (k // 3) and one.drawn_by == f"entropy {'+'.join('3' * (k // 3))}"
    read = evaluation.signals(setup.trainer.source, setup.corpus.pool, {"entropy"})
    at_once = samplers.pick("entropy", setup.corpus.pool, 9, 0, read)
    assert [shot.id for shot in at_once][:3] == list(one.shots[:3])
    assert {shot.id for shot in at_once} != set(one.shots)
    assert "where a curve is named with sizes" in plan_file.read(folder)["facts"]["Plan"]["in rounds"]
    assert plan_file.read(folder)["facts"]["Plan"]["in rounds"] != "none"


@pytest.mark.parametrize("after", [2, 6, 11])
def test_rounds_that_were_stopped_go_on_and_repeat_nothing(in_rounds, setup, tmp_path, after):
    results, folder = in_rounds
    lines = (folder / RESULTS).read_bytes().splitlines(keepends=True)
    (tmp_path / RESULTS).write_bytes(b"".join(lines[:after]) + lines[after][:30])
    again, ran = trained(of(setup, IN_ROUNDS), tmp_path)
    assert ran == IN_ROUNDS.cells()[after:]
    assert scores(again) == scores(results)
    assert [(r.run, r.rounds, r.chosen) for r in again] == [(r.run, r.rounds, r.chosen) for r in results]


def test_a_wider_plan_goes_on_with_the_rounds_and_asks_the_last_model_once_more(in_rounds, setup, tmp_path):
    results, _ = in_rounds
    narrow = of(setup, replace(IN_ROUNDS, ks=(3, 6)))
    execute(narrow, tmp_path, RATES)
    before = (tmp_path / RESULTS).read_bytes()
    wide, ran = trained(of(setup, IN_ROUNDS), tmp_path)
    assert scores(wide) == scores(results)
    assert [(one.sampler, one.k, one.seed) for one in ran if one.k < 9] == [("entropy", 6, 0)]
    assert (tmp_path / RESULTS).read_bytes().startswith(before)
    assert len(read_results(tmp_path / RESULTS)) == len(results)


def test_other_rounds_up_to_the_same_k_are_other_runs(in_rounds, setup, tmp_path):
    results, folder = in_rounds
    copy(folder, tmp_path, [RESULTS])
    other, ran = trained(of(setup, replace(IN_ROUNDS, ks=(3, 9))), tmp_path)
    assert {(one.k, one.rounds) for one in ran} == {(3, (3,)), (9, (3, 6))}  # the model of 3 chooses 6 now
    shots = {r.rounds: r.shots for r in [*results, *other] if r.sampler == "entropy"}
    assert shots[3, 6][:6] == shots[3, 3] and shots[3, 6] != shots[3, 3, 3]
    names = [curve.name for curve in curves(read_results(tmp_path / RESULTS), RATES)]
    assert names == ["random", "entropy 3+3+3", "entropy 3+6"]
    plain = {r.run for r in execute(of(setup, replace(IN_ROUNDS, rounds=False)), tmp_path, RATES)}
    assert plain & {r.run for r in results} == {r.run for r in results if r.sampler != "entropy"}


class Killed(BaseException):
    """Ends a run as a kill does: nothing of the run can catch it."""


def test_a_killed_run_resumes_and_repeats_nothing(whole, setup, tmp_path):
    seen = []

    def kill_after_four(result):
        seen.append(result)
        if len(seen) == 4:
            with (tmp_path / RESULTS).open("ab") as file:
                file.write(b'{"run": "cut o')  # the line that was being written when the power went
            raise Killed

    with pytest.raises(Killed):
        execute(setup, tmp_path, RATES, on_result=kill_after_four)
    text = (tmp_path / RESULTS).read_bytes()
    assert text.endswith(b'{"run": "cut o')
    ran = []
    results = execute(setup, tmp_path, RATES, lambda now: ran.append(now.doing) if now.loss is not None else None)
    assert (tmp_path / RESULTS).read_bytes().startswith(text[: text.rfind(b"\n") + 1])
    assert scores(results) == scores(whole[0])
    assert len(set(ran)) <= 9 - 4 + 1


def test_second_process_in_one_folder_is_refused_and_changes_nothing(setup, tmp_path):
    with lock_results(tmp_path), pytest.raises(FewshotError, match="another fewshot process uses this folder"):
        execute(setup, tmp_path, RATES)
    assert plan_file.read(tmp_path) == {}


def test_runs_of_another_identity_are_not_mixed(whole, setup, tmp_path):
    _, folder = whole
    copy(folder, tmp_path)
    before = (tmp_path / plan_file.PLAN_FILE).read_bytes()
    elsewhere = replace(setup.trainer, made_from={**setup.trainer.made_from, "device": "cuda"})
    with pytest.raises(FewshotError, match="another device; give another --out"):
        execute(replace(setup, trainer=elsewhere), tmp_path, RATES)
    assert (tmp_path / plan_file.PLAN_FILE).read_bytes() == before


def test_plan_of_a_folder_grows_with_what_is_asked_for(whole, setup, tmp_path):
    _, folder = whole
    copy(folder, tmp_path)
    execute(setup, tmp_path, RATES, command="first")
    other = of(setup, replace(PLAN, ks=(9,), samplers=("shortest",), shot_sets=1))
    assert [r.k for r in execute(other, tmp_path, RATES, command="second")] == [0, 9]
    written = plan_file.read(tmp_path)
    facts = written["facts"]["Plan"]
    assert (facts["k"], facts["samplers"]) == ("3, 6, 9", "random, longest, shortest")
    assert facts["shot sets x seeds"] == "2 x 1"
    assert written["commands"] == ["first", "second"]


def test_kept_model_is_that_of_the_plan_and_says_of_which_run(setup, tmp_path):
    plan = replace(PLAN, ks=(3,), samplers=("random",), shot_sets=1)
    small, large = of(setup, plan), of(setup, replace(plan, ks=(6,)))
    for one in (large, small, large):
        kept = execute(one, tmp_path, RATES)[-1]
        found = read_description(tmp_path / MODEL_FOLDER)
        assert found["run"] == kept.run
    expected = {"lang": "xx", "sampler": "random", "k": 6, "shot_set": 0, "seed": 0, "shots": list(kept.shots)}
    assert {name: found[name] for name in expected} == expected
    assert found["source"]["task"] == "pos"
    assert len(read_results(tmp_path / RESULTS)) == 3


def test_model_that_could_not_be_saved_is_saved_the_next_time(setup, tmp_path, monkeypatch):
    small = of(setup, replace(PLAN, ks=(3,), samplers=("random",), shot_sets=1))
    kept = execute(small, tmp_path, RATES)[-1]
    with monkeypatch.context() as patched:
        patched.setattr(
            "fewshot.encoders.packed.save_file",
            lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")),
        )
        with pytest.raises(FewshotError, match="model cannot be written: No space left on device"):
            execute(of(setup, replace(PLAN, ks=(6,), samplers=("random",), shot_sets=1)), tmp_path, RATES)
    assert read_description(tmp_path / MODEL_FOLDER) is None
    execute(small, tmp_path, RATES)
    assert read_description(tmp_path / MODEL_FOLDER)["run"] == kept.run


def test_source_data_that_is_something_else_now_gives_way_to_the_sample(source_model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ud" / "en_ewt").mkdir(parents=True)
    model = source_model.copy()
    for data in ("ud/en_ewt", "ud/nothing"):
        model.provenance = {"source": {"data": data, "data_fingerprint": "0"}}
        assert load_mixed_in(model, JOINT, None)[1] == "embedded sample (en)"
    with pytest.raises(FewshotError, match="no training file of sentences here"):
        load_mixed_in(model, JOINT, tmp_path / "ud" / "en_ewt")


def test_an_adapted_model_is_adapted_again_with_the_same_english(source_model, tmp_path):
    english = made_up(20, seed=7)
    conllu.write(english, tmp_path / "english.conllu")
    model = source_model.copy()
    path = str(tmp_path / "english.conllu")
    model.provenance = {"data": "elsewhere", "source": {"data": path, "data_fingerprint": fingerprint(english)}}
    assert load_mixed_in(model, JOINT, None) == (english, path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ks": (500,)}, "pool has 30 examples of 3-12 tokens, 500 asked"),
        ({"samplers": ("rndom",)}, "unknown sampler 'rndom': did you mean random"),
        ({"task": "ner "}, "unknown task"),
        ({"ks": (-1,)}, "k is -1"),
        ({"samplers": ()}, "no sampler is named"),
        ({"seeds": 0}, "seeds is 0"),
        ({"shot_sets": 10**20}, "shot sets is 100000000000000000000; it must be at most 1,000"),
    ],
)
def test_plans_that_cannot_be_carried_out(corpus, change, message):
    with pytest.raises((FewshotError, SamplerError), match=message):
        check_plan(replace(PLAN, **change), corpus)


def test_a_cell_has_the_first_of_shots_that_somebody_else_has_drawn():
    assert FixedShots(["a", "b", "c"]).for_cell(Cell("random", 2, 0, 0)) == ["a", "b"]


def test_ks_are_read():
    assert [parse_ks(text) for text in ("10", "50,10, 10", "0")] == [(10,), (10, 50), (0,)]
    for text in ("", "ten", "10,x", "-3", "1.5"):
        with pytest.raises(FewshotError, match="not a number of examples"):
            parse_ks(text)


def test_epochs_count_questions_not_articles(encoder, tmp_path):
    """Three of the shortest articles have three questions, three of the longest have six."""
    task = tasks.get("qa")
    long, short = (examples("articles", 4, seed, size, size) for seed, size in ((1, 12), (2, 3)))
    short = [replace(a, paragraphs=(replace(p, questions=p.questions[:1]),)) for a in short for p in a.paragraphs]
    test = tuple(examples("articles", 2, seed=3))
    corpus = Corpus("xx", (*long, *short), test, "made up", "0", PoolCount(8, 0, 0, 0))
    plan = Plan(task.name, "xx", (3,), ("shortest", "longest"), 1, 2)
    recipe = small_recipe("nli", method="freeze-0", epochs=2, batch=3, regime="sequential")
    model = build_model(task, encoder, 0, 0.1)
    trainer = Trainer("xx", model, model, "source", recipe, None, "none", CPU, {})
    setup = Experiment(trainer, corpus, plan.cells(), Draws(plan, corpus.pool, trainer))
    events = []
    execute(setup, tmp_path, RATES, events.append)
    total = 1 + 2 * (2 + 4)
    assert {now.total for now in events} == {total}
    assert list(dict.fromkeys(now.done for now in events)) == list(range(1, total + 1))
    assert plan_file.collect_facts(setup, setup.cells)["Plan"]["updates"] == "2-4 (k=3)"
    wider = replace(plan, ks=(3, 5), samplers=("entropy",), seeds=1, rounds=True)
    further = Experiment(trainer, corpus, wider.cells(), Draws(wider, corpus.pool, trainer))
    results = execute(further, tmp_path, RATES, events.append)  # begins before the inputs of the second round are known
    assert [one.rounds for one in results] == [(), (3,), (3, 2)] and events[-1].done == events[-1].total
