"""Node, and the packages that the editors' tests need of npm."""

import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

FOLDER = Path(__file__).parent
HOW = "the editors are tested with Node.js 20 or newer and npm: install both, then run `npm ci` in tests/editors"


@pytest.fixture(scope="session")
def node():
    """Runs node in the project's folder; skips where node or its packages cannot be had."""
    path, npm = shutil.which("node"), shutil.which("npm")
    if path is None or npm is None:
        pytest.skip(HOW)
    packages = FOLDER / "node_modules"
    installed, wanted = packages / "installed.json", FOLDER / "package-lock.json"
    with FileLock(FOLDER / "node_modules.lock"):
        if not installed.is_file() or installed.read_bytes() != wanted.read_bytes():
            ended = _run([npm, "ci", "--no-audit", "--no-fund"], FOLDER)
            if ended.returncode:
                shutil.rmtree(packages, ignore_errors=True)
                pytest.skip(f"{HOW}: {ended.stderr.strip().splitlines()[0]}")
            shutil.copy(wanted, installed)

    def run(*arguments):
        return _run([path, "--no-warnings", *map(str, arguments)], FOLDER.parents[1])

    return run


def _run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
