"""Tasks: one file each, found by name."""

from fewshot.tasks.base import Task, get, registry

__all__ = ["Task", "get", "registry"]
