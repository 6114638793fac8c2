import platform
import subprocess
import sys

import pytest

from fewshot.training import memory

GAPS = """
import torch
from fewshot.training.memory import SLACK_BYTES, MemoryTrimmer, resident_bytes
trimmer = MemoryTrimmer()
kept = [torch.ones(20_000) for _ in range(2 * SLACK_BYTES // 80_000)]  # too small to be mapped one by one
full = resident_bytes()
kept = kept[::100]
gaps = resident_bytes()
trimmer.trim()
print(full, gaps, resident_bytes())
"""


@pytest.mark.app
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back when it is asked to")
def test_what_lies_free_between_what_is_used_is_given_back():
    done = subprocess.run([sys.executable, "-c", GAPS], capture_output=True, text=True, check=True, timeout=120)
    full, gaps, after = map(int, done.stdout.split())
    assert gaps > full - memory.SLACK_BYTES / 2, "the gaps were given back anyway, so that this shows nothing"
    assert after < gaps - memory.SLACK_BYTES


def test_nothing_is_done_where_the_system_says_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "STATM", tmp_path / "statm")
    assert memory.resident_bytes() == 0
    memory.MemoryTrimmer().trim()
