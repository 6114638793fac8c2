from dataclasses import replace
from statistics import fmean

import pytest
import torch
from experiments.planned import IN_ROUNDS, of

from fewshot.costs import prices
from fewshot.errors import FewshotError
from fewshot.experiments import sweep, training_time
from fewshot.experiments.executors.local import Local
from fewshot.experiments.plan import make_plan
from fewshot.options import Request

CPU = torch.device("cpu")


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "s.toml"
        path.write_text(text, encoding="utf-8")
        return sweep.read(path)

    return read


def test_lists_are_combined_but_for_those_of_one_run(read):
    parts = read("""
        seeds = 1
        [[runs]]
        task = ["pos", "dep"]
        lang = ["ja", "sv"]
        k = [10, 50]
        sampler = ["random", "longest"]
        data = "trees/{lang}/{task}"
    """)
    assert [part.name for part in parts] == ["ja-pos-pos", "sv-pos-pos", "ja-dep-dep", "sv-dep-dep"]
    assert parts[1].request == Request("sv", "pos", k="10,50", sampler="random,longest", seeds=1, data="trees/sv/pos")
    assert make_plan(parts[1].request, CPU).ks == (10, 50)


def test_a_run_is_named_by_what_makes_it_another_one_and_not_by_its_length(read):
    (one,) = read('lang = "ja"\nk = 10')
    (longer,) = read('lang = "ja"\nk = [10, 50]\nshot_sets = 5\nseeds = 3\nsampler = "longest"')
    assert one.name == longer.name == "ja-pos"
    (other,) = read('lang = "ja"\nmethod = "lora"\nupdates = 5\nmodel = "hub/encoder"\nbalanced = false')
    assert other.name == "ja-pos-balanced-false-lora-encoder-updates-5"


def test_what_stands_in_a_table_comes_before_what_holds_for_all_and_the_same_run_twice_is_one(read):
    parts = read('lang = "ja"\nk = 50\n[[runs]]\n[[runs]]\nlang = ["sv", "sv"]\nk = 10')
    assert [(part.request.lang, part.request.k) for part in parts] == [("ja", "50"), ("sv", "10")]


@pytest.mark.parametrize(("task", "sampler"), [("pos", "random"), ("ner", "confused")])
def test_the_task_chooses_the_sampler_where_the_user_does_not(task, sampler):
    assert make_plan(Request("ja", task, k="4"), CPU).samplers == (sampler,)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("lang = ", "not valid TOML"),
        ("k = 10", "no language"),
        ('lang = "ja"\ntasks = "pos"', "unknown option of fewshot run 'tasks'.*did you mean|unknown option .*'tasks'"),
        ('lang = "ja"\nseeds = "two"', "seeds is 'two'; it must be a whole number"),
        ('lang = "ja"\nseeds = true', "seeds is True; it must be a whole number"),
        ('lang = "ja"\nbalanced = 1', "balanced is 1; it must be true or false"),
        ('lang = "ja"\ntask = []', "task is an empty list"),
        ('runs = "ja"', r"'runs' must be tables"),
        ("runs = []", r"no run; write \[\[runs\]\]"),
        ('lang = "ja"\nshot-sets = 2\nshot_sets = 3', "shot-sets is given twice, with a hyphen and with an underscore"),
        ('lang = "ja"\njobs = 2', "jobs is the same for all runs; type --jobs after the file"),
        ('lang = "ja"\ngpus-per-run = 1', "gpus_per_run is the same for all runs; type --gpus-per-run after"),
        ('[[runs]]\nlang = "ja"\n[[runs]]\nlang = "ja"\nk = 50', "two runs would share the folder ja-pos"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line_with_its_name(read, text, why):
    with pytest.raises(FewshotError, match=rf"s\.toml: .*({why})"):
        read(text)


def test_the_grid_of_the_paper_is_there():
    parts = sweep.read(sweep.find("lauscher2020"))
    plans = [make_plan(part.request, CPU) for part in parts]
    assert len(parts) == 3 * 12 * 2
    assert sum(len(plan.cells()) - 1 for plan in plans) == len(parts) * 5 * 3 * 5
    with pytest.raises(FewshotError, match=r"no such file.*lauscher2020"):
        sweep.find("lauscher2019")


@pytest.mark.app
def test_the_time_left_follows_from_one_training_whose_result_is_kept(setup, tmp_path):
    rates, one, two = prices.load(), tmp_path / "one", tmp_path / "two"
    assert training_time.read_pace(setup, one) is None
    pace = training_time.measure_pace(setup, one, rates, Local(1))
    assert training_time.read_pace(setup, one) == pace > 0
    trainings = sum(cell.k > 0 for cell in setup.cells)
    begun, fresh = (training_time.estimate_remaining(setup, place, pace, Local(1), rates) for place in (one, two))
    assert [(each.name, each.trainings, each.left) for each in (begun, fresh)] == [
        ("one", trainings, trainings - 1), ("two", trainings, trainings),
    ]  # fmt: skip
    assert 0 < begun.seconds < fresh.seconds
    assert training_time.estimate_remaining(setup, two, pace, Local(2), rates).seconds == pytest.approx(
        fresh.seconds / 2
    )
    spread = training_time.estimate_remaining(
        setup, two, pace, Local(10 * fresh.left), rates
    )  # more than there is to do
    assert spread.seconds == pytest.approx(fresh.seconds / fresh.left)
    assert begun.dollars == fresh.dollars > 0


def test_the_training_that_is_timed_needs_no_model_of_another_one(setup, tmp_path):
    """Five sentences are read in batches of two and three, so they take less time than a batch of four."""
    in_rounds = of(setup, replace(IN_ROUNDS, ks=(4, 5), samplers=("entropy",)))
    reads = training_time.count_pieces(in_rounds)
    assert min(reads, key=lambda cell: (cell.k == 0, reads[cell])).k == 5
    assert training_time.measure_pace(in_rounds, tmp_path, prices.load(), Local(None)) > 0


def test_long_sentences_take_longer_and_what_all_score_takes_as_long(setup):
    reads = training_time.count_pieces(setup)
    zero = next(reads[one] for one in reads if one.k == 0)
    mean = {
        sampler: fmean(reads[one] - zero for one in reads if (one.sampler, one.k) == (sampler, 3))
        for sampler in ("random", "longest")
    }
    assert zero > 0
    assert mean["longest"] > mean["random"] > 0
    assert all(reads[one] == reads[replace(one, seed=0)] for one in reads)
