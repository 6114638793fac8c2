"""What holds for all code and all tests: short files and functions, no waiting by the clock, no hasty assertions."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent

CLOCK = re.compile(
    r"(?<![\w.])time\.(sleep|time|monotonic|perf_counter|process_time)(_ns)?\(|from time import"
    r"|asyncio\.sleep\(|\.wait_for_timeout\(|Event\(\)\.wait\("
)
"""What reads a clock or waits by one."""

READ_CLOCKS = {
    "annotate/server/test_recordings.py",  # signs a URL that ends now
    "browser/loop.py",  # prints how long a loop of days took
    "corpora/formats/fuzz.py",  # looks for faults for some seconds
    "load/attacker.py",  # counts what an app allows in that time
    "waiting.py",
}

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

FILE_LINES, FUNCTION_LINES = 300, 40
"""Most lines of a file, and of a function behind its docstring."""


def hasty_assertions(source):
    """Yield (line, what) of each assertion that reads a browser's page once, where `expect` would wait."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            for call in (part for part in ast.walk(node.test) if isinstance(part, ast.Call)):
                name = getattr(call.func, "attr", "")
                if name in READS_PAGE and (name != "count" or not call.args):
                    yield node.lineno, f".{name}() in an assertion"


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
            if (lines := source.count("\n")) > FILE_LINES:
                files[name] = lines
            functions |= {f"{name}: {function}": lines for function, lines in sizes(source) if lines > FUNCTION_LINES}
    assert (files, functions) == ({}, {})


def test_no_test_reads_a_clock():
    paths = {path.relative_to(TESTS).as_posix(): path for path in sorted(TESTS.rglob("*.py"))}
    found = [
        f"tests/{name}:{number}: {line.strip()}"
        for name, path in paths.items()
        if not name.startswith("benchmarks/") and name not in {*READ_CLOCKS, "test_conventions.py"}
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if CLOCK.search(line)
    ]
    assert not found, "wait for a state instead, with an event or tests/waiting.py:\n" + "\n".join(found)


def test_no_assertion_reads_a_page_that_may_not_be_drawn_yet():
    found = []
    for path in sorted((TESTS / "browser").glob("*.py")):
        for line, what in sorted(set(hasty_assertions(path.read_text("utf-8")))):
            found.append(f"tests/browser/{path.name}:{line}: {what}")
    assert not found, "wait for it with playwright's expect(...):\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source", ["time.sleep(1)", "nap = asyncio.sleep(1)", "page.wait_for_timeout(9)", "time.time()"]
)
def test_what_reads_a_clock(source):
    assert CLOCK.search(source) and not CLOCK.search("monkeypatch.setattr(serve.time, 'sleep', stop)")


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


VAGUE_NAMES = {"beside", "found", "here", "none", "one", "such", "there"}
"""Names of variables that say nothing; what they hold has a name of its own."""

VAGUE_CONSTANTS = {"FEW", "HERE", "KEPT", "LISTED", "LONGEST", "MOST", "READ", "SHOWN"}
"""Names of constants that do not say what they limit, as `MAX_ROWS` does."""

SUMMARY_LETTERS = 100
"""Most characters of a docstring's first line."""


def unclear(source):
    """Yield (line, what) of each vague name and each unfinished first line of a docstring in a module's source."""
    tree = ast.parse(source)
    fields = {id(node.target) for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)}  # may be names in files
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
        name = "" if id(node) in fields else name
        if name in VAGUE_NAMES or (name in VAGUE_CONSTANTS and isinstance(node.ctx, ast.Store)):
            yield node.lineno, f"the name {name}"
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            summary = (ast.get_docstring(node) or ".").splitlines()[0]
            if len(summary) > SUMMARY_LETTERS or not summary.endswith((".", "?")):
                yield node.body[0].lineno, f"a first line that does not end within {SUMMARY_LETTERS} characters"


def test_names_and_docstrings_are_clear():
    unclear_lines = []
    for folder in ("annotate", "fewshot", "samplers"):
        for path in sorted((TESTS.parent / folder).rglob("*.py")):
            name = path.relative_to(TESTS.parent).as_posix()
            unclear_lines += [f"{name}:{line}: {what}" for line, what in unclear(path.read_text("utf-8"))]
    assert not unclear_lines, "see docs/reference/glossary.md:\n" + "\n".join(unclear_lines)


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for folder in ("annotate", "fewshot", "samplers"):
        for path in sorted((TESTS.parent / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(f"{path.relative_to(TESTS.parent).as_posix()}:{node.lineno}")
    shared = [f"{name}: {', '.join(lines)}" for name, lines in places.items() if len(lines) > 1]
    assert not shared, "give each class a name that says what it is:\n" + "\n".join(shared)


SENTENCE_WORDS = 45
"""Most words of a sentence of the documentation; code counts as one word."""

DIALECT = re.compile(
    r"\b(likewise|hence|whereof|thereof|therein|dear|(is|are) said|what is more|in (its|their) stead)\b", re.I
)
"""Phrases that a reader has to translate."""

NO_PROSE = re.compile(r"^```.*?^```$|<!--.*?-->|`[^`\n]+`|\]\([^)]*\)|^ *[|#].*?$", re.M | re.S)
PARTS = re.compile(r"\n\s*\n|\n(?= *(?:[-*]|\d+\.) )")
SENTENCE_ENDS = re.compile(r"(?<=[.:;!?])[\])*\"]*\s+(?=[\"*\[(]*[A-Z0-9])")


def unclear_prose(text):
    """Yield what is hard to read of a page: its longest sentences, and phrases of `DIALECT`."""
    prose = NO_PROSE.sub(lambda match: "X" if match[0].startswith("`") and match[0][1] != "`" else "", text)
    for part in PARTS.split(prose):
        for sentence in SENTENCE_ENDS.split(" ".join(part.split())):
            if len(sentence.split()) > SENTENCE_WORDS:
                yield f"{len(sentence.split())} words: {sentence[:80]} ..."
            yield from (f"{match[0]!r}: {sentence[:80]} ..." for match in DIALECT.finditer(sentence))


def test_the_documentation_has_short_sentences_and_no_dialect():
    root = TESTS.parent
    pages = [page for page in sorted((root / "docs").rglob("*.md")) if page.parent.name != "generated"]
    pages += [root / name for name in ("README.md", "CONTRIBUTING.md")]
    unclear = [f"{page.relative_to(root)}: {what}" for page in pages for what in unclear_prose(page.read_text("utf-8"))]
    assert not unclear, "shorten or say it otherwise:\n" + "\n".join(unclear)


def test_what_prose_is_unclear():
    long = " ".join(["word"] * 46)
    assert [what[:8] for what in unclear_prose(f"{long}.\n\n- Short. They are said.")] == ["46 words", "'are sai"]
    assert not [*unclear_prose(f"```\n{long}\n```\n\n`{long}`\n\n| {long} |\n")]
