import os
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from experiments.planned import IN_ROUNDS, RATES, of, scores
from waiting import wait_until

from fewshot.errors import FewshotError
from fewshot.experiments.executors import cluster
from fewshot.experiments.run import MODEL_FOLDER, execute
from fewshot.progress import Progress
from fewshot.training.description import read_description

pytestmark = pytest.mark.system

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def nodes():
    """A cluster of two nodes on this machine; the first does no runs, as that of a lab does not."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    started.add_node(num_cpus=2)
    yield started
    started.shutdown()


@pytest.fixture(scope="module")
def workers(nodes):
    """A connection that all tests share: Ray starts new processes, which load the libraries, for each connection."""
    with cluster.connect_to_ray(nodes.address) as connected:
        yield connected


@dataclass(frozen=True)
class Task:
    """A run that a test scripts: `do` is called where Ray has placed it, and returns what is found."""

    key: int
    do: Any


class Scripted:
    device = torch.device("cpu")

    def prepared(self):
        return self

    def carry_out(self, run, tell):
        tell(run.key, Progress(0, 1))
        return run.do()

    def keep(self, run, found):
        return found


@pytest.fixture(scope="module", autouse=True)
def _pickled_by_value():
    """Processes of Ray know no modules of tests."""
    import sys

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Held:
    """Runs that stop in the middle until a test releases them; they say where they are."""

    def __init__(self, folder):
        self.paths = [str(folder / name) for name in ("started", "release")]
        for path in self.paths:
            os.mkfifo(path)
        self.started, self.released = (os.fdopen(os.open(path, os.O_RDWR), "r+b", buffering=0) for path in self.paths)

    def tasks(self, count):
        started, release = self.paths

        def hold():
            node = ray.get_runtime_context().get_node_id()
            with open(started, "wb", buffering=0) as file:  # noqa: PTH123  # Ray has no test's imports
                file.write(f"{node} {os.getpid()}\n".encode())
            with open(release, "rb", buffering=0) as file:  # noqa: PTH123
                file.read(1)
            return node

        return [Task(number, hold) for number in range(count)]

    def wait_for(self, count):
        """Return the process of one of the next runs that have begun, by its node."""
        return dict(self.started.readline().decode().split() for _ in range(count))

    def release(self):
        self.released.write(b"." * 20)


@pytest.fixture
def held(tmp_path):
    runs = Held(tmp_path)
    with runs.started, runs.released:
        yield runs


def is_running(process):
    """Return whether a process of this machine still computes: it is neither gone nor left for its parent to notice."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_cluster_finds_what_one_process_does(setup, workers, one_thread, tmp_path):
    plan = replace(IN_ROUNDS, ks=(3, 6), seeds=1)
    alone = execute(of(setup, plan), tmp_path / "alone", RATES)
    spread = execute(of(setup, plan), tmp_path / "spread", RATES, workers=workers)
    assert scores(spread) == scores(alone)
    assert [one.chosen for one in spread] == [one.chosen for one in alone]
    models = [read_description(tmp_path / name / MODEL_FOLDER) for name in ("alone", "spread")]
    assert models[0]["run"] == models[1]["run"]


def test_runs_of_a_node_that_is_lost_begin_again_on_another(nodes, workers, held):
    lost = nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    places = {}

    def lose_a_node(*_):
        """Called with the first progress: all three runs are under way."""
        if not places:
            places.update(held.wait_for(3))
            nodes.remove_node(lost, allow_graceful=False)
            wait_until(lambda: not is_running(places[lost.node_id]))
            held.release()

    with workers.start(Scripted(), 3) as carry_out:
        found = list(carry_out(deque(held.tasks(3)), lose_a_node))
    assert len(places) == 2 and lost.node_id in places
    assert sorted(task.key for task, _ in found) == [0, 1, 2]
    assert lost.node_id not in {node for _, node in found}
    assert held.wait_for(1).keys() < places.keys()


def test_a_command_that_ends_leaves_no_run_behind(workers, held):
    def stop(*_):
        held.wait_for(2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), workers.start(Scripted(), 2) as carry_out:
        list(carry_out(deque(held.tasks(2)), stop))
    wait_until(lambda: ray.available_resources().get("CPU") == ray.cluster_resources()["CPU"])


def test_errors_and_faults_of_runs_are_those_of_the_command(workers):
    def error():
        raise FewshotError("no pos annotation here")

    def fault():
        return {}["missing"]

    for do, kind, message in ((error, FewshotError, "no pos annotation here"), (fault, RuntimeError, "in fault")):
        with workers.start(Scripted(), 1) as carry_out, pytest.raises(kind, match=message):
            list(carry_out(deque([Task(0, do)]), lambda *_: None))
