"""Tasks: one file each, found by name."""

from fewshot.tasks.base import Problem, Task
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price
from fewshot.tasks.gold import UNCHECKED_MESSAGE, as_examples, check_corpus, check_gold, gold_errors, place_of
from fewshot.tasks.lookup import annotatable, base_name, get, registry

__all__ = [
    "UNCHECKED_MESSAGE",
    "AnnotationTime",
    "CurvePrior",
    "Price",
    "Problem",
    "Task",
    "annotatable",
    "as_examples",
    "base_name",
    "check_corpus",
    "check_gold",
    "get",
    "gold_errors",
    "place_of",
    "registry",
]
