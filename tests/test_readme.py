"""The commands that the documentation shows are commands that exist."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from fewshot.cli import app

ROOT = Path(__file__).resolve().parents[1]
MODELS = ROOT / "data" / "models"
PAGES = [
    ROOT / "README.md",
    ROOT / "annotate" / "README.md",
    ROOT / "samplers" / "README.md",
    ROOT / "fewshot" / "papers" / "README.md",
    ROOT / "fewshot" / "pretraining" / "README.md",
    MODELS / "README.md",
    *sorted(MODELS.glob("*.toml")),
]
SHOWN = sorted(
    {
        line.strip(" #`")
        for page in PAGES
        for line in re.findall(r"(?:^|`|# +)\s*(fewshot [a-z]+ [^`\n]*)", page.read_text(encoding="utf-8"), re.M)
    }
)


def test_the_pages_show_commands():
    assert len(SHOWN) > 8


@pytest.mark.parametrize("line", SHOWN)
def test_command_exists_with_its_options(line):
    words = shlex.split(line.split("   #")[0], comments=True)[1:]
    command = typer.main.get_command(app)
    while words and hasattr(command, "commands"):
        name = words.pop(0).rstrip(",")
        found = command.get_command(None, name)
        assert found, line
        command = found
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= known


def test_the_table_of_few_shots_is_that_of_the_results():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.partition("<!-- few-shot table: python docs/tables.py -->\n")[2].partition("<!-- end of table -->")[0]
    assert shown == tables.few_shot()
