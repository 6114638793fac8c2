"""Tasks: one file each, found by name."""

from fewshot.tasks.base import (
    Problem,
    Task,
    annotatable,
    base_name,
    check_corpus,
    check_gold,
    get,
    gold_errors,
    real_data,
    registry,
)
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price

__all__ = [
    "AnnotationTime",
    "CurvePrior",
    "Price",
    "Problem",
    "Task",
    "annotatable",
    "base_name",
    "check_corpus",
    "check_gold",
    "get",
    "gold_errors",
    "real_data",
    "registry",
]
