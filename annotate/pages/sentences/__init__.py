"""The sentences page: a table of a project's examples, what is found in them, and changes of all that is found."""

from annotate.pages.sentences.page import show

__all__ = ["show"]
