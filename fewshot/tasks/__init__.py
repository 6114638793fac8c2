"""Tasks: one file each, found by name."""

from fewshot.tasks.base import (
    UNCHECKED_MESSAGE,
    Problem,
    Task,
    annotatable,
    base_name,
    check_corpus,
    check_gold,
    data_hint,
    get,
    gold_errors,
    place_of,
    registry,
)
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price

__all__ = [
    "UNCHECKED_MESSAGE",
    "AnnotationTime",
    "CurvePrior",
    "Price",
    "Problem",
    "Task",
    "annotatable",
    "base_name",
    "check_corpus",
    "check_gold",
    "data_hint",
    "get",
    "gold_errors",
    "place_of",
    "registry",
]
