"""Tasks: one file each, found by name."""

from fewshot.tasks.base import Task, check_gold, get, registry

__all__ = ["Task", "check_gold", "get", "registry"]
