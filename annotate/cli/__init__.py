"""The app's commands: one file a command or group of commands, its options and what it does.

They belong to the command line of `fewshot.cli`, which finds this package as a plugin: see ``pyproject.toml``.
"""

from fewshot.cli.common.base import discover

discover(__name__, ("app", "worker", "backup", "restore", "projects", "export", "import_"))
