import subprocess
import sys
from importlib.metadata import version

import pytest
from cli.calls import call

HEAVY = {"torch", "transformers", "pandas", "scipy", "plotly", "streamlit", "sqlalchemy"}


@pytest.mark.app
def test_help_loads_no_large_library():
    modules = "sys, fewshot.cli, annotate.cli, fewshot.papers.commands"
    code = f"import {modules}; fewshot.cli.app; print({HEAVY} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "set()"


def test_version_is_that_of_the_package():
    assert call("--version").output == f"fewshot {version('fewshot')}\n"


@pytest.mark.parametrize(
    ("group", "usual"),
    [
        ("", "run zero-shot transfer predict push compare source pretrain app worker backup restore export"),
        ("data", "list get check"),
        ("users", "add"),
        ("analyze", "bilingual monolingual few-shot-grid language-id overlap alignment transfer resources layers"),
    ],
)
def test_commands_are_listed_in_the_order_of_the_work_with_a_line_of_help(group, usual):
    output = call(*group.split(), "--help").output.partition("Commands")[2]
    listed = [line.strip("│ ").split(maxsplit=1) for line in output.splitlines() if line.startswith("│ ")]
    assert [words[0] for words in listed if words[0] in usual.split()] == usual.split()
    assert all(len(words) == 2 for words in listed)
