"""Task heads: from unit vectors to scores, loss and decoded output."""

from fewshot.heads.base import Head
from fewshot.heads.biaffine import Biaffine
from fewshot.heads.classifier import Classifier

__all__ = ["Biaffine", "Classifier", "Head"]
