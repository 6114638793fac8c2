"""The sentences page: a table of examples, search, and changes of all hits."""

from annotate.pages.sentences.page import show

__all__ = ["show"]
