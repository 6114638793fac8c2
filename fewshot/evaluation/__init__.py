"""Prediction, suggestions, signals for samplers, scores and their intervals."""

from fewshot.evaluation.evaluate import Evaluation, evaluate, predict
from fewshot.evaluation.signals import signals
from fewshot.evaluation.suggest import suggest

__all__ = ["Evaluation", "evaluate", "predict", "signals", "suggest"]
