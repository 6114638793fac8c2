import os
import signal
import tempfile
from dataclasses import replace

import pytest
from experiments.planned import IN_ROUNDS, PLAN, RATES, of, scores

from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.experiments.executors import local, starting
from fewshot.experiments.executors.local import Local
from fewshot.experiments.run import MODEL_FOLDER, execute
from fewshot.training.description import read_description

pytestmark = pytest.mark.system


def test_processes_find_what_one_does_and_say_how_far_they_are(setup, one_thread, tmp_path, monkeypatch):
    plan, folder, said = replace(IN_ROUNDS, seeds=1), tmp_path / ("n" * 100), []
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))  # a socket below it would have too long a path
    monkeypatch.setattr(tempfile, "tempdir", None)
    alone = execute(of(setup, plan), tmp_path / "alone", RATES)
    several = execute(of(setup, plan), tmp_path / "several", RATES, said.append, workers=Local(2))
    assert scores(several) == scores(alone)
    assert [one.chosen for one in several] == [one.chosen for one in alone]
    assert sorted(scores(read_results(tmp_path / "several" / RESULTS))) == sorted(scores(alone))
    losses = [now.loss for now in said if now.loss is not None]
    assert losses and all(isinstance(loss, float) for loss in losses)
    assert said[-1].share == 1
    models = [read_description(tmp_path / name / MODEL_FOLDER) for name in ("alone", "several")]
    assert models[0]["run"] == models[1]["run"]
    before = (tmp_path / "several" / RESULTS).read_bytes()
    assert execute(of(setup, plan), tmp_path / "several", RATES, workers=Local(2)) == several
    assert (tmp_path / "several" / RESULTS).read_bytes() == before


def describe(path, variable):
    """Write the value of a variable of the environment, and whether this process never receives Ctrl-C."""
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    path.write_text(f"{os.environ[variable]} {blocked}")


@pytest.mark.parametrize("server", [starting._fork_server, lambda: None], ids=["forked", "spawned"])
def test_a_process_has_the_environment_of_its_starter_and_no_ctrl_c(tmp_path, monkeypatch, server):
    monkeypatch.setattr(starting, "_fork_server", server)
    for value in ("one", "two"):
        monkeypatch.setenv("FEWSHOT_TEST", value)
        process = starting.start_process(describe, tmp_path / value, "FEWSHOT_TEST")
        process.join()
        assert process.exitcode == 0
        assert (tmp_path / value).read_text() == f"{value} True"


def test_a_process_that_dies_is_named_and_costs_nothing_but_its_run(setup, tmp_path, monkeypatch):
    begun, processes, begin = [], [], local.Processes._begin

    def begin_and_kill_the_third(self, run):
        begin(self, run)
        begun.append(run.cell)
        if len(begun) == 3:
            processes.extend(self._processes.values())
            connection = next(connection for connection, given in self._runs.items() if given == run)
            os.kill(self._processes[connection].pid, signal.SIGKILL)

    monkeypatch.setattr(local.Processes, "_begin", begin_and_kill_the_third)
    with pytest.raises(FewshotError, match=r"the process of .* has died.*--jobs") as raised:
        execute(of(setup, PLAN), tmp_path, RATES, workers=Local(2))
    assert str(begun[2]) in str(raised.value)
    assert len(processes) == 2 and not any(process.is_alive() for process in processes)
    kept = {one.run: one for one in read_results(tmp_path / RESULTS)}
    assert 1 <= len(kept) <= 2
    after = {one.run: one for one in execute(of(setup, PLAN), tmp_path, RATES)}
    assert len(after) == 9 and kept.items() <= after.items()
