"""The commands that the documentation and the ``--help`` of each command show."""

import importlib
import re
import sys
from functools import cache
from pathlib import Path

import typer.main

from fewshot.cli import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MODELS = ROOT / "data" / "models"
PAGES = [
    *(page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "generated"),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    MODELS / "README.md",
    *sorted(MODELS.glob("*.toml")),
]
TEXTS = [page.read_text(encoding="utf-8") for page in PAGES]

LINE = re.compile(r"(?:^|`|# +|bin/)\s*(fewshot [a-z-]+ [^`\n]*)", re.M)
MENTIONED = sorted({line.strip(" #`") for text in TEXTS for line in LINE.findall(text)})
"""Commands with their arguments, in blocks of code and in sentences."""

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
BLOCKS = [block for text in TEXTS for name, block in BLOCK.findall(text) if not name]
TYPED = sorted(
    {line for block in BLOCKS for line in block.splitlines() if re.match(r"fewshot [a-z-]+( [^$]*)?$", line)}
)
"""Lines of blocks of code that are commands to be typed; those with variables of a shell are left out."""


@cache
def commands():
    """Return the group of all commands."""
    return typer.main.get_command(app)


def script(name):
    """Return a module of ``docs/``, which is a folder of scripts."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    return importlib.import_module(name)


@cache
def examples():
    """Return the lines of the example at the end of each command's ``--help``, by the command's name."""
    return {name: (command.epilog or "").splitlines()[1:] for name, command in script("commands").leaves(commands())}
