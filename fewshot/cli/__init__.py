"""The command line: one file a command, its options and what it does; all of it can be called from Python as well.

A file registers its command when it is imported, and every file of this package is: a new command is one new file.
It imports torch and other large libraries inside the functions that need them, so that ``--help`` answers at once.
"""

from importlib.metadata import entry_points

from fewshot.cli.base import app, discover

__all__ = ["app", "main"]

ORDER = ("experiments", "analyses", "data")
"""Modules whose commands ``--help`` lists first, in this order; those of other files follow by name."""

PLUGINS = "fewshot.commands"
"""Entry point group of modules of other packages that register commands too.

The annotation app is built on the library and comes with commands (``fewshot app``); as a plugin it is found without
being named here, so the library neither needs nor loads it.
"""

discover(__name__, ORDER)
for plugin in entry_points(group=PLUGINS):
    plugin.load()


def main() -> None:
    """Run the command line."""
    app()
