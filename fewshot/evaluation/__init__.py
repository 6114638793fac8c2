"""Prediction, scores and their intervals."""

from fewshot.evaluation.evaluate import Evaluation, evaluate, predict

__all__ = ["Evaluation", "evaluate", "predict"]
