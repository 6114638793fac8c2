"""The app's commands: one file for each command or group of commands.

They are part of the command line of `fewshot.cli`, which discovers this package as a plugin: see ``pyproject.toml``.
"""

from fewshot.cli.common.base import discover

discover(__name__, ("app", "worker", "backup", "projects", "recordings", "lexicon", "export", "import_"))
