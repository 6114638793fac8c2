"""The direction of imports is the architecture: nobody imports upwards, and the app never loads torch."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

BELOW = {
    "errors": "",
    "progress": "",
    "records": "errors",
    "checkpoint": "errors",
    "fewshot": "",
    "samplers": "",
    "heads": "",
    "corpora": "errors",
    "encoders": "checkpoint corpora errors",
    "tasks": "corpora encoders errors heads",
    "costs": "corpora errors tasks",
    "curves": "costs errors tasks",
    "llm": "corpora curves errors tasks",
    "options": "llm",
    "training": "checkpoint corpora encoders errors heads tasks",
    "evaluation": "corpora costs encoders errors tasks training",
    "reports": "corpora costs curves errors",
    "pretraining": "checkpoint corpora encoders errors training",
    "shrinking": "checkpoint corpora encoders errors pretraining training",
    "experiments": "corpora costs curves encoders errors evaluation llm options samplers tasks training",
    "transfer": "corpora curves encoders errors evaluation experiments reports tasks training",
    "source_choice": "corpora encoders errors experiments reports tasks training transfer",
    "hub": "corpora curves encoders experiments heads tasks training",
    "notebook": "corpora costs curves encoders errors evaluation experiments samplers tasks training",
    "cli": "checkpoint corpora costs curves encoders errors evaluation experiments fewshot hub llm options "
    "pretraining progress reports samplers shrinking source_choice tasks training transfer",
    "annotate": "cli corpora costs curves encoders errors evaluation experiments fewshot hub llm options reports "
    "samplers source_choice tasks training transfer",
    "papers": "cli corpora costs curves encoders errors evaluation experiments heads options pretraining progress "
    "reports samplers source_choice tasks training transfer",
}
"""What each package may import, beside itself, of those above it; a new one must be named."""

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for top in ("samplers", "annotate", "fewshot")
    for path in sorted((ROOT / top).rglob("*.py"))
}
WITHOUT_TORCH = [
    "samplers",
    *(name for name in MODULES if name.startswith("annotate") and not re.search(r"\.(migrations|worker)", name)),
    "annotate.worker.__main__",
    "annotate.worker.queue",
    "fewshot",
    "fewshot.tasks",
    "fewshot.corpora.load",
    "fewshot.corpora.ud.cache",
    "fewshot.costs.prices",
    "fewshot.costs.speed_up",
    "fewshot.curves.advice",
    "fewshot.curves.compare",
    "fewshot.curves.points",
    "fewshot.curves.results",
    "fewshot.reports.findings",
    "fewshot.llm",
    "fewshot.options",
    "fewshot.cli",
    "fewshot.papers.commands",
    "fewshot.transfer.prediction",
]
"""Modules that the app and the first lines of a command import."""

IMPORT_ALL = """
import importlib, sys

class Refusal:
    \"\"\"Notes who imports torch, and lets nobody import torch.\"\"\"

    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            importers.append(module)
            raise ImportError("torch is refused")

importers, module = [], ""
sys.meta_path.insert(0, Refusal())
for module in sys.argv[1:]:
    try:
        importlib.import_module(module)
    except ImportError:
        if module not in importers:
            raise
module = "fewshot.tasks.registry()"
sys.modules["fewshot.tasks"].registry()
module = "fewshot.cli.app"
sys.modules["fewshot.cli"].app
sys.exit(f"torch is imported by: {', '.join(importers)}" if importers else 0)
"""


def package(module):
    parts = module.split(".")
    return parts[1] if parts[0] == "fewshot" and len(parts) > 1 else parts[0]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module in ("fewshot", "annotate")
            yield from (f"{node.module}.{name.name}" if whole else node.module for name in node.names)


def test_imports_point_downwards():
    upwards = {}
    for module, path in MODULES.items():
        mine = package(module)
        ours = {package(name) for name in imported(path) if name.split(".")[0] in ("samplers", "annotate", "fewshot")}
        upwards[module] = ours - {*BELOW[mine].split(), mine, "errors", "progress", "records"}
    assert not {module: names for module, names in upwards.items() if names}


def test_packages_stand_above_those_that_import_them():
    order = list(BELOW)
    assert all(order.index(one) < order.index(name) for name, below in BELOW.items() for one in below.split())


def test_nothing_imports_the_studies():
    own = ("fewshot/papers/", "tests/papers/", "docs/tables.py")  # the last one shows what a study found
    paths = [
        path for top in ("samplers", "annotate", "fewshot", "docs", "tests") for path in (ROOT / top).rglob("*.py")
    ]
    outside = [path for path in paths if not path.relative_to(ROOT).as_posix().startswith(own)]
    others = [path for path in outside if "papers" in path.read_text(encoding="utf-8")]
    assert not [path for path in others if any(f"{name}.".startswith("fewshot.papers.") for name in imported(path))]


@pytest.mark.app
def test_torch_is_not_imported_by_the_app_and_the_command_line():
    command = [sys.executable, "-c", IMPORT_ALL, *WITHOUT_TORCH]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
