"""Task heads: from unit vectors to scores, loss and decoded output."""

from fewshot.heads.base import Head
from fewshot.heads.classifier import Classifier
from fewshot.heads.crf import CRF

__all__ = ["CRF", "Classifier", "Head"]
