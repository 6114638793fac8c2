"""What holds for all code and all tests: short files and functions, no waiting by the clock, no hasty assertions."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent

CLOCKS = {"perf_counter", "monotonic", "time", "perf_counter_ns", "monotonic_ns", "time_ns"}

READS_PAGE = {
    "all_inner_texts",
    "all_text_contents",
    "count",
    "get_attribute",
    "inner_text",
    "input_value",
    "is_checked",
    "is_enabled",
    "is_hidden",
    "is_visible",
    "text_content",
}
"""Methods of a browser's page that say what is there now, and wait for nothing."""

ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)

FILE_LINES, FUNCTION_LINES = 300, 40
"""Most lines of a file, and of a function behind its docstring."""

LONG_FILES = {
    "annotate/components/fields.py": 353,
    "annotate/editing/content.py": 311,
    "annotate/exchange/importing.py": 337,
    "annotate/exchange/projects.py": 352,
    "annotate/pages/new_project.py": 307,
    "annotate/pages/work.py": 334,
    "annotate/search/changes.py": 329,
    "annotate/store/items.py": 336,
    "fewshot/corpora/formats/conllu.py": 399,
    "fewshot/corpora/formats/eaf_tiers.py": 319,
    "fewshot/corpora/formats/flextext_phrases.py": 318,
    "fewshot/corpora/formats/jsonl.py": 315,
    "fewshot/corpora/formats/label_studio_tasks.py": 339,
    "fewshot/corpora/formats/sfm.py": 331,
    "fewshot/corpora/patterns/parsing.py": 303,
    "fewshot/corpora/types.py": 410,
    "fewshot/tasks/base.py": 432,
}
"""Files that are longer, which may become shorter; delete the line of one that is short."""

LONG_FUNCTIONS = {
    "fewshot/cli/sources.py: sources": 49,
    "fewshot/pretraining/adapting.py: adapt": 41,
}
"""Functions that are longer, likewise."""


def offenders(source):
    """Yield (line, what) of each wait by the clock and each assertion on elapsed time in a module's source."""
    tree = ast.parse(source)
    names = imported_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (waits := waiting_call(node, names)):
            yield node.lineno, waits
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))):
        for line in elapsed_assertions(scope, names):
            yield line, "an assertion on elapsed time"


def hasty_assertions(source):
    """Yield (line, what) of each assertion that reads a browser's page once, where `expect` would wait."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            for call in (part for part in ast.walk(node.test) if isinstance(part, ast.Call)):
                name = getattr(call.func, "attr", "")
                if name in READS_PAGE and (name != "count" or not call.args):
                    yield node.lineno, f".{name}() in an assertion"


def imported_names(tree):
    """Return the full name of each name that a module imports: {"sleep": "time.sleep", "t": "time"}."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.asname or name.name: name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    return found


def full_name(node, names):
    """Return the dotted name of an expression with its imports resolved, or an empty string."""
    if isinstance(node, ast.Attribute):
        return f"{full_name(node.value, names)}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def waiting_call(call, names):
    """Return the name of a call that waits by the clock, or None."""
    name = full_name(call.func, names)
    if name == "time.sleep" or name.endswith(".wait_for_timeout"):
        return name.lstrip(".")
    if name == "asyncio.sleep":
        first = call.args[0] if call.args else None
        return None if isinstance(first, ast.Constant) and first.value == 0 else name
    if isinstance(call.func, ast.Attribute) and call.func.attr == "wait" and isinstance(call.func.value, ast.Call):
        return "Event().wait" if full_name(call.func.value.func, names) == "threading.Event" else None
    return None


def elapsed_assertions(scope, names):
    """Yield the line of each assertion in a scope that compares a difference of two readings of a clock."""
    readings, differences = set(), set()

    def reads(node):
        call = isinstance(node, ast.Call) and full_name(node.func, names) in {f"time.{clock}" for clock in CLOCKS}
        return call or (isinstance(node, ast.Name) and node.id in readings)

    def differs(node):
        minus = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        return (minus and any(map(reads, ast.walk(node)))) or (isinstance(node, ast.Name) and node.id in differences)

    for node in sorted(ast.walk(scope), key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, ast.Assign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
                if any(map(differs, ast.walk(node.value))):
                    differences.add(name)
                elif any(map(reads, ast.walk(node.value))):
                    readings.add(name)
        elif isinstance(node, ast.Assert):
            compared = [part for part in ast.walk(node.test) if isinstance(part, ast.Compare)]
            ordered = [part for part in compared if any(isinstance(op, ORDERS) for op in part.ops)]
            if any(differs(part) or is_deadline(part, names) for one in ordered for part in ast.walk(one)):
                yield node.lineno


def is_deadline(node, names):
    """Whether an expression reads a clock that has no other use than to measure."""
    return isinstance(node, ast.Call) and full_name(node.func, names) in ("time.monotonic", "time.perf_counter")


def sizes(source):
    """Yield (name, lines) of each function, its docstring not counted."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0].end_lineno + 1 if ast.get_docstring(node) else node.body[0].lineno
            yield node.name, max(0, node.end_lineno - first + 1)


def test_files_and_functions_are_short():
    files, functions = {}, {}
    for folder in ("annotate", "fewshot", "samplers"):
        for path in sorted((TESTS.parent / folder).rglob("*.py")):
            name, source = path.relative_to(TESTS.parent).as_posix(), path.read_text("utf-8")
            files[name] = source.count("\n")
            functions |= {f"{name}: {function}": lines for function, lines in sizes(source) if lines > FUNCTION_LINES}
    files = {name: lines for name, lines in files.items() if lines > FILE_LINES}
    for found, known in ((files, LONG_FILES), (functions, LONG_FUNCTIONS)):
        assert not {name: lines for name, lines in found.items() if lines > known.get(name, 0)}
        assert found.keys() == known.keys()


def test_no_test_waits_by_the_clock():
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        if not name.startswith("benchmarks/"):
            found += [f"tests/{name}:{line}: {what}" for line, what in sorted(set(offenders(path.read_text("utf-8"))))]
    assert not found, "wait for a state instead, with an event or tests/waiting.py:\n" + "\n".join(found)


def test_no_assertion_reads_a_page_that_may_not_be_drawn_yet():
    found = []
    for path in sorted((TESTS / "browser").glob("*.py")):
        for line, what in sorted(set(hasty_assertions(path.read_text("utf-8")))):
            found.append(f"tests/browser/{path.name}:{line}: {what}")
    assert not found, "wait for it with playwright's expect(...):\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import time\ntime.sleep(1)", [2]),
        ("from time import sleep as nap\nnap(1)", [2]),
        ("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    await asyncio.sleep(0.1)", [4]),
        ("page.wait_for_timeout(100)", [1]),
        ("import threading\nthreading.Event().wait(0.1)\nheard.wait(20)", [2]),
        ("import time\nbegan = time.monotonic()\nassert time.monotonic() - began < 2", [3]),
        ("import time\ndef f():\n    began = time.time()\n    took = time.time() - began\n    assert took < 2", [5]),
        ("import time\nassert time.perf_counter() < end", [2]),
        ("import time\nassert file.stat().st_mtime <= time.time()", []),
        ("import time\nassert time.monotonic() - began == 0", []),
        ("monkeypatch.setattr(serve.time, 'sleep', stop)", []),
    ],
)
def test_what_is_an_offender(source, lines):
    assert sorted({line for line, _ in offenders(source)}) == lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("assert page.locator('a').count() == 0", [1]),
        ("assert 'x' in page.locator('a').inner_text()", [1]),
        ("assert words.count('DET') == 2", []),
        ("expect(page.locator('a')).to_have_count(0)", []),
    ],
)
def test_what_is_a_hasty_assertion(source, lines):
    assert sorted({line for line, _ in hasty_assertions(source)}) == lines
