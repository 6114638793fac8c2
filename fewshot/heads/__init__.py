"""Task heads: from unit vectors to scores, loss and decoded output."""

from fewshot.heads.base import Head, TransformersHead
from fewshot.heads.biaffine import Biaffine
from fewshot.heads.classifier import Classifier, SeveralClassifier
from fewshot.heads.crf import CRF
from fewshot.heads.joint import Joint
from fewshot.heads.span import Span

__all__ = ["CRF", "Biaffine", "Classifier", "Head", "Joint", "SeveralClassifier", "Span", "TransformersHead"]
