"""Tasks: one file each, found by name."""

from fewshot.tasks.base import Task, check_gold, get, real_data, registry

__all__ = ["Task", "check_gold", "get", "real_data", "registry"]
