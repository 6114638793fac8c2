"""The tutorial on the command line: its files are saved, and its commands run as they are written."""

import re
import shlex
import subprocess

import pytest
from browser.first_project import GIVEN
from cli.calls import call
from serving import ROOT

from annotate.worker.queue import JOBS_ELSEWHERE

pytestmark = pytest.mark.app

TEXT = (ROOT / "docs" / "start" / "shoebox.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", TEXT, re.M | re.S)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith(("fewshot ", "mkdir "))]
SHORT = {"run": ("--updates", "2", "--seeds", "1", "--shot-sets", "1")}
"""Options that shorten the trainings of a command."""


def test_the_commands_of_the_tutorial_make_a_treebank_a_model_and_a_budget(tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    (clone / "data").mkdir(parents=True)
    (clone / "data" / "sample").symlink_to(ROOT / "data" / "sample")
    monkeypatch.chdir(clone)
    monkeypatch.setenv("FEWSHOT_DB_URL", f"sqlite:///{tmp_path}/fewshot.db")
    monkeypatch.setenv(JOBS_ELSEWHERE, "1")
    for name, content in GIVEN.findall(TEXT):
        (clone / name).write_text(content, encoding="utf-8")
    printed = {}
    for line in COMMANDS:
        program, *words = shlex.split(line)
        if program == "fewshot":
            printed[line] = call(*words, *SHORT.get(words[0], ()), ends=0).output
        else:
            subprocess.run([program, *words], check=True)
    assert "20 saved, 23 not in Swahili pilot" in printed[COMMANDS[2]]
    assert (clone / "treebank.conllu").read_text(encoding="utf-8").count("sent_id") == 20
    assert "best score for the money" in printed["fewshot compare tags --target 85"]
    rows = re.findall(r"^\d+\t.*$", (clone / "rest-parsed.conllu").read_text(encoding="utf-8"), re.M)
    assert rows and all(row.count("_\t") < 6 and "Source=model" in row for row in rows)
