"""The direction of imports is the architecture: nobody imports upwards, and the app never loads torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

BELOW = {
    "samplers": set(),
    "fewshot.errors": set(),
    "fewshot.corpora": {"fewshot.errors"},
    "fewshot.costs": {"fewshot.corpora", "fewshot.errors"},
    "fewshot.curves": {"fewshot.costs", "fewshot.errors"},
    "fewshot.encoders": {"fewshot.corpora", "fewshot.errors"},
    "fewshot.heads": {"fewshot.errors"},
    "fewshot.tasks": {"fewshot.corpora", "fewshot.heads", "fewshot.encoders", "fewshot.errors"},
    "fewshot.training": {"fewshot.corpora", "fewshot.encoders", "fewshot.heads", "fewshot.tasks", "fewshot.errors"},
    "fewshot.evaluation": {
        "fewshot.corpora",
        "fewshot.costs",
        "fewshot.encoders",
        "fewshot.tasks",
        "fewshot.training",
        "fewshot.errors",
    },
    "fewshot.pretraining": {"fewshot.encoders", "fewshot.errors", "fewshot.corpora"},
    "fewshot.analysis": {
        "fewshot.corpora",
        "fewshot.costs",
        "fewshot.curves",
        "fewshot.encoders",
        "fewshot.errors",
        "fewshot.evaluation",
        "fewshot.experiments",
        "fewshot.heads",
        "fewshot.pretraining",
        "fewshot.reports",
        "fewshot.tasks",
        "fewshot.training",
    },
    "fewshot.reports": {"fewshot.corpora", "fewshot.costs", "fewshot.curves", "fewshot.errors"},
    "fewshot.cli": {"fewshot.commands", "fewshot.errors", "samplers"},
    "annotate": {
        "fewshot.corpora",
        "fewshot.costs",
        "fewshot.curves",
        "fewshot.errors",
        "fewshot.reports",
        "fewshot.tasks",
        "samplers",
    },
}
"""What each package may import, beside itself. Packages that are not named stand at the top and may import all."""

MODULES = [
    (path, ".".join(path.relative_to(ROOT).with_suffix("").parts))
    for top in ("samplers", "annotate", "fewshot")
    for path in sorted((ROOT / top).rglob("*.py"))
]


def package(module):
    parts = module.split(".")
    return parts[0] if parts[0] in ("samplers", "annotate") else ".".join(parts[:2])


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module in ("fewshot", "annotate")
            yield from (f"{node.module}.{name.name}" if whole else node.module for name in node.names)


@pytest.mark.parametrize(("path", "module"), MODULES, ids=[module for _, module in MODULES])
def test_imports_point_downwards(path, module):
    mine = package(module)
    if mine not in BELOW:
        return
    ours = {package(name) for name in imported(path) if name.split(".")[0] in ("samplers", "annotate", "fewshot")}
    assert ours <= BELOW[mine] | {mine}


@pytest.mark.parametrize(
    "names",
    [
        "samplers",
        ", ".join(module for _, module in MODULES if module.startswith("annotate") and ".migrations" not in module),
        "fewshot, fewshot.tasks; fewshot.tasks.registry()",
        "fewshot.corpora.load, fewshot.corpora.ud.cache",
        "fewshot.costs.rates, fewshot.curves.points, fewshot.curves.results",
        "fewshot.costs.speed_up, fewshot.curves.advice, fewshot.curves.compare, fewshot.reports.findings",
        "fewshot.cli",
        "annotate.jobs, fewshot.jobs.__main__, fewshot.commands.app",
    ],
)
def test_torch_is_not_loaded_by(names):
    code = f"import {names}\nimport sys\nassert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
