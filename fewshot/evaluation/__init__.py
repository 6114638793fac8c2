"""Predictions, labels for files, suggestions, signals for samplers, scores and their intervals."""

from fewshot.evaluation.evaluate import Evaluation, evaluate, predict, source_share
from fewshot.evaluation.label import label_stream, suggest
from fewshot.evaluation.signals import signals

__all__ = ["Evaluation", "evaluate", "label_stream", "predict", "signals", "source_share", "suggest"]
