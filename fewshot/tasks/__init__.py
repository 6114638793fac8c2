"""Tasks: one file each, found by name."""

from fewshot.tasks.base import (
    GUESSED,
    Problem,
    Task,
    annotatable,
    base_name,
    check_corpus,
    check_gold,
    get,
    gold_errors,
    place_of,
    real_data,
    registry,
)
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price

__all__ = [
    "GUESSED",
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
    "place_of",
    "real_data",
    "registry",
]
