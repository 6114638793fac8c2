"""``fewshot run --jobs`` that is killed in the middle, and called again."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from fewshot.curves.results import RESULTS, read_results

pytestmark = pytest.mark.system

CODE = "from fewshot.cli import main; main()"
SECONDS = 300


def begin(out, temporary):
    options = {"--lang": "ja", "--k": "3", "--shot-sets": "8", "--updates": "8"}
    options |= {"--seeds": "1", "--jobs": "2", "--device": "cpu", "--out": str(out)}
    words = [word for pair in options.items() for word in pair]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen([sys.executable, "-c", CODE, "run", *words], env=environment, start_new_session=True)


def found(out):
    return {one.run: replace(one, seconds=0.0) for one in read_results(out / RESULTS)}


def test_a_command_that_is_killed_goes_on_and_finds_what_it_would_have(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    killed, ends = begin(tmp_path / "killed", temporary), time.monotonic() + SECONDS
    while len(found(tmp_path / "killed")) < 2 and time.monotonic() < ends:
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait(SECONDS)
    before = found(tmp_path / "killed")
    assert 2 <= len(before) < 9
    with suppress(ProcessLookupError):  # its processes end by themselves
        while time.monotonic() < ends:
            os.killpg(killed.pid, 0)
            time.sleep(0.05)
    assert len(list(temporary.glob("fewshot-*/work.pt"))) == 1  # nobody was left to remove it
    assert begin(tmp_path / "killed", temporary).wait(SECONDS) == 0
    assert begin(tmp_path / "whole", temporary).wait(SECONDS) == 0
    after = found(tmp_path / "killed")
    assert after == found(tmp_path / "whole") and len(after) == 9
    assert before.items() <= after.items()
    assert not list(temporary.glob("fewshot-*"))
