"""Node, and the packages that the editors' tests need of npm."""

import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

FOLDER = Path(__file__).parent
HOW = "the editors are tested with Node.js 20 or newer and npm: install them, then run `npm ci` in tests/editors"


def find_node():
    """Return node's path with the packages installed; the test is skipped where either is missing."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip(HOW)
    with FileLock(FOLDER / "node_modules.lock"):
        if not (FOLDER / "node_modules" / "happy-dom").is_dir():
            command = [npm, "ci", "--no-audit", "--no-fund"]
            installed = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
            if installed.returncode:
                shutil.rmtree(FOLDER / "node_modules", ignore_errors=True)
                pytest.skip(f"{HOW} ({installed.stderr.strip().splitlines()[-1:]})")
    return node


def run(node, *arguments):
    """Run node in the folder of the project, and return what it wrote."""
    return subprocess.run(
        [node, "--no-warnings", *arguments], cwd=FOLDER.parents[1], capture_output=True, text=True, check=False
    )
