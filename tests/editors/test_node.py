"""The tests of the editors' JavaScript, which node runs."""

import pytest
from node import FOLDER, run

pytestmark = pytest.mark.app


def test_the_editors(node):
    files = sorted(str(path.relative_to(FOLDER.parents[1])) for path in FOLDER.glob("*.test.js"))
    result = run(node, "--test", "--test-reporter=tap", *files)
    assert result.returncode == 0, "\n".join(failures(result.stdout)) or result.stdout + result.stderr


def failures(output):
    """Yield the lines of the tests that failed."""
    shown = False
    for line in output.splitlines():
        if "ok " in line[:12]:
            shown = line.lstrip().startswith("not ok")
        if shown:
            yield line
