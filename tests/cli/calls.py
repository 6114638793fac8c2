"""Commands, through their runner."""

from typer.testing import CliRunner

from fewshot.cli import app
from fewshot.training import presets

ENVIRONMENT = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}

FEW_UPDATES = (*presets.SOURCE, (presets.ANY, presets.ANY, presets.ANY, {"least": 1}))
"""Recipes of source models that are trained in fewer than the usual updates."""

BAD = "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\n\n"
"""CoNLL-U of nine columns."""


def call(*arguments, ends=None, typed=""):
    """Return the result of a command; `ends` is the exit code that it must have, `typed` what is typed into it."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=typed, env=ENVIRONMENT)
    assert ends in (None, result.exit_code), result.output
    return result


def run(place, out, *more, ends=None):
    fixed = ["--model", place / "encoder", "--source", place / "source"]
    usual = {"--lang": "xx", "--data": place / "xx", "--k": "4", "--updates": "3", "--seeds": "1", "--shot-sets": "2"}
    for name, value in zip(more[::2], more[1::2], strict=True):
        usual[name] = value
    options = [part for pair in usual.items() for part in pair if part]
    return call("run", *fixed, *options, "--out", out, ends=ends)
