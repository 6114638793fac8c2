"""Commands, through their runner."""

from typer.testing import CliRunner

from fewshot.cli import app

ENVIRONMENT = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}

BAD = "1\ta\t_\tNOUN\t_\t_\t0\troot\t_\n\n"
"""CoNLL-U of nine columns."""


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=ENVIRONMENT)


def run(place, out, *more):
    fixed = ["--model", place / "encoder", "--source", place / "source"]
    usual = {"--lang": "xx", "--data": place / "xx", "--k": "4", "--updates": "3", "--seeds": "1", "--shot-sets": "2"}
    for name, value in zip(more[::2], more[1::2], strict=True):
        usual[name] = value
    options = [part for pair in usual.items() for part in pair if part]
    return call("run", *fixed, *options, "--out", out)
