import multiprocessing
import os
import signal
import tempfile
from collections import deque
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from experiments.planned import IN_ROUNDS, PLAN, RATES, LastFirst, of, scores

from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.experiments.executors import cluster, local, place
from fewshot.experiments.executors.base import ThrottledReport
from fewshot.experiments.executors.place import this_process
from fewshot.experiments.executors.starting import hold_interrupts
from fewshot.experiments.executors.workload_file import workload_file
from fewshot.experiments.experiment import Assignment
from fewshot.experiments.jobs import StudyJob, run_missing_jobs
from fewshot.experiments.run import execute
from fewshot.options import MachineOptions
from fewshot.progress import OverallProgress, Progress


@pytest.mark.parametrize("plan", [PLAN, replace(IN_ROUNDS, shot_sets=2, seeds=1)], ids=["at once", "in rounds"])
def test_runs_that_end_in_another_order_find_the_same(setup, plan, tmp_path):
    alone = execute(of(setup, plan), tmp_path / "alone", RATES)
    several = execute(of(setup, plan), tmp_path / "several", RATES, workers=LastFirst())
    assert scores(several) == scores(alone)
    assert [one.chosen for one in several] == [one.chosen for one in alone]
    stored = read_results(tmp_path / "several" / RESULTS)
    assert sorted(scores(stored)) == sorted(scores(alone))
    assert plan.rounds or scores(stored) != scores(alone)  # they did end in another order


def test_a_plan_whose_last_shots_repeat_others_ends(setup, tmp_path):
    """Of the whole pool there is one draw: where nothing is left to train, nobody is waited for."""
    whole = replace(PLAN, ks=(len(setup.corpus.pool),), samplers=("random",), shot_sets=3)
    found = execute(of(setup, whole), tmp_path, RATES, workers=LastFirst())
    assert [one.seconds > 0 for one in found if one.k] == [True, False, False]


def test_no_process_at_all_is_refused():
    with pytest.raises(FewshotError, match="jobs is 0; it must be at least 1, or None"):
        local.Local(0)


def test_runs_under_way_at_once_are_all_named(setup):
    said = []
    first, second = setup.cells[1:3]
    experiment = of(setup, PLAN)
    clock = OverallProgress(experiment.updates(), experiment.name, said.append)
    for cell in (first, second):
        clock.update(cell, Progress(1, 2))
    assert said[-1].doing == f"{first}; {second}"
    clock.finish(first, is_new=True)
    clock.update(second, Progress(2, 2))
    assert said[-1].doing == str(second)


def test_reports_are_sent_now_and_then_with_the_loss_as_a_number():
    times, sent = iter([0.0, 0.0, 0.4, 0.5, 0.5, 0.9]), []
    reports = ThrottledReport(lambda cell, now: sent.append((cell, now.done, now.loss)), 0.5, lambda: next(times))
    for done in range(1, 5):
        reports("one", Progress(done, 4, loss=torch.tensor(0.5) if done > 1 else None))
    assert sent == [("one", 1, None), ("one", 3, 0.5)]


@pytest.fixture
def process(monkeypatch):
    """What a process of `Local` does, done in this one: given work and runs, return what it sends."""
    monkeypatch.setattr(local.signal, "signal", lambda *_: None)
    monkeypatch.setattr(local.tqdm, "set_lock", lambda _: None)

    def messages(work, *runs):
        one, other = multiprocessing.Pipe()
        with workload_file(work.prepared()) as file, one, other:
            for run in runs:
                one.send(run)
            one.send(None)  # no run: it fails
            local._work(other, file, 0)
            sent = []
            while one.poll():
                sent.append(one.recv())
            return sent

    return messages


def test_a_process_sends_what_it_finds_and_the_traceback_of_a_fault(setup, process, one_thread):
    experiment = of(setup, PLAN)
    run = Assignment(experiment.cells[0], "one", ())
    finding, fault = process(experiment, run)
    assert finding.evaluation.score == experiment.carry_out(run, lambda *_: None).evaluation.score
    assert isinstance(fault, RuntimeError) and "in carry_out" in str(fault)


def test_an_error_in_a_process_is_sent(setup, process, one_thread):
    unscored = tuple(one.unannotated() for one in setup.corpus.test)
    experiment = replace(of(setup, PLAN), corpus=replace(setup.corpus, test=unscored))
    error = process(experiment, Assignment(experiment.cells[0], "one", ()))[-1]
    assert isinstance(error, FewshotError) and "no pos annotation here" in str(error)


class FakeProcess:
    """A process that lives until it is killed."""

    alive = True

    def kill(self):
        self.alive = False

    def join(self):
        assert not self.alive


@pytest.mark.parametrize("error", [OSError("no more processes"), KeyboardInterrupt()], ids=["error", "ctrl-c"])
@pytest.mark.parametrize("fails", ["the file", "the second process"])
def test_processes_that_do_not_all_begin_leave_nothing(setup, tmp_path, monkeypatch, fails, error):
    started = []

    def start(self, handed, number):
        if number == 1:
            raise error
        started.append(FakeProcess())
        self._processes[multiprocessing.Pipe()[0]] = started[0]

    def fail_to_save(*_):
        raise error

    monkeypatch.setattr(local.Processes, "_start", start)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if fails == "the file":
        monkeypatch.setattr(torch, "save", fail_to_save)
    with pytest.raises(type(error)), local.Processes(of(setup, PLAN), 2):
        pass
    assert [process.alive for process in started] == [False] * (fails == "the second process")
    assert not list(tmp_path.iterdir())


def test_the_file_of_a_killed_command_is_removed_and_that_of_another_one_is_left(setup, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "fewshot-left"
    left.mkdir()
    (left / "work.pt").touch()
    (left / ".lock").touch()
    (tmp_path / "fewshot-begun").mkdir()  # of a process that has not yet locked it
    with workload_file(of(setup, PLAN)) as first:
        assert not left.exists()
        with workload_file(of(setup, PLAN)) as second:
            assert first.exists() and second.exists() and first != second
    assert [path.name for path in tmp_path.iterdir()] == ["fewshot-begun"]


@pytest.mark.parametrize("others", ["a link", "a folder"])
def test_nothing_is_removed_where_another_user_may_have_put_it(setup, tmp_path, monkeypatch, others):
    temporary, mine = tmp_path / "temporary", tmp_path / "mine"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    folder = mine if others == "a link" else temporary / "fewshot-others"
    folder.mkdir()
    (folder / "work.pt").touch()
    if others == "a link":
        (temporary / "fewshot-link").symlink_to(mine)
    else:
        monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with workload_file(of(setup, PLAN)):
        assert [path.name for path in folder.iterdir()] == ["work.pt"]


def test_ctrl_c_while_a_process_begins_comes_after_it(monkeypatch):
    """The process never hears it: a process has the signals blocked that were so where it was begun."""
    monkeypatch.setattr("fewshot.experiments.executors.starting.resource_tracker.ensure_running", lambda: None)
    blocked = []
    with pytest.raises(KeyboardInterrupt), hold_interrupts():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        blocked += signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.SIGINT in blocked
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(("share", "at_once"), [(0.3, 12), (0.1, 40), (2, 2)])
def test_a_run_is_on_one_gpu_or_on_whole_ones(share, at_once):
    ray = SimpleNamespace(cluster_resources=lambda: {"GPU": 4.0, "CPU": 64.0})
    assert cluster.Cluster(ray, share).at_once == at_once


def test_a_cluster_says_how_many_runs_it_takes():
    nodes = [{"Alive": True, "Resources": {"CPU": cpus} if cpus else {}} for cpus in (0, 1, 1)]
    ray = SimpleNamespace(cluster_resources=lambda: {"CPU": 2.0, "memory": 10.0**9}, nodes=lambda: nodes)
    workers = cluster.Cluster(ray)
    assert str(workers) == "2 at once, a core each, on 3 nodes of Ray"
    shared = replace(workers, gpus_per_run=0.25)
    assert str(shared) == "none yet: waiting for the cluster to grow, 0.25 of a GPU each, on 3 nodes of Ray"
    assert replace(workers, bytes_per_run=10**15).at_once == 0
    assert (workers.machines, shared.machines) == (2, 0.25)


def test_a_cluster_that_is_not_there_is_one_line():
    pytest.importorskip("ray")
    with (
        pytest.raises(FewshotError, match=r"no Ray cluster at '127\.0\.0\.1:1'"),
        cluster.connect_to_ray("127.0.0.1:1"),
    ):
        pass


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("auto", 2, "local", 0), "--jobs is for this machine only"),
        (("cpu", None, "local", 0), "--device is for this machine only"),
        (("auto", None, None, 0.5), "add --ray"),
        (("auto", None, "local", 1.5), "0.0001 to 1, or a whole number"),
    ],
)
def test_options_that_contradict_one_another(options, said):
    with pytest.raises(FewshotError, match=said), place.find_place(MachineOptions(*options)):
        pass


@pytest.mark.parametrize(
    ("exitcode", "message"),
    [(-9, "has died, perhaps for lack of memory"), (1, 'move the call below if __name__ == "__main__":')],
    ids=["killed", "a script without a guard"],
)
def test_why_a_process_has_ended_is_said(setup, exitcode, message):
    here, there = multiprocessing.Pipe()
    there.close()
    processes = local.Processes(setup, 1)
    processes._processes[here] = SimpleNamespace(exitcode=exitcode, join=lambda timeout: None)
    processes._runs[here] = SimpleNamespace(key="random k=10 set 0 seed 0")
    with pytest.raises(FewshotError, match=message):
        next(processes.carry_out(deque(), lambda cell, now: None))


def test_an_output_that_came_with_the_end_of_another_process_is_kept(setup):
    dead, finished = multiprocessing.Pipe(), multiprocessing.Pipe()
    processes = local.Processes(setup, 2)
    for connection, key in ((dead[0], "dead"), (finished[0], "finished")):
        processes._processes[connection] = SimpleNamespace(exitcode=-9, join=lambda timeout: None)
        processes._runs[connection] = SimpleNamespace(key=key)
    finished[1].send("output")
    dead[1].close()
    outputs = processes.carry_out(deque(), lambda cell, now: None)
    assert next(outputs)[1] == "output"
    with pytest.raises(FewshotError, match="the process of dead has died"):
        next(outputs)


PLACE = this_process(torch.device("cpu"))


def job(made, name, key="", steps=1):
    def do(device, report):
        made.append(name)
        report(Progress(1, 2))
        return name.upper()

    return StudyJob(name, key or name, do, steps)


def test_jobs_that_have_no_result_are_done_after_those_that_come_first():
    made, kept, said, done = [], [], [], {"kb": "stored"}
    jobs = [job(made, "a"), job(made, "b", "kb", steps=4), job(made, "c", steps=2)]
    run_missing_jobs(
        jobs, done, lambda one, result: kept.append((one.key, result)), PLACE, said.append, first=[job(made, "z")]
    )
    assert made == ["z", "a", "c"] and kept == [("a", "A"), ("c", "C")]
    assert done == {"kb": "stored", "a": "A", "c": "C"}
    assert (said[0].done, said[0].kept, said[0].doing) == (4, 4, "b")
    assert (said[-1].done, said[-1].total, said[-1].kept) == (8, 8, 4)
    assert Progress(6 + 1, 8, "c", kept=4) in said  # one of the two steps of c, half-way


def test_a_result_counts_only_once_it_is_kept():
    done, said = {}, []

    def full_disk(one, result):
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        run_missing_jobs([job([], "a")], done, full_disk, PLACE, said.append)
    assert not done and said[-1].done < said[-1].total
