"""Ctrl-C ends a command with one line whenever it comes, and leaves no process."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from fewshot import cli
from fewshot.cli import base

SECONDS = 120


def test_ctrl_c_while_commands_are_loaded_is_answered_in_a_line(monkeypatch, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(base, "discover", stop)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 130
    assert capsys.readouterr().err == "\nstopped; nothing was changed\n"


def group(leader):
    """The processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            state, _, its = path.read_text().rpartition(")")[2].split()[:3]
            found += [path.parent.name] if its == str(leader) and state != "Z" else []
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs what Linux says of processes")
def test_ctrl_c_while_processes_load_is_answered_by_the_command_alone(tmp_path):
    """A terminal sends it to the whole group."""
    handed = tmp_path / "handed"
    handed.mkdir()
    options = ["run", "--lang", "ja", "--k", "3", "--jobs", "2", "--device", "cpu", "--out", str(tmp_path / "out")]
    code = "from fewshot.cli import main; main()"
    running = subprocess.Popen(
        [sys.executable, "-c", code, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(handed)},
    )
    end = time.monotonic() + SECONDS
    while len(group(running.pid)) < 3 and time.monotonic() < end:  # itself, the tracker of its resources, a process
        time.sleep(0.02)
    time.sleep(0.2)  # it needs longer to load torch
    os.killpg(running.pid, signal.SIGINT)
    said, _ = running.communicate(timeout=SECONDS)
    assert running.returncode == 130
    assert "Traceback" not in said
    assert said.endswith("\nstopped; what is done is kept, and the same command goes on from here\n")
    while group(running.pid) and time.monotonic() < end:  # the tracker ends when it sees that it is alone
        time.sleep(0.02)
    assert not group(running.pid)
    assert not list(handed.glob("fewshot-*"))
