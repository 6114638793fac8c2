import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from cli.calls import call

from fewshot import cli
from fewshot.cli.common import base
from fewshot.curves.results import RESULTS, read_results

SECONDS = 800


def test_ctrl_c_while_commands_are_loaded_is_answered_in_a_line(monkeypatch, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(base, "discover", stop)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 130
    assert capsys.readouterr().err == "\nstopped; nothing was changed\n"


MAIN = "from fewshot.cli import main; main()"

KILLED_AFTER_TWO = f"""
import os, signal
from fewshot.experiments import run
append = run.append_result
stored = []

def append_or_die(path, result):
    append(path, result)
    stored.append(result)
    if len(stored) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

run.append_result = append_or_die
{MAIN}
"""


def begin(code, arguments, temporary, **environment):
    """Begin a command as the leader of a group of processes; its output ends when all of them have ended."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary), **environment},
    )


def stored(out):
    return {one.run: replace(one, seconds=0.0) for one in read_results(out / RESULTS)}


@pytest.mark.system
def test_a_command_that_is_killed_goes_on_and_finds_what_it_would_have(place, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    options = ["run", "--lang", "xx", "--data", place / "xx", "--model", place / "encoder", "--method", "lora"]
    options += ["--source", place / "source", "--k", "2", "--shot-sets", "3", "--seeds", "1", "--updates", "2", "--out"]
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    output, _ = begin(KILLED_AFTER_TWO, [*options, killed, "--jobs", "2"], temporary).communicate(timeout=SECONDS)
    assert "Jobs  2 at once, a thread each\n" in output
    before = stored(killed)
    assert len(before) == 2
    assert len(list(temporary.glob("fewshot-*/work.pt"))) == 1  # nobody was left to remove it
    again = begin(MAIN, [*options, killed, "--jobs", "1"], temporary)
    output, _ = again.communicate(timeout=SECONDS)
    assert again.returncode == 0, output
    assert "leaked" not in output  # by processes that have merged adapters
    assert not list(temporary.glob("fewshot-*"))
    after = stored(killed)
    assert len(after) == 4 and before.items() <= after.items()
    assert call(*options, whole).exit_code == 0
    assert after == stored(whole)


STOP_WHILE_LOADING = """
import os, sys
if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):
    with open(os.environ["LOADING"], "wb", buffering=0) as loading:
        loading.write(b".")
    with open(os.environ["RELEASE"], "rb") as release:
        release.read()
    os._exit(0)
"""
"""A module that Python imports before all others: a process that a command starts says so, and waits for its end."""


@pytest.mark.system
def test_ctrl_c_while_processes_load_is_answered_by_the_command_alone(place, tmp_path, tmp_path_factory):
    """A terminal sends it to the whole group."""
    loading, release = tmp_path / "loading", tmp_path / "release"
    handed = tmp_path_factory.mktemp("handed")  # a short path, below which the server's socket can be
    os.mkfifo(loading)
    os.mkfifo(release)
    (tmp_path / "sitecustomize.py").write_text(STOP_WHILE_LOADING)
    options = ["run", "--lang", "xx", "--data", place / "xx", "--model", place / "encoder", "--device", "cpu"]
    options += ["--source", place / "source", "--k", "2", "--jobs", "2", "--out", tmp_path / "out"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = begin(MAIN, options, handed, PYTHONPATH=path, LOADING=str(loading), RELEASE=str(release))
    with loading.open("rb", buffering=0) as begun:
        assert begun.read(1) == b"."
    os.killpg(command.pid, signal.SIGINT)
    assert command.wait(timeout=SECONDS) == 130
    assert not list(handed.glob("fewshot-*"))
    release.write_bytes(b"")
    output, _ = command.communicate(timeout=SECONDS)
    assert "Traceback" not in output
    assert output.endswith("\nstopped; finished work is kept; repeat the command to resume\n")
