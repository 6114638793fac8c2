"""The direction of imports is the architecture: nobody imports upwards, and the app never loads torch."""

import ast
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
    "training": "checkpoint corpora encoders errors heads tasks",
    "evaluation": "corpora costs encoders errors tasks training",
    "reports": "corpora costs curves errors",
    "pretraining": "checkpoint corpora encoders errors training",
    "shrinking": "checkpoint corpora encoders errors pretraining training",
    "experiments": "corpora costs curves encoders errors evaluation llm samplers tasks training",
    "papers": "corpora costs curves encoders errors evaluation experiments heads pretraining progress "
    "reports samplers tasks training",
    "hub": "corpora curves encoders experiments heads tasks training",
    "notebook": "corpora costs curves encoders errors evaluation experiments samplers tasks training",
    "cli": "papers checkpoint corpora costs curves encoders errors evaluation experiments fewshot hub llm pretraining "
    "progress reports samplers shrinking tasks training",
    "annotate": "papers cli corpora costs curves encoders errors evaluation experiments fewshot hub llm reports "
    "samplers tasks training",
}
"""What each package may import, beside itself, of those above it; a new one must be named."""

MODULES = [
    (path, ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    for top in ("samplers", "annotate", "fewshot")
    for path in sorted((ROOT / top).rglob("*.py"))
]


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


@pytest.mark.parametrize(("path", "module"), MODULES, ids=[module for _, module in MODULES])
def test_imports_point_downwards(path, module):
    mine = package(module)
    ours = {package(name) for name in imported(path) if name.split(".")[0] in ("samplers", "annotate", "fewshot")}
    assert ours <= {*BELOW[mine].split(), mine, "errors", "progress", "records"}


def test_packages_stand_above_those_that_import_them():
    order = list(BELOW)
    assert all(order.index(one) < order.index(name) for name, below in BELOW.items() for one in below.split())


@pytest.mark.app
@pytest.mark.parametrize(
    "names",
    [
        "samplers",
        ", ".join(
            module
            for _, module in MODULES
            if module.startswith("annotate") and not any(part in module for part in (".migrations", ".worker"))
        ),
        "fewshot, fewshot.tasks; fewshot.tasks.registry()",
        "fewshot.corpora.load, fewshot.corpora.ud.cache",
        "fewshot.costs.prices, fewshot.curves.points, fewshot.curves.results",
        "fewshot.costs.speed_up, fewshot.curves.advice, fewshot.curves.compare, fewshot.reports.findings",
        "fewshot.llm",
        "fewshot.cli; fewshot.cli.app",
        "annotate.worker.queue, annotate.worker.__main__",
    ],
)
def test_torch_is_not_loaded_by(names):
    code = f"import {names}\nimport sys\nassert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
