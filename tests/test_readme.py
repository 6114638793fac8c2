"""What the documentation shows is there: commands with their options, and tables as the results have them."""

import re
import shlex
from itertools import chain

from documented import MENTIONED, ROOT, TYPED, commands, examples, script


def found(line):
    """Return the command of a line, and the words behind its name."""
    words = shlex.split(line.split("   #")[0], comments=True)[1:]
    command = commands()
    while words and hasattr(command, "commands"):
        name = words.pop(0).rstrip(",")
        command = command.get_command(None, name)
        assert command, f"{name} is no command: {line}"
    return command, words


def given_words(command, words):
    """Return the words of a line that are arguments: neither options nor their values."""
    flags = {name for parameter in command.params if getattr(parameter, "is_flag", False) for name in parameter.opts}
    values = {place + 1 for place, word in enumerate(words) if word.startswith("--") and word not in flags}
    return [word for place, word in enumerate(words) if not word.startswith("--") and place not in values]


def test_help_of_each_command_ends_with_an_example_that_fits_a_terminal():
    assert len(examples()) > 40 and all(examples().values())
    assert not [line for name, lines in examples().items() for line in lines if not line.startswith(name)]
    assert not [line for lines in examples().values() for line in lines if len(line) > 78 or "[" in line]


def test_commands_exist_with_their_options():
    assert len(MENTIONED) > 50
    unknown = {}
    for line in {*MENTIONED, *chain(*examples().values())}:
        command, words = found(line)
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        unknown[line] = {word.split("=")[0] for word in words if word.startswith("--")} - known
    assert not {line: options for line, options in unknown.items() if options}


def test_lines_to_be_typed_give_all_that_their_commands_require():
    missing = {}
    for line in {*TYPED, *chain(*examples().values())}:
        command, words = found(line)
        required = [parameter for parameter in command.params if parameter.required]
        options = {word.split("=")[0] for word in words}
        missing[line] = [one.name for one in required if one.param_type_name == "option" and not {*one.opts} & options]
        arguments = [one.name for one in required if one.param_type_name == "argument"]
        missing[line] += arguments[len(given_words(command, words)) :]
    assert TYPED and not {line: names for line, names in missing.items() if names}


def test_tables_are_those_of_the_results_and_of_the_code():
    tables = script("tables")
    shown = [match[2] for page in tables.pages() for match in tables.MARKED.finditer(page.read_text(encoding="utf-8"))]
    assert sorted(shown) == sorted(tables.MADE)
    for page in tables.pages():
        text = page.read_text(encoding="utf-8")
        assert tables.written(text) == text, f"{page.name}: run python docs/tables.py"


def test_the_reference_has_every_command_with_its_options():
    text = script("commands").reference()
    sections = dict(re.findall(r"^## (fewshot .+?) \{.*?\}\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    assert {"fewshot run", "fewshot data check", "fewshot projects new", "fewshot app"} <= set(sections)
    overview = text.partition("\n\n")[0].splitlines()[2:]
    assert [re.match(r"\| \[`(.+?)`\]\(#.+?\) \| .+ \|$", row)[1] for row in overview] == list(sections)
    assert "| `--balanced` `--unbalanced` |" in sections["fewshot run"]
    assert "| `FILES...` |" in sections["fewshot projects new"]


def test_the_readme_is_short():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert len(text.split()) <= 1200


def test_links_of_the_readme_lead_somewhere():
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{page.name}: {target}"
