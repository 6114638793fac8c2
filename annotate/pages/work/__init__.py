"""The annotate page: one item in its editor, with progress and cost."""

from annotate.pages.work.page import show

__all__ = ["show"]
