"""The example types that readers return and tasks work on."""

from fewshot.corpora.documents.cells import BEGUN, UNANNOTATED
from fewshot.corpora.types.example import Example, Record, file_lines, original_lines
from fewshot.corpora.types.sentence import Interlinear, Sentence, ranges_of
from fewshot.corpora.types.texts import SEPARATOR, Answer, Article, Document, Pair, Paragraph, Question

__all__ = [
    "BEGUN", "SEPARATOR", "UNANNOTATED", "Answer", "Article", "Document", "Example", "Interlinear", "Pair", "Paragraph",
    "Question", "Record", "Sentence", "file_lines", "original_lines", "ranges_of",
]  # fmt: skip
