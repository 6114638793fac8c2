"""Predictions, labels for files, suggestions, signals for samplers, scores and their intervals."""

from fewshot.evaluation.evaluate import Evaluation, evaluate, predict
from fewshot.evaluation.label import label_stream
from fewshot.evaluation.signals import signals
from fewshot.evaluation.suggest import suggest

__all__ = ["Evaluation", "evaluate", "label_stream", "predict", "signals", "suggest"]
