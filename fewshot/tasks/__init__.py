"""Tasks: one file each, found by name."""

from fewshot.tasks.base import Problem, Task, check_gold, get, real_data, registry

__all__ = ["Problem", "Task", "check_gold", "get", "real_data", "registry"]
