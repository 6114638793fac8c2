"""A Ray cluster finds what one process does, to the digit, and a machine that is lost costs nothing but its runs."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from experiments.planned import IN_ROUNDS, PLAN, RATES, of, scores

from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.experiments.executors import cluster, place
from fewshot.experiments.experiment import Run
from fewshot.experiments.run import MODEL, execute
from fewshot.training.model import read_description

pytestmark = pytest.mark.system

ray = pytest.importorskip("ray")
LONG = replace(PLAN, changes={**PLAN.changes, "updates": 60}, samplers=("random",), ks=(3,), shot_sets=6)


@pytest.fixture(scope="module")
def nodes():
    """A cluster of three nodes on this machine; the first does no runs, as that of a lab does not."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        started.add_node(num_cpus=1)
    yield started
    started.shutdown()


@pytest.fixture
def workers(nodes):
    with cluster.connected(nodes.address) as connected:
        yield connected


@pytest.mark.parametrize("plan", [PLAN, replace(IN_ROUNDS, ks=(3, 6), seeds=1)], ids=["at once", "in rounds"])
def test_a_cluster_finds_what_one_process_does(setup, plan, workers, one_thread, tmp_path):
    alone = execute(of(setup, plan), tmp_path / "alone", RATES)
    spread = execute(of(setup, plan), tmp_path / "spread", RATES, workers=workers)
    assert scores(spread) == scores(alone)
    assert [one.chosen for one in spread] == [one.chosen for one in alone]
    models = [read_description(tmp_path / name / MODEL) for name in ("alone", "spread")]
    assert models[0]["run"] == models[1]["run"]
    before = (tmp_path / "spread" / RESULTS).read_bytes()
    assert execute(of(setup, plan), tmp_path / "spread", RATES, workers=workers) == spread
    assert (tmp_path / "spread" / RESULTS).read_bytes() == before


def test_a_node_that_is_lost_costs_nothing_but_its_runs(setup, nodes, workers, one_thread, tmp_path):
    lost = nodes.add_node(num_cpus=2)
    nodes.wait_for_nodes()

    def lose(progress):
        nonlocal lost
        if lost and ray.available_resources().get("CPU", 0) < 2:  # at most one of four is free: that node has a run
            nodes.remove_node(lost, allow_graceful=False)
            lost = None

    try:
        spread = execute(of(setup, LONG), tmp_path / "spread", RATES, lose, workers=workers)
        assert lost is None
    finally:
        if lost:
            nodes.remove_node(lost)
    assert scores(spread) == scores(execute(of(setup, LONG), tmp_path / "alone", RATES))
    assert len(read_results(tmp_path / "spread" / RESULTS)) == len(LONG.conditions())


def test_a_command_that_ends_leaves_no_run_behind(setup, workers, tmp_path):
    def stop(now):
        if now.loss is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(
            of(setup, replace(LONG, changes={**LONG.changes, "updates": 2000})), tmp_path, RATES, stop, workers=workers
        )
    deadline = time.monotonic() + 60
    while ray.available_resources().get("CPU") != ray.cluster_resources()["CPU"]:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_an_error_of_a_run_is_that_of_the_command(setup, workers, tmp_path):
    unscored = replace(
        of(setup, PLAN), corpus=replace(setup.corpus, test=tuple(one.unannotated() for one in setup.corpus.test))
    )
    with pytest.raises(FewshotError, match="no pos annotation here"):
        execute(unscored, tmp_path, RATES, workers=workers)


def test_a_fault_of_a_run_says_where_it_was(setup, workers, tmp_path):
    broken = replace(setup.corpus, test=(None,))
    experiment = of(setup, PLAN)
    with workers.executor(experiment, 1) as executing:
        executing._handed = ray.put(replace(experiment, corpus=broken, pieces=[[]]))
        executing.begin(Run(experiment.conditions[0], "one", None, ()))
        looks = (list(executing.ended(lambda condition, now: None)) for _ in range(100))
        with pytest.raises(RuntimeError, match="in train_and_score"):
            list(looks)


@pytest.mark.parametrize(("share", "at_once"), [(0.3, 12), (0.25, 16), (0.1, 40), (1, 4), (2, 2)])
def test_a_run_is_on_one_gpu_or_on_whole_ones(share, at_once):
    there = SimpleNamespace(cluster_resources=lambda: {"GPU": 4.0, "CPU": 64.0})
    assert cluster.Cluster(there, share).at_once == at_once


def test_who_does_them_is_said(workers):
    assert str(workers) == "2 at once, a core each, on 3 nodes of Ray"
    shared = replace(workers, gpus_per_run=0.25)
    assert str(shared) == "none yet: waits until the cluster grows, 0.25 of a GPU each, on 3 nodes of Ray"
    assert replace(workers, bytes_per_run=10**15).at_once == 0
    assert (workers.machines, shared.machines) == (2, 0.25)


def test_a_cluster_that_is_not_there_is_one_line():
    with pytest.raises(FewshotError, match=r"no Ray cluster at '127\.0\.0\.1:1'"), cluster.connected("127.0.0.1:1"):
        pass


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("auto", 2, "local", 0), "--jobs is of this machine"),
        (("cpu", None, "local", 0), "--device is of this machine"),
        (("auto", None, None, 0.5), "add --ray"),
        (("auto", None, "local", 1.5), "0.0001 to 1, or a whole number"),
    ],
)
def test_options_that_contradict_one_another(options, said):
    with pytest.raises(FewshotError, match=said), place.find_place(*options):
        pass
