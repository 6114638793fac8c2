"""What the command line loads before it does anything, and how it lists its commands."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from cli.calls import call

HEAVY = {"torch", "transformers", "pandas", "scipy", "plotly", "streamlit", "sqlalchemy"}


@pytest.mark.app
def test_help_loads_no_large_library():
    code = f"import sys, fewshot.cli, annotate.cli; fewshot.cli.app; print({HEAVY} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "set()"


def test_version_is_that_of_the_package():
    assert call("--version").output == f"fewshot {version('fewshot')}\n"


@pytest.mark.parametrize("group", ["", "data", "users", "analyze"])
def test_every_command_has_a_line_of_help(group):
    result = call(*group.split(), "--help")
    assert result.exit_code == 0
    commands = [line.strip("│ ").split(maxsplit=1) for line in result.output.partition("Commands")[2].splitlines()[1:]]
    assert all(len(words) == 2 for words in commands if words and not words[0].startswith("╰"))


@pytest.mark.parametrize(
    ("group", "usual"),
    [
        ("", "run zero-shot transfer predict push compare source pretrain app worker backup restore export"),
        ("data", "list get check"),
        ("analyze", "bilingual monolingual few-shot-grid language-id overlap alignment transfer resources layers"),
    ],
)
def test_commands_are_listed_in_the_order_of_the_work(group, usual):
    listed = [line.split()[1] for line in call(*group.split(), "--help").output.splitlines() if line.startswith("│ ")]
    assert [name for name in listed if name in usual.split()] == usual.split()
