from pathlib import Path

import pytest

pytestmark = [pytest.mark.app, pytest.mark.timeout(900)]


def test_the_editors(node):
    ended = node("--test", "--test-reporter=tap", *sorted(Path(__file__).parent.glob("*.test.js")))
    assert ended.returncode == 0, "\n".join(failures(ended.stdout)) or ended.stdout + ended.stderr


def test_the_types_of_the_editors(node):
    """TypeScript checks names, properties and numbers of arguments; what it cannot infer may be anything."""
    folder = Path(__file__).parent
    checked = node(folder / "node_modules" / "typescript" / "bin" / "tsc", "-p", folder, "--pretty", "false")
    assert checked.returncode == 0, checked.stdout


def failures(output):
    """Yield the lines of the tests that failed."""
    shown = False
    for line in output.splitlines():
        if line.lstrip().startswith(("ok ", "not ok ")):
            shown = line.lstrip().startswith("not ok ")
        if shown:
            yield line
