"""The command line: parse, call, print. Everything it does can be called from Python as well."""

from fewshot.cli import analyses, data, experiments, lab  # noqa: F401  (they register their commands)
from fewshot.cli.base import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    app()
