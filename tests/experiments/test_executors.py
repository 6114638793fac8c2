"""Several processes find what one does, to the digit, and nothing is lost where one dies."""

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace

import pytest
import torch
from experiments.planned import IN_ROUNDS, PLAN, RATES, of, scores

from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.experiments.clock import Clock
from fewshot.experiments.executors import local
from fewshot.experiments.executors.handed import handed_over
from fewshot.experiments.executors.local import Local
from fewshot.experiments.interrupts import interrupts_held_back
from fewshot.experiments.run import MODEL, execute
from fewshot.progress import Progress
from fewshot.training.model import read_description

pytestmark = pytest.mark.system


@pytest.mark.parametrize("plan", [PLAN, replace(IN_ROUNDS, shot_sets=2, seeds=1)], ids=["at once", "in rounds"])
def test_processes_find_what_one_does(setup, plan, one_thread, tmp_path):
    experiment = lambda: of(setup, plan)  # noqa: E731  # each with draws of its own
    alone = execute(experiment(), tmp_path / "alone", RATES)
    said = []
    several = execute(experiment(), tmp_path / "several", RATES, said.append, workers=Local(2))
    assert scores(several) == scores(alone)
    assert [one.chosen for one in several] == [one.chosen for one in alone]
    assert sorted(scores(read_results(tmp_path / "several" / RESULTS))) == sorted(scores(alone))
    assert said[-1].share == 1
    models = [read_description(tmp_path / name / MODEL) for name in ("alone", "several")]
    assert models[0]["run"] == models[1]["run"]
    before = (tmp_path / "several" / RESULTS).read_bytes()
    assert execute(experiment(), tmp_path / "several", RATES, workers=Local(2)) == several
    assert (tmp_path / "several" / RESULTS).read_bytes() == before


def test_a_plan_whose_last_shots_repeat_others_ends(setup, tmp_path):
    """Of the whole pool there is one draw: where nothing is left to train, nobody is waited for."""
    whole = replace(PLAN, ks=(len(setup.corpus.pool),), samplers=("random",), shot_sets=3)
    found = execute(of(setup, whole), tmp_path, RATES, workers=Local(1))
    assert [one.seconds > 0 for one in found if one.k] == [True, False, False]


def test_no_process_at_all_is_refused():
    with pytest.raises(FewshotError, match="jobs is 0; it must be at least 1, or None"):
        Local(0)


def test_runs_under_way_at_once_are_all_named(setup):
    said = []
    first, second = (one for one in setup.conditions[1:3])
    experiment = of(setup, PLAN)
    clock = Clock(experiment.updates(), experiment.name, said.append)
    for condition in (first, second):
        clock.tell(condition, Progress(1, 2))
    assert said[-1].doing == f"{first}; {second}"
    clock.finish(first, anew=True)
    clock.tell(second, Progress(2, 2))
    assert said[-1].doing == str(second)


def test_a_plan_in_rounds_that_grows_goes_on_in_any_process(setup, one_thread, tmp_path):
    plan = replace(IN_ROUNDS, samplers=("entropy",), ks=(3, 6))
    execute(of(setup, plan), tmp_path, RATES, workers=Local(2))
    grown = execute(of(setup, replace(plan, ks=(3, 6, 9))), tmp_path, RATES, workers=Local(2))
    alone = execute(of(setup, replace(plan, ks=(3, 6, 9))), tmp_path / "alone", RATES)
    assert scores(grown) == scores(alone)


def test_a_process_that_dies_is_named_and_costs_nothing_but_its_run(setup, tmp_path, monkeypatch):
    killed = []
    begin = local.Processes.begin

    def and_kill(self, run):
        begin(self, run)
        if run.condition.k and not killed:
            connection = next(one for one, given in self._runs.items() if given == run)
            os.kill(self._processes[connection].pid, signal.SIGKILL)
            killed.append(str(run.condition))

    monkeypatch.setattr(local.Processes, "begin", and_kill)
    with pytest.raises(FewshotError, match=f"the process of {PLAN.samplers[0]} k=3 set 0 seed 0 has died") as raised:
        execute(of(setup, PLAN), tmp_path, RATES, workers=Local(1))
    assert "--jobs" in str(raised.value)
    assert [one.k for one in read_results(tmp_path / RESULTS)] == [0]
    assert len(execute(of(setup, PLAN), tmp_path, RATES)) == 9


def test_an_error_in_a_process_is_that_of_the_command(setup, tmp_path):
    unscored = replace(
        of(setup, PLAN), corpus=replace(setup.corpus, test=tuple(one.unannotated() for one in setup.corpus.test))
    )
    with pytest.raises(FewshotError, match="no pos annotation here"):
        execute(unscored, tmp_path, RATES, workers=Local(1))


def test_processes_tell_how_far_they_are_under_a_temporary_folder_of_a_long_name(setup, tmp_path, monkeypatch):
    long, losses = tmp_path / ("n" * 100), []
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))  # a socket below it would have too long a path
    monkeypatch.setattr(tempfile, "tempdir", None)
    execute(of(setup, PLAN), tmp_path / "out", RATES, lambda now: losses.append(now.loss), workers=Local(2))
    assert any(losses) and all(isinstance(one, float) for one in losses if one is not None)


def test_a_stopped_command_leaves_no_process(setup, tmp_path, monkeypatch):
    started = []
    enter = local.Processes.__enter__

    def remember(self):
        enter(self)
        started.extend(self._processes.values())
        return self

    def stop(now):
        if now.loss is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(local.Processes, "__enter__", remember)
    with pytest.raises(KeyboardInterrupt):
        execute(of(setup, PLAN), tmp_path, RATES, stop, workers=Local(2))
    assert len(started) == 2
    assert not any(process.is_alive() for process in started)


def test_nothing_is_said_to_leak_when_a_process_has_merged_adapters(tmp_path):
    words = "run --lang sw --k 2 --updates 1 --seeds 1 --shot-sets 1 --method lora --jobs 1 --device cpu --out"
    code = [sys.executable, "-c", "from fewshot.cli import main; main()", *words.split(), str(tmp_path / "out")]
    ended = subprocess.run(code, check=True, capture_output=True, text=True)
    assert "leaked" not in ended.stderr


@pytest.mark.parametrize("error", [OSError("no more processes"), KeyboardInterrupt()], ids=["error", "ctrl-c"])
@pytest.mark.parametrize("fails", ["the file", "the second process"])
def test_processes_that_do_not_all_begin_leave_nothing(setup, tmp_path, monkeypatch, fails, error):
    start, started = local.Processes._start, []

    def failing(self, handed, number):
        if number == 1:
            raise error
        start(self, handed, number)
        started.extend(self._processes.values())

    def unsaved(*_):
        raise error

    monkeypatch.setattr(local.Processes, "_start", failing)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    if fails == "the file":
        monkeypatch.setattr(torch, "save", unsaved)
    with pytest.raises(type(error)), local.Processes(of(setup, PLAN), 2):
        pass
    assert len(started) == (fails == "the second process")
    assert not any(process.is_alive() for process in started)
    assert not list(tmp_path.iterdir())


def test_the_file_of_a_killed_command_is_removed_and_that_of_another_one_is_left(setup, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "fewshot-left"
    left.mkdir()
    (left / "work.pt").touch()
    (left / ".lock").touch()
    (tmp_path / "fewshot-begun").mkdir()  # of a process that has not yet locked it
    with handed_over(of(setup, PLAN)) as first:
        assert not left.exists()
        with handed_over(of(setup, PLAN)) as second:
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
    with handed_over(of(setup, PLAN)):
        assert [path.name for path in folder.iterdir()] == ["work.pt"]


def test_ctrl_c_while_a_process_begins_comes_after_it():
    """The process never hears it: it has the signals blocked that were so where it was begun."""
    with pytest.raises(KeyboardInterrupt), interrupts_held_back():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
        blocked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        done = True
    assert done and blocked == "True\n"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
